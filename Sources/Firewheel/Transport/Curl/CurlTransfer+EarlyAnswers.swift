#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Responses that are there before their requests have gone out, over HTTP/2. They hold, whatever becomes of the request's body (RFC 9113 section 8.1).
    extension CurlTransfer {
        /// Seconds in which a body goes on if it can: libcurl is told again and again that there is room for it.
        private static let patience: TimeInterval = 0.02

        /// Whether the response is whole and the request's body still on its way, over HTTP/2. libcurl 7.88 reads no more of such a stream, window updates
        /// (RFC 9113 section 6.9) neither: when the window is full the body never goes on, however long the client and the server wait for each other.
        var isAnsweredEarly: Bool {
            guard let size = requestBody?.count, size > 0, stage == .running, !hasEnded, !isPaused, !isWindowFull else { return false }
            guard parser.head?.httpVersion == "HTTP/2", let measured, let missing = missingBytes(measured) else { return false }
            return missing <= 0 && measured.uploaded < size
        }

        /// Whether its body has not moved for a moment. To be asked when there is room for it on its connection.
        func isHeldUp(at now: Instant) -> Bool {
            guard let measured else { return false }
            guard let last = lastUploaded, last.bytes == measured.uploaded else {
                lastUploaded = (measured.uploaded, now)
                return false
            }
            return last.at.advanced(by: Self.patience) <= now
        }

        /// Whether libcurl ended it since the server, after the end of its response, closed the stream without an error and took no more of the request's body.
        /// The response holds (RFC 9113 section 8.1). It is the one failure of a stream for which libcurl 7.88 has no words; newer ones call it none.
        func wasAnsweredEarly(_ code: Int32) -> Bool {
            guard code == FWCURLE_HTTP2_STREAM, handle?.errorMessage == "", parser.head != nil, let measured else { return false }
            return missingBytes(measured) ?? 0 <= 0
        }

        /// How much of the response's body has not come; nil if the response does not say.
        private func missingBytes(_ measured: fwcurl_measured) -> Int64? {
            let isEmpty = parser.head.map { [204, 304].contains($0.statusCode) } ?? false
            return (isEmpty ? 0 : parser.contentLength).map { $0 - measured.downloaded }
        }

        private var measured: fwcurl_measured? {
            guard let easy = handle?.easy else { return nil }
            var measured = fwcurl_measured()
            fwcurl_measure(easy, &measured)
            return measured
        }
    }
#endif
