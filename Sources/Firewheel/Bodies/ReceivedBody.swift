import Foundation

/// A body that is collected in memory, without a copy beyond that from the socket's buffer where it is read in place. The owner must call
/// ``free()`` in the end.
struct ReceivedBody {
    /// The least room to read into.
    private static let leastRoom = 65_536
    /// The declared length is only a claim, so it does not decide alone how much memory is reserved at first.
    private static let mostReserved: Int64 = 1 << 20

    private var memory: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private var count = 0
    /// A body that came as a whole.
    private var whole: Data?

    /// Appends bytes by copying them.
    ///
    /// - Parameter following: The number of bytes that are expected behind these, if it is known; 0 otherwise.
    /// - Returns: False if the system has no memory left.
    mutating func append(_ bytes: UnsafeRawBufferPointer, following: Int64) -> Bool {
        if count == 0, whole == nil, following == 0 {
            whole = Data(bytes)
            return true
        }
        let expected = Int64(bytes.count).addingSaturated(following)
        guard moveWhole(following: expected), reserve(bytes.count, expected: following > 0 ? expected : nil), let memory else {
            return false
        }
        UnsafeMutableRawBufferPointer(start: memory + count, count: bytes.count).copyMemory(from: bytes)
        count += bytes.count
        return true
    }

    /// The room for the next bytes; nil if the system has no memory left. ``commit(_:)`` says how many there are.
    ///
    /// - Parameter expected: The number of bytes that are expected, at least 1; the room has no more.
    mutating func room(expected: Int64) -> UnsafeMutableRawBufferPointer? {
        let least = Int(min(Int64(Self.leastRoom), expected))
        guard moveWhole(following: expected), capacity - count >= least || reserve(least, expected: expected), let memory else {
            return nil
        }
        return UnsafeMutableRawBufferPointer(start: memory + count, count: Int(min(Int64(capacity - count), expected)))
    }

    mutating func commit(_ added: Int) {
        count += added
    }

    /// Moves what was taken for the whole body to where more can be appended.
    private mutating func moveWhole(following: Int64) -> Bool {
        guard let data = whole.take() else { return true }
        return data.withUnsafeBytes { append($0, following: following) }
    }

    /// Makes room for as many bytes as needed.
    ///
    /// - Parameter expected: The number of bytes that are expected; nil if it is not known.
    private mutating func reserve(_ needed: Int, expected: Int64?) -> Bool {
        guard capacity - count < needed || memory == nil else { return true }
        // Doubled, so that the cost of moving stays proportional, but not beyond what is expected.
        let grown = Int64(max(capacity * 2, Self.leastRoom))
        let wanted = expected.map { min(Int64(count).addingSaturated($0), max(grown, Self.mostReserved)) } ?? grown
        let size = max(Int64(count + needed), wanted)
        guard let moved = realloc(memory, Int(size)) else { return false }
        memory = moved
        capacity = Int(size)
        return true
    }

    /// The body; nil if it is empty. Nothing is left here.
    mutating func take() -> Data? {
        if let whole = whole.take() { return whole.isEmpty ? nil : whole }
        guard let memory, count > 0 else { return nil }
        let fitted = count < capacity ? realloc(memory, count) ?? memory : memory
        let data = Data(bytesNoCopy: fitted, count: count, deallocator: .free)
        self.memory = nil
        (capacity, count) = (0, 0)
        return data
    }

    mutating func free() {
        Foundation.free(memory)
        memory = nil
        (capacity, count) = (0, 0)
        whole = nil
    }
}

extension Int64 {
    fileprivate func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
