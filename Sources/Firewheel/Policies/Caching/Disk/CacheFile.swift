import Foundation

/// The file with the body of a stored response, open for reading: it can be read to its end, whatever happens to its name.
final class CacheFile: Sendable {
    /// Each block has a checksum, so that damage is seen before the bytes are handed over.
    static let blockSize = 65_536

    /// The bytes are not those that were written.
    struct Damaged: Error {}

    /// Whether an error says nothing about a file, because the system is short of something.
    static func isPassing(_ error: any Error) -> Bool {
        guard let error = error as? POSIXError else { return false }
        return [.EMFILE, .ENFILE, .ENOMEM, .EINTR, .EAGAIN].contains(error.code)
    }

    let count: Int
    private let checksums: [UInt32]
    // Sound because it is only read, at positions of each call's own.
    private nonisolated(unsafe) let file: OpenFile
    /// Called if it cannot be read, now or later.
    private let onDamage: @Sendable () -> Void

    static func blockCount(of count: Int) -> Int { count / blockSize + (count % blockSize > 0 ? 1 : 0) }

    /// - Throws: ``Damaged`` if the file has another length, `POSIXError` if it cannot be opened.
    init(_ path: String, count: Int, checksums: [UInt32], onDamage: @escaping @Sendable () -> Void) throws {
        file = try OpenFile(path)
        guard file.leavesReserve else { throw POSIXError.of(EMFILE, path: path) }
        let facts = try file.facts()
        guard FileLock.isOwn(facts), facts.st_size == count else { throw Damaged() }
        self.count = count
        self.checksums = checksums
        self.onDamage = onDamage
    }

    /// - Throws: ``Damaged``, or `POSIXError` if the system cannot read the file.
    func read(_ range: Range<Int>) throws -> Data {
        guard !range.isEmpty else { return Data() }
        do {
            let first = range.lowerBound / Self.blockSize
            let start = first * Self.blockSize
            let end = min(count, ((range.upperBound - 1) / Self.blockSize + 1) * Self.blockSize)
            let blocks = try file.read(at: start, count: end - start)
            // It may have been cut off since it was opened.
            guard blocks.count == end - start, areWhole(blocks, from: first) else { throw Damaged() }
            if blocks.count == range.count { return blocks }
            return blocks.subdata(in: range.lowerBound - start..<range.upperBound - start)
        } catch {
            if !Self.isPassing(error) { onDamage() }
            throw error
        }
    }

    /// Reads the file once, in pieces, and compares all checksums.
    func verify() throws {
        var start = 0
        while start < count {
            let end = min(count, start + 16 * Self.blockSize)
            _ = try read(start..<end)
            start = end
        }
    }

    private func areWhole(_ blocks: Data, from first: Int) -> Bool {
        blocks.withUnsafeBytes { bytes in
            var (start, index) = (0, first)
            while start < bytes.count {
                var checksum = CRC32()
                checksum.add(UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + Self.blockSize)]))
                guard index < checksums.count, checksum.value == checksums[index] else { return false }
                (start, index) = (start + Self.blockSize, index + 1)
            }
            return true
        }
    }
}

/// The checksums of a body's blocks, of which the pieces come one by one.
struct BlockChecksums: Sendable {
    private var finished: [UInt32] = []
    private var current = CRC32()
    private var currentCount = 0

    mutating func add(_ piece: Data) {
        piece.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(CacheFile.blockSize - currentCount)
                current.add(UnsafeRawBufferPointer(rebasing: part))
                currentCount += part.count
                rest = rest.dropFirst(part.count)
                if currentCount == CacheFile.blockSize { endBlock() }
            }
        }
    }

    private mutating func endBlock() {
        finished.append(current.value)
        (current, currentCount) = (CRC32(), 0)
    }

    /// All checksums, with that of the last block, which may be shorter.
    var values: [UInt32] { currentCount > 0 ? finished + [current.value] : finished }
}
