#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Maps libcurl's results to the `URLError` codes that URLSession reports for the same failure, so that error handling is portable.
    enum CurlErrors {
        /// What is known about a transfer when it fails.
        struct Circumstances {
            /// libcurl's own message.
            var message: String
            var origin: TargetURI.Origin
            var phase: TransferPhase
            var verifyResult = 0
            /// Whether the head was still being received, so that the failure is in the head.
            var isHeadIncomplete = false
            /// The errno of the last socket that could not be opened or connected; 0 if there is none.
            var systemError: Int32 = 0
            /// The `Content-Encoding` of the response.
            var contentEncoding: String?
            /// The configured file or directory of CA certificates; nil for libcurl's default.
            var certificates: String?

            /// Whether a connection was made, which rules out a faulty URL.
            var wasConnected: Bool { phase != .connecting }
        }

        static func error(_ code: Int32, _ circumstances: Circumstances) -> TransportError {
            if let reason = sizeLimit(code, circumstances) { return .failed(.cannotParseResponse, reason) }
            if code == FWCURLE_WRITE_ERROR {
                // A refusal by Firewheel's callbacks is reported elsewhere. What remains is libcurl's decoder, which gives no message.
                return .failed(.cannotDecodeRawData, "there is data behind the end of the body's content coding")
            }
            let urlErrorCode = urlErrorCode(code, circumstances)
            return .failed(urlErrorCode, CurlErrorWords.words(for: code, urlErrorCode, circumstances))
        }

        /// Which of libcurl's size limits a head exceeded: its own message is "Out of memory" for most of them.
        private static func sizeLimit(_ code: Int32, _ circumstances: Circumstances) -> String? {
            let message = circumstances.message
            if message.hasPrefix("Too large response headers") {
                return "the response's header fields are larger than libcurl takes\(limit(in: message))"
            }
            if message.hasPrefix("Too many response headers") {
                return "the response has more header fields than libcurl takes\(limit(in: message))"
            }
            if message.hasPrefix("Out of memory in chunked") {
                return "a trailer field of the response is longer than libcurl takes (4 KiB)"
            }
            switch Int(code) {
            case Int(FWCURLE_OUT_OF_MEMORY), Int(FWCURLE_TOO_LARGE):
                return circumstances.isHeadIncomplete ? "a header line of the response is longer than libcurl takes (100 KiB)" : nil
            default: return nil
            }
        }

        /// ` (307200)`, from `Too large response headers: 307213 > 307200`.
        private static func limit(in message: String) -> String {
            message.firstMatch(of: /> (\d+)/).map { " (\($0.1))" } ?? ""
        }

        private static func urlErrorCode(_ code: Int32, _ circumstances: Circumstances) -> URLError.Code {
            switch Int(code) {
            case Int(FWCURLE_UNSUPPORTED_PROTOCOL):
                // libcurl also reports this for a response that is not HTTP, or has an unknown version or status code.
                return circumstances.wasConnected ? .cannotParseResponse : .unsupportedURL
            case Int(FWCURLE_URL_MALFORMAT): return .badURL
            case Int(FWCURLE_COULDNT_RESOLVE_HOST): return .cannotFindHost
            case Int(FWCURLE_COULDNT_CONNECT): return .cannotConnectToHost
            case Int(FWCURLE_OPERATION_TIMEDOUT): return .timedOut
            case Int(FWCURLE_WEIRD_SERVER_REPLY): return .cannotParseResponse
            case Int(FWCURLE_HTTP2_STREAM):
                // The server has reset the stream. libcurl before 7.88 also reports a closed connection this way.
                return circumstances.message.hasSuffix("end of the underlying stream") ? .networkConnectionLost : .cannotParseResponse
            case Int(FWCURLE_HTTP2):
                // Recent libcurl also reports a connection that was closed, or that the server is about to close.
                return isFramingProblem(circumstances) ? .cannotParseResponse : .networkConnectionLost
            case Int(FWCURLE_BAD_CONTENT_ENCODING):
                return circumstances.message.hasPrefix("Unrecognized content encoding") ? .cannotDecodeContentData : .cannotDecodeRawData
            case Int(FWCURLE_SSL_CONNECT_ERROR), Int(FWCURLE_SSL_CACERT_BADFILE): return .secureConnectionFailed
            case Int(FWCURLE_PEER_FAILED_VERIFICATION): return certificateCode(circumstances.verifyResult)
            case Int(FWCURLE_PARTIAL_FILE), Int(FWCURLE_GOT_NOTHING), Int(FWCURLE_SEND_ERROR), Int(FWCURLE_SEND_FAIL_REWIND):
                return .networkConnectionLost
            case Int(FWCURLE_RECV_ERROR):
                // libcurl's errno cannot help here: it may belong to another address that was tried before.
                return isFramingProblem(circumstances) ? .cannotParseResponse : .networkConnectionLost
            default: return .unknown
            }
        }

        private static func isFramingProblem(_ circumstances: Circumstances) -> Bool {
            let message = circumstances.message.lowercased()
            return ["chunk", "hexadecimal", "malformat", "too large", "header", "too long", "nghttp2"].contains { message.contains($0) }
        }

        /// The code for an OpenSSL verification result (`X509_V_ERR_…`).
        private static func certificateCode(_ verifyResult: Int) -> URLError.Code {
            switch verifyResult {
            case 9: .serverCertificateNotYetValid
            case 10: .serverCertificateHasBadDate
            case 2, 18, 19, 20, 21: .serverCertificateHasUnknownRoot
            default: .serverCertificateUntrusted
            }
        }
    }
#endif
