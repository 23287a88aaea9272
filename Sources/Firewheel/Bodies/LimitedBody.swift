import Foundation

/// A request's body that is sent at a limited rate: each piece is small, and the next is given when the last has had its time.
struct LimitedBody: BodyStream {
    let source: BodySource
    let limiters: [RateLimiter]

    var length: Int64? { source.length }
    var isRepeatable: Bool { source.isRepeatable }

    func makeReader() -> any BodyReader {
        let reader: any BodyReader =
            switch source {
            case .data(let data): DataReader(data)
            case .file(let url, let offset, let length): FileBodyReader(url, offset: offset, length: length)
            case .stream(let stream): stream.makeReader()
            }
        return Reader(reader, limiters)
    }

    private final class Reader: BodyReader {
        private let reader: any BodyReader
        private let limiters: [RateLimiter]
        private let portion: Int

        init(_ reader: any BodyReader, _ limiters: [RateLimiter]) {
            self.reader = reader
            self.limiters = limiters
            portion = limiters.map(\.portion).min() ?? .max
        }

        func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
            reader.read(upTo: min(count, portion)) { [limiters] piece in
                guard case .data(let data) = piece else { return answer(piece) }
                RateLimiter.pass(data.count, through: limiters) { answer(piece) }
            }
        }

        func close() { reader.close() }
    }

    /// Gives the pieces of data in memory.
    private final class DataReader: BodyReader {
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
}
