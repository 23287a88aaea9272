import Foundation

/// Memory for large pieces of bodies, used again once the receiver has released a piece: in new memory every 4 KiB cost a page fault, which
/// takes longer than receiving them.
final class PieceMemory: Sendable {
    static let shared = PieceMemory()

    /// The size of each piece of memory.
    static let size = 131_072
    /// The most that are kept for later.
    private static let most = 8

    private struct Kept: @unchecked Sendable {
        // Sound because nothing else refers to memory that is kept here, and it is only reached under the lock.
        var memory: [UnsafeMutableRawPointer] = []
    }

    private let kept = Locked(Kept())

    init() {}

    deinit {
        kept.withLock { kept in for memory in kept.memory { free(memory) } }
    }

    /// Memory of ``size`` bytes; nil if the system has none left.
    func take() -> UnsafeMutableRawPointer? {
        struct Taken: @unchecked Sendable {
            // Sound because the pool has given it away.
            let memory: UnsafeMutableRawPointer?
        }
        return kept.withLock { Taken(memory: $0.memory.popLast()) }.memory ?? malloc(Self.size)
    }

    func giveBack(_ memory: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: memory)
        let isKept = kept.withLock { kept -> Bool in
            guard kept.memory.count < Self.most, let memory = UnsafeMutableRawPointer(bitPattern: address) else { return false }
            kept.memory.append(memory)
            return true
        }
        if !isKept { free(memory) }
    }

    /// Makes data of what a closure puts into memory.
    ///
    /// - Parameters:
    ///   - count: The most bytes.
    ///   - fill: Gets the memory, and returns how many bytes it has put there; any other number if there is no data.
    /// - Returns: The data, and the number of bytes. nil if the system has no memory left.
    func data(upTo count: Int, _ fill: (UnsafeMutableRawPointer) -> Int) -> (data: Data?, result: Int)? {
        let isLarge = count > Self.size / 2 && count <= Self.size
        guard let memory = isLarge ? take() : malloc(count) else { return nil }
        let result = fill(memory)
        let release = { isLarge ? self.giveBack(memory) : free(memory) }
        guard (1...count).contains(result) else {
            release()
            return (nil, result)
        }
        // Few bytes must not hold large memory.
        if result < count / 2 {
            defer { release() }
            return (Data(bytes: memory, count: result), result)
        }
        return (isLarge ? data(memory, count: result) : Data(bytesNoCopy: memory, count: result, deallocator: .free), result)
    }

    /// Data in this memory, which is given back when the data is released.
    func data(_ memory: UnsafeMutableRawPointer, count: Int) -> Data {
        Data(bytesNoCopy: memory, count: count, deallocator: .custom { memory, _ in self.giveBack(memory) })
    }
}
