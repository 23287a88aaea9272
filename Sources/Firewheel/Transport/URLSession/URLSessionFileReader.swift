import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads a part of a file as the body of a request, on the thread that asks.
final class URLSessionFileReader: BodyReader, @unchecked Sendable {
    // Sound because `URLSessionBodyPump` makes one call at a time.
    private let url: URL
    private var remaining: Int64
    private var offset: Int64
    private var file: FileHandle?

    init(_ url: URL, offset: Int64, length: Int64) {
        self.url = url
        self.offset = offset
        remaining = length
    }

    /// Why a file cannot be a body; nil if it can. Checked before anything is sent.
    static func problem(with url: URL) -> TransportError? {
        size(of: url) == nil ? failure(url, "it does not exist, or is not a regular file") : nil
    }

    /// The size of a regular file; nil if there is none.
    static func size(of url: URL) -> Int64? {
        var facts = stat()
        let result = url.isFileURL ? url.withUnsafeFileSystemRepresentation { path in path.map { stat($0, &facts) } ?? -1 } : -1
        return result == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int64(facts.st_size) : nil
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        answer(piece(upTo: count))
    }

    func close() {
        file = nil
    }

    private func piece(upTo count: Int) -> BodyPiece {
        guard remaining > 0 else { return .end() }
        do {
            let file = try self.file ?? open()
            guard let data = try file.read(upToCount: Int(min(Int64(count), remaining))), !data.isEmpty else {
                return .failed(Self.failure(url, "it is shorter than it was"))
            }
            remaining -= Int64(data.count)
            return .data(data)
        } catch {
            return .failed(Self.failure(url, FirewheelError.words(of: error)))
        }
    }

    private func open() throws -> FileHandle {
        // Non-blocking, because opening a FIFO would wait.
        let descriptor = url.withUnsafeFileSystemRepresentation { path in
            path.map { systemOpen($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
        }
        guard descriptor >= 0 else { throw POSIXError.of(errno, path: url.path) }
        let opened = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try opened.seek(toOffset: UInt64(offset))
        file = opened
        return opened
    }

    private static func failure(_ url: URL, _ reason: String) -> TransportError {
        .failed(.requestBodyStreamExhausted, "cannot read the file \(url.lastPathComponent) for the request's body: \(reason)")
    }
}

/// `open(2)`, which the method of that name hides.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags) }

/// Gives bytes in memory as the body of a request.
final class URLSessionDataReader: BodyReader, @unchecked Sendable {
    // Sound because `URLSessionBodyPump` makes one call at a time.
    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        let piece = rest.prefix(count)
        rest = rest.dropFirst(count)
        answer(piece.isEmpty ? .end() : .data(piece))
    }

    func close() {
        rest = Data()
    }
}
