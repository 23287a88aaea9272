#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// The errors of exchanges over HTTP/2.
    enum HTTP2Words {
        static let http1 = TransportError.failed(
            .cannotParseResponse, "the server answered in HTTP/1 on a connection for HTTP/2")
        static let flood = TransportError.failed(
            .cannotParseResponse, "the server sent too many HTTP/2 frames that carry nothing")
        static let outOfMemory = TransportError.failed(.unknown, "out of memory")

        /// A session that speaks nothing but HTTP/2, without libnghttp2.
        static func impossible(_ error: SystemLibraryError) -> TransportError {
            .failed(.resourceUnavailable, "HTTP/2 is not possible: \(error)")
        }

        /// A stream that the server has reset.
        static func reset(_ code: HTTP2ErrorCode) -> TransportError {
            if code == .noError {
                return .failed(.networkConnectionLost, "the server ended the HTTP/2 stream before the end of the response")
            }
            // The server gives this request up, perhaps because a server behind it did: what is a closed connection over HTTP/1.1, and may
            // be retried. The other codes say that one side broke the rules, which the next attempt would do again.
            let isGivenUp = [.internalError, .refusedStream, .cancel, .enhanceYourCalm].contains(code)
            return .failed(
                isGivenUp ? .networkConnectionLost : .cannotParseResponse, "the server ended the HTTP/2 stream with an error: \(code.name)")
        }

        /// A stream that this side has reset, because a header or trailer section is not valid.
        ///
        /// - Parameter endsStream: Whether the section was to end the response.
        static func invalid(_ stream: HTTP2Stream, endsStream: Bool) -> TransportError {
            guard stream.hasHead else {
                return .failed(.cannotParseResponse, "the response is malformed: its HTTP/2 header fields are not valid")
            }
            if endsStream, stream.missingBytes ?? 0 != 0 { return .failed(.cannotParseResponse, wrongLength) }
            return .failed(.cannotParseResponse, "the response is malformed: its HTTP/2 trailer fields are not valid")
        }

        /// A stream that this side has reset for other frames.
        static func invalidData(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) -> TransportError {
            if code == .flowControlError {
                return .failed(.cannotParseResponse, "the server broke the rules of HTTP/2 (\(code.name) on the response's stream)")
            }
            switch stream.declaredLength {
            case nil: return .failed(.cannotParseResponse, "the server broke the rules of HTTP/2 on the response's stream")
            case 0: return .failed(.cannotParseResponse, "the response is malformed: it has a body where none may be")
            default: return .failed(.cannotParseResponse, wrongLength)
            }
        }

        private static let wrongLength = "the response is malformed: its body is not as long as its Content-Length says"

        /// A connection that this side has ended, because its frames are not valid.
        ///
        /// - Parameter text: The library's explanation.
        static func violation(_ code: HTTP2ErrorCode, _ text: String) -> TransportError {
            if text == "SETTINGS expected" { return .failed(.cannotParseResponse, "the server does not speak HTTP/2") }
            if code == .enhanceYourCalm { return flood }
            let details = text.isEmpty ? code.name : "\(code.name), \(text)"
            return .failed(.cannotParseResponse, "the server broke the rules of HTTP/2 (\(details))")
        }

        /// An error code of the library.
        static func library(_ error: Int32) -> TransportError {
            switch Int(error) {
            case FWHTTP2_ERROR_NO_MEMORY: outOfMemory
            case FWHTTP2_ERROR_FLOODED, FWHTTP2_ERROR_CONTINUATIONS: flood
            default: .failed(.unknown, "libnghttp2 failed with error \(error)")
            }
        }

        /// A stream that GOAWAY leaves out after its response has begun.
        static func abandoned(_ goAway: HTTP2GoAway?) -> TransportError {
            guard let goAway, goAway.code != .noError else {
                return .failed(.networkConnectionLost, "the server closed the HTTP/2 connection before the end of the response")
            }
            return .failed(.networkConnectionLost, "the server closed the HTTP/2 connection with an error: \(name(goAway))")
        }

        /// A stream whose connection has ended.
        static func lost(_ stream: HTTP2Stream, _ goAway: HTTP2GoAway?, isReset: Bool) -> TransportError {
            if let goAway, goAway.code != .noError { return abandoned(goAway) }
            if !isReset, stream.hasHead {
                if let missing = stream.missingBytes, missing > 0 {
                    return .failed(.networkConnectionLost, "the body ended \(count(missing)) early")
                }
                return .failed(.networkConnectionLost, "the connection closed before the end of the response")
            }
            if !isReset, stream.phase == .waiting {
                return .failed(.networkConnectionLost, "the server closed the connection without a response")
            }
            return .failed(.networkConnectionLost, ConnectionWords.lost(isReset: isReset, stream.phase))
        }

        private static func name(_ goAway: HTTP2GoAway) -> String {
            goAway.text.isEmpty ? goAway.code.name : "\(goAway.code.name) (\(goAway.text))"
        }

        private static func count(_ bytes: Int64) -> String { "\(bytes) \(bytes == 1 ? "byte" : "bytes")" }

        /// The text that a peer has added to GOAWAY.
        static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
            guard let bytes, count > 0 else { return "" }
            let text = String(decoding: UnsafeBufferPointer(start: bytes, count: min(count, 200)), as: UTF8.self)
            return text.onOneLine
        }
    }
#endif
