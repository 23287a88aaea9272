import Foundation

/// The server and the file of uploads. The file is removed when this is released.
final class Upload {
    static let length = 1 << 30
    private static let pieceSize = 1 << 20

    /// Where the uploads go.
    var url: String { server.url }
    let file: URL
    private let server: ServerProcess

    init() throws {
        server = try ServerProcess.bodySink()
        file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-benchmark-\(UUID().uuidString)")
        do { try Self.write(file) } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: file)
    }

    /// Writes all bytes, because a file with a hole is read faster than others.
    private static func write(_ file: URL) throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else { throw Failure("cannot create \(file.path)") }
        let handle = try FileHandle(forWritingTo: file)
        let piece = Data((0..<pieceSize).map { UInt8(truncatingIfNeeded: $0 &* 167) })
        for _ in 0..<length / pieceSize { try handle.write(contentsOf: piece) }
        try handle.close()
    }
}

/// A file in pieces, each made by a closure that reads it.
struct FileSequence<Element: Sendable>: AsyncSequence, Sendable {
    let file: URL
    /// Reads the next piece from the descriptor; nil at the end of the file.
    let read: @Sendable (Int32) throws -> Element?

    func makeAsyncIterator() -> Iterator { Iterator(file: file, read: read) }

    struct Iterator: AsyncIteratorProtocol {
        let file: URL
        let read: @Sendable (Int32) throws -> Element?
        private var handle: FileHandle?

        init(file: URL, read: @escaping @Sendable (Int32) throws -> Element?) {
            self.file = file
            self.read = read
        }

        mutating func next() async throws -> Element? {
            let handle = try self.handle ?? FileHandle(forReadingFrom: file)
            self.handle = handle
            return try read(handle.fileDescriptor)
        }
    }
}

/// The size of the pieces of a ``FileSequence``.
let filePiece = 65_536

extension FileSequence<Data> {
    init(_ file: URL) {
        self.init(file: file) { descriptor in
            guard let memory = malloc(filePiece) else { throw FirewheelBenchmark.Failure("out of memory") }
            let count = Foundation.read(descriptor, memory, filePiece)
            guard count > 0 else {
                free(memory)
                guard count == 0 else { throw FirewheelBenchmark.Failure("cannot read the file") }
                return nil
            }
            return Data(bytesNoCopy: memory, count: count, deallocator: .free)
        }
    }
}
