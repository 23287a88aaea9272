#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Responses over HTTP/2 that are complete before their requests were sent. They are valid, whatever becomes of the request's body (RFC
    /// 9113 section 8.1).
    ///
    /// libcurl 7.88 reads nothing more from such a stream, not even window updates (RFC 9113 section 6.9): once the window is full, the
    /// request's body is stuck.
    extension CurlTransfer {
        /// The seconds within which a body that can proceed does so.
        private static let patience: TimeInterval = 1
        /// Later releases handle these responses, or are unverified: there the idle timeout decides, and no body is cut off that could
        /// proceed.
        private static let canBeHeldUp = CurlVersion.number < 0x080000

        /// Called when part of the response has arrived.
        func noteEarlyAnswer(at now: MonotonicInstant) {
            guard Self.canBeHeldUp, earlyAnswer == nil, let size = requestBody?.count, size > 0 else { return }
            guard parser.head?.httpVersion == "HTTP/2", let measured, measured.uploaded < size, isWhole(measured) else { return }
            earlyAnswer = (measured.uploaded, now.advanced(by: Self.patience))
            channel.noteAnsweredEarly(self)
        }

        /// When to check next; nil while this side holds the body up.
        var nextEarlyLook: MonotonicInstant? { isStopped || isWindowFull ? nil : earlyAnswer?.nextLook }

        /// Restarts the check's interval after a pause.
        func postponeEarlyLook(from now: MonotonicInstant) {
            earlyAnswer?.nextLook = now.advanced(by: Self.patience)
        }

        /// Whether the request's body has not progressed since the last check, although nothing on this side holds it up.
        ///
        /// - Parameter hasRoom: Whether its connection can accept more bytes.
        func lookWhetherHeldUp(at now: MonotonicInstant, hasRoom: @autoclosure () -> Bool) -> Bool {
            guard let last = earlyAnswer, last.nextLook <= now, !hasEnded, let measured else { return false }
            earlyAnswer = (measured.uploaded, now.advanced(by: Self.patience))
            return measured.uploaded == last.uploaded && !isStopped && !isWindowFull && !isHeldBack && hasRoom()
        }

        /// Whether libcurl failed a transfer because the server ended its response, then closed the stream without an error and without
        /// reading the rest of the request's body. It is the only stream failure for which libcurl 7.88 has no message. Without a content
        /// length it is unknown whether the response is complete.
        func wasAnsweredEarly(_ code: Int32) -> Bool {
            guard code == FWCURLE_HTTP2_STREAM, handle?.errorMessage == "", !isHeldBack, let measured else { return false }
            return isWhole(measured)
        }

        /// Whether the response has reached its declared length.
        private func isWhole(_ measured: fwcurl_measured) -> Bool {
            guard let head = parser.head else { return false }
            if [204, 304].contains(head.statusCode) { return true }
            return parser.contentLength.map { $0 <= measured.downloaded } ?? false
        }

        private var measured: fwcurl_measured? {
            guard let easy = handle?.easy else { return nil }
            var measured = fwcurl_measured()
            fwcurl_measure(easy, &measured)
            return measured
        }
    }
#endif
