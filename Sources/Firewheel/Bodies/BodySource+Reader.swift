import Foundation

extension BodySource {
    /// Begins with the first byte.
    func makeReader() -> any BodyReader {
        switch self {
        case .data(let data): DataBodyReader(data)
        case .file(let url, let offset, let length): FileBodyReader(url, offset: offset, length: length)
        case .stream(let stream): stream.makeReader()
        }
    }
}

/// Gives the bytes of data in memory.
private final class DataBodyReader: BodyReader {
    private let rest: Locked<Data>

    init(_ data: Data) {
        rest = Locked(data)
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        let piece = rest.withLock { rest in
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        answer(piece.isEmpty ? .end() : .data(piece))
    }

    func close() {
        rest.withLock { $0 = Data() }
    }
}
