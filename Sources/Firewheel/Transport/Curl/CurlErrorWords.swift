#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Explanations of failed transfers. libcurl's own messages vary between versions and quote codes of OpenSSL, so they are only used for
    /// details.
    enum CurlErrorWords {
        static func words(for code: Int32, _ urlErrorCode: URLError.Code, _ circumstances: CurlErrors.Circumstances) -> String {
            let message = circumstances.message.isEmpty ? String(cString: fwcurl_strerror(code)) : circumstances.message
            let host = circumstances.origin.host
            switch Int(code) {
            case Int(FWCURLE_COULDNT_RESOLVE_HOST): return "cannot find host \"\(host)\""
            case Int(FWCURLE_COULDNT_CONNECT): return ConnectionWords.refused(circumstances.systemError, circumstances.origin)
            case Int(FWCURLE_OPERATION_TIMEDOUT): return "timed out, \(circumstances.phase.words)"
            case Int(FWCURLE_SSL_CONNECT_ERROR): return handshake(message, circumstances)
            case Int(FWCURLE_SSL_CACERT_BADFILE):
                return "cannot read the certificate store \(certificateStore(message, circumstances)) (package ca-certificates)"
            case Int(FWCURLE_PEER_FAILED_VERIFICATION):
                return "the certificate of \(host) \(certificate(circumstances.verifyResult, message))"
            case Int(FWCURLE_PARTIAL_FILE): return shortBody(message)
            case Int(FWCURLE_GOT_NOTHING): return "the server closed the connection without a response"
            case Int(FWCURLE_BAD_CONTENT_ENCODING): return contentEncoding(urlErrorCode, circumstances.contentEncoding)
            case Int(FWCURLE_HTTP2_STREAM) where urlErrorCode == .cannotParseResponse: return stream(message)
            case Int(FWCURLE_OUT_OF_MEMORY): return "out of memory"
            default: break
            }
            switch urlErrorCode {
            case .networkConnectionLost: return lost(message, circumstances)
            case .cannotParseResponse: return malformed(message)
            default: return "libcurl: \(message)"
            }
        }

        private static func handshake(_ message: String, _ circumstances: CurlErrors.Circumstances) -> String {
            let place = ConnectionWords.address(circumstances.origin)
            let signs = ["wrong version number", "unknown protocol", "packet length too long", "record layer failure", "http request"]
            if signs.contains(where: message.contains) { return "\(place) does not speak TLS" }
            // OpenSSL's explanation follows its number, library and function: `error:0A000410:SSL routines::reason`.
            if let start = message.range(of: "::", options: .backwards)?.upperBound {
                return "the TLS handshake with \(place) failed: \(message[start...])"
            }
            return "the TLS handshake with \(place) failed: connection \(message.lowercased().contains("reset") ? "reset" : "closed")"
        }

        private static func certificateStore(_ message: String, _ circumstances: CurlErrors.Circumstances) -> String {
            if let path = circumstances.certificates { return path }
            return message.firstMatch(of: /(\/[^ ,]+)/).map { String($0.1) } ?? "of libcurl"
        }

        /// Based on OpenSSL's verification results (`X509_V_ERR_…`). libcurl compares the host name itself, without such a result.
        private static func certificate(_ verifyResult: Int, _ message: String) -> String {
            switch verifyResult {
            case 9: "is not valid yet"
            case 10: "has expired"
            case 18: "is self-signed"
            case 2, 19, 20, 21: "is from an unknown authority"
            case _ where message.contains(" match"): "is for another host"
            default:
                "is not trusted: \(message.replacing("SSL certificate problem: ", with: "").replacing("SSL: ", with: ""))"
            }
        }

        private static func shortBody(_ message: String) -> String {
            if let missing = message.firstMatch(of: /(\d+) bytes/)?.1 {
                return "the body ended \(missing) \(missing == "1" ? "byte" : "bytes") early"
            }
            return message.contains("outstanding") ? "the body ended before its last chunk" : "the body ended early"
        }

        private static func contentEncoding(_ code: URLError.Code, _ name: String?) -> String {
            let name = name ?? "unknown"
            return code == .cannotDecodeContentData
                ? "the Content-Encoding \"\(name)\" is not supported" : "the body is not in its Content-Encoding \"\(name)\""
        }

        private static func stream(_ message: String) -> String {
            let name = message.firstMatch(of: /: ([A-Z_]+) \(err/).map { ": \($0.1)" } ?? ""
            return "the server ended the HTTP/2 stream with an error\(name)"
        }

        private static func lost(_ message: String, _ circumstances: CurlErrors.Circumstances) -> String {
            if let tries = message.firstMatch(of: /tried (\d+) times/)?.1 { return "connection lost \(tries) times in a row" }
            return ConnectionWords.lost(isReset: message.lowercased().contains("reset"), circumstances.phase)
        }

        private static func malformed(_ message: String) -> String {
            let text = message.lowercased()
            if text.contains("chunk") || text.contains("hexadecimal") { return "the response is malformed: its chunks have no valid size" }
            if text.contains("http/0.9") || text.contains("http version") { return "the response is not HTTP" }
            if text.contains("content-length") { return "the response is malformed: its Content-Length is not a length" }
            if text.contains("response code") { return "the response is malformed: its status code is not valid" }
            if text.contains("without colon") { return "the response is malformed: a header line has no colon" }
            return "the response is malformed: \(message)"
        }
    }
#endif
