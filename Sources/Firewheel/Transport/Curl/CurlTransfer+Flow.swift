#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Flow control of a response: pauses, held heads and back-pressure.
    extension CurlTransfer {
        /// The most chunk bytes that may be unacknowledged.
        static let window = 1 << 20

        /// Whether the client wants no data for now.
        var isStopped: Bool { isPaused || isHeadHeld }

        func acknowledge(_ bytes: Int) {
            outstanding = max(0, outstanding - max(0, bytes))
            guard isWindowFull, outstanding <= Self.window / 2 else { return }
            isWindowFull = false
            lastActivity = loop.now
            postponeEarlyLook(from: loop.now)
            applyPause()
        }

        func setPaused(_ paused: Bool) {
            guard paused != isPaused else { return }
            isPaused = paused
            // The idle timeout was suspended during the pause. That of a waiting transfer has not begun.
            if stage != .waiting { lastActivity = loop.now }
            postponeEarlyLook(from: loop.now)
            postponeDiscardEnd(from: loop.now)
            if !paused, hasNews || !chunks.isEmpty { channel.noteNews(of: self) }
            applyPause()
        }

        func applyPause() {
            guard stage == .running, let handle else { return }
            // A head is read as it arrives and held here: libcurl 7.88 stores paused data by kind, which reorders the lines of several
            // heads.
            let receive = isStopped && parser.head != nil || isWindowFull ? Int32(FWCURLPAUSE_RECV) : 0
            let send = isPaused ? Int32(FWCURLPAUSE_SEND) : 0
            // Resuming delivers the data that libcurl has stored, and reports failures here instead of ending the transfer. Without a
            // connection there is nothing to pause yet; the callbacks handle it.
            let wasHeldBack = isHeldBack
            isHeldBack = receive != 0
            if receive == 0 { letGoOfSocket() }
            let code = fwcurl_easy_pause_state(handle.easy, receive | send)
            if receive != 0 { holdSocket() }
            if code == FWCURLE_BAD_FUNCTION_ARGUMENT { isHeldBack = wasHeldBack }
            if code != FWCURLE_OK, code != FWCURLE_BAD_FUNCTION_ARGUMENT { channel.end(self, code: code) }
        }

        /// The events to watch on this transfer's socket, given what libcurl wants. Only for releases with ``CurlVersion/watchesPaused``.
        func watches(_ descriptor: Int32, _ what: Int32) -> Int32 {
            if what == FWCURL_POLL_REMOVE {
                if watched?.descriptor == descriptor { watched = nil }
                return what
            }
            watched = (descriptor, what)
            return allowed(what)
        }

        private func allowed(_ what: Int32) -> Int32 {
            guard isSocketHeld else { return what }
            // The request's body may still be sent.
            return what & Int32(FWCURL_POLL_OUT) != 0 ? Int32(FWCURL_POLL_OUT) : Int32(FWCURL_POLL_REMOVE)
        }

        /// Stops reading from the socket. An HTTP/2 stream shares its socket and is stopped by flow control instead.
        func holdSocket() {
            guard CurlVersion.watchesPaused, !isSocketHeld, parser.head?.httpVersion != "HTTP/2" else { return }
            isSocketHeld = true
            if let watched { channel.loop.watch(watched.descriptor, what: allowed(watched.what), for: channel) }
        }

        private func letGoOfSocket() {
            guard isSocketHeld else { return }
            isSocketHeld = false
            if let watched { channel.loop.watch(watched.descriptor, what: watched.what, for: channel) }
        }
    }
#endif
