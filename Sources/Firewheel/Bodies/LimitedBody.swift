import Foundation

/// A request's body that is sent at a limited rate: each piece is small, and the next is given when the last has had its time.
struct LimitedBody: BodyStream {
    let source: BodySource
    let limiters: [RateLimiter]

    var length: Int64? { source.length }
    var isRepeatable: Bool { source.isRepeatable }

    func makeReader() -> any BodyReader { Reader(source.makeReader(), limiters) }

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
}
