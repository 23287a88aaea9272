import Foundation

@testable import Firewheel

/// What a body's reader gives to a transport that reads it to its end.
struct DrainedBody: Sendable {
    var pieces: [Data] = []
    var trailers = HTTPHeaders()
    var error: TransportError?

    var data: Data { Data(pieces.joined()) }

    /// Reads a body with a new reader, which it closes.
    ///
    /// - Parameter count: The bytes that each piece may have.
    static func of(_ stream: some BodyStream, count: Int = 65_536) async -> DrainedBody {
        // Cannot throw.
        (try? await of(stream, count: count, meanwhile: {})) ?? DrainedBody()
    }

    /// The same.
    ///
    /// - Parameter meanwhile: Called behind the first piece.
    static func of(_ stream: some BodyStream, count: Int = 65_536, meanwhile: () throws -> Void) async throws -> DrainedBody {
        let reader = stream.makeReader()
        defer { reader.close() }
        var body = DrainedBody()
        while true {
            switch await reader.piece(upTo: count) {
            case .data(let data):
                body.pieces.append(data)
                if body.pieces.count == 1 { try meanwhile() }
            case .end(let trailers):
                body.trailers = trailers
                return body
            case .failed(let error):
                body.error = error
                return body
            }
        }
    }
}

extension BodyReader {
    func piece(upTo count: Int = 65_536) async -> BodyPiece {
        await withCheckedContinuation { continuation in
            read(upTo: count) { continuation.resume(returning: $0) }
        }
    }
}

extension BodyPiece {
    var data: Data? { if case .data(let data) = self { data } else { nil } }
    var isEnd: Bool { if case .end = self { true } else { false } }
    var error: TransportError? { if case .failed(let error) = self { error } else { nil } }
}
