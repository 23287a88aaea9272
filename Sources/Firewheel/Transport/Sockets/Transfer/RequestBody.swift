#if os(Linux)
    import Foundation

    /// What sending a request's body has in common over all versions of HTTP.
    extension BodySource {
        /// The size of the pieces that a source is asked for.
        static let pieceSize = 131_072

        enum Opened {
            case data(Data)
            case reader(any BodyReader)
        }

        /// Begins with the first byte.
        func open() -> Opened {
            switch self {
            case .data(let data): .data(data)
            case .file(let url, let offset, let length): .reader(FileBodyReader(url, offset: offset, length: length))
            case .stream(let stream): .reader(stream.makeReader())
            }
        }

        /// How the body of a request is framed.
        static func length(of source: BodySource?) -> RequestWriter.BodyLength {
            guard let source else { return .none }
            return source.length.map { .known(UInt64(max(0, $0))) } ?? .unknown
        }
    }

    extension ResponseHead {
        /// Whether the server may read the body although it has not consented to it: it has begun a successful response, which an echo can
        /// end only behind the body. Then the body is sent if the response does not end before the wait for the consent does.
        var hasBegunWithoutBody: Bool { (200..<300).contains(statusCode) }
    }

    extension TransportRequest {
        /// The seconds to wait for a 100 (Continue), within the idle timeout, which runs meanwhile: curl's `CURLOPT_EXPECT_100_TIMEOUT_MS`.
        var continuePatience: TimeInterval { idleTimeout > 0 ? min(1, idleTimeout / 2) : 1 }

        /// The error for a body or trailer fields that cannot be sent.
        func error(for problem: RequestWriter.Problem) -> TransportError {
            switch problem {
            case .wrongLength:
                let length = bodySource?.length ?? 0
                return .failed(
                    .requestBodyStreamExhausted, "the body of the request does not have the \(length) bytes that it should have")
            case .invalidField: return .failed(.requestBodyStreamExhausted, "a trailer field of the request is not valid")
            case .invalidMethod: return .failed(.badURL, "the request cannot be written")
            }
        }
    }

    extension SocketTransfer {
        /// The seconds that the rest of a body may be stuck once the response is whole.
        static let bodyPatience: TimeInterval = 1

        /// Asks for the next piece of the body, which the exchange then gets.
        func ask(_ reader: any BodyReader, number: Int) {
            let (inbox, pool) = (loop.inbox, PoolReference(object: pool))
            let (id, place) = (id, PiecePlace(try: currentTry, ask: number))
            reader.read(upTo: BodySource.pieceSize) { piece in
                inbox.post(LoopMessage(pool: pool, command: .piece(id, place, piece)))
            }
        }
    }
#endif
