#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Responses that are whole before their requests have gone out, over HTTP/2. They hold, whatever becomes of the request's body (RFC
    /// 9113 section 8.1).
    ///
    /// libcurl 7.88 reads no more of such a stream, window updates (RFC 9113 section 6.9) neither: when the window is full the body never
    /// goes on, however long the client and the server wait for each other.
    extension CurlTransfer {
        /// Seconds in which a body goes on if it can.
        private static let patience: TimeInterval = 1
        /// Newer ones hear of them, or have not been looked at: there the idle timeout decides, and no body is cut that would have gone on.
        private static let canBeHeldUp = CurlVersion.number < 0x080000

        /// To be called when something of the response has come.
        func noteEarlyAnswer(at now: MonotonicInstant) {
            guard Self.canBeHeldUp, earlyAnswer == nil, let size = requestBody?.count, size > 0 else { return }
            guard parser.head?.httpVersion == "HTTP/2", let measured, measured.uploaded < size, isWhole(measured) else { return }
            earlyAnswer = (measured.uploaded, now.advanced(by: Self.patience))
            channel.noteAnsweredEarly(self)
        }

        /// When to look next; never while something on this side holds its body up.
        var nextEarlyLook: MonotonicInstant? { isStopped || isWindowFull ? nil : earlyAnswer?.nextLook }

        /// After a pause it has its time again.
        func postponeEarlyLook(from now: MonotonicInstant) {
            earlyAnswer?.nextLook = now.advanced(by: Self.patience)
        }

        /// Looks whether its body has not moved since the last look, though nothing on this side holds it up.
        ///
        /// - Parameter hasRoom: Whether its connection takes more.
        func lookWhetherHeldUp(at now: MonotonicInstant, hasRoom: @autoclosure () -> Bool) -> Bool {
            guard let last = earlyAnswer, last.nextLook <= now, !hasEnded, let measured else { return false }
            earlyAnswer = (measured.uploaded, now.advanced(by: Self.patience))
            return measured.uploaded == last.uploaded && !isStopped && !isWindowFull && !isHeldBack && hasRoom()
        }

        /// Whether libcurl ended it since the server, after the end of its response, closed the stream without an error and took no more of
        /// the request's body. It is the one failure of a stream for which libcurl 7.88 has no words. Without a length it cannot be told
        /// whether libcurl has dropped the end of the response.
        func wasAnsweredEarly(_ code: Int32) -> Bool {
            guard code == FWCURLE_HTTP2_STREAM, handle?.errorMessage == "", !isHeldBack, let measured else { return false }
            return isWhole(measured)
        }

        /// Whether all of the response that it announces has come.
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
