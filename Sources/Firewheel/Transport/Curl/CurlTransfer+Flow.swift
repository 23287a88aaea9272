#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// What stops a response and lets it go on: pauses, held heads, and a receiver that takes its time.
    extension CurlTransfer {
        /// The most bytes of chunks that may be under way to a receiver that takes its time.
        static let window = 1 << 20

        /// Whether the client wants nothing of it for now.
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
            // The clock stood still meanwhile. That of a transfer which waits has not begun.
            if stage != .waiting { lastActivity = loop.now }
            postponeEarlyLook(from: loop.now)
            postponeDiscardEnd(from: loop.now)
            if !paused, hasNews || !chunks.isEmpty { channel.noteNews(of: self) }
            applyPause()
        }

        func applyPause() {
            guard stage == .running, let handle else { return }
            // A head is taken as it comes and held here: libcurl 7.88 sorts what it holds by kind, so that the lines of several heads
            // change places.
            let receive = isStopped && parser.head != nil || isWindowFull ? Int32(FWCURLPAUSE_RECV) : 0
            let send = isPaused ? Int32(FWCURLPAUSE_SEND) : 0
            // Going on hands over what libcurl has kept, and reports here what came of it instead of ending the transfer. Without a
            // connection there is nothing to pause yet, and the callbacks see to it.
            let wasHeldBack = isHeldBack
            isHeldBack = receive != 0
            if receive == 0 { letGoOfSocket() }
            let code = fwcurl_easy_pause_state(handle.easy, receive | send)
            if receive != 0 { holdSocket() }
            if code == FWCURLE_BAD_FUNCTION_ARGUMENT { isHeldBack = wasHeldBack }
            if code != FWCURLE_OK, code != FWCURLE_BAD_FUNCTION_ARGUMENT { channel.end(self, code: code) }
        }

        /// What is to be watched of what libcurl wants to be, on a socket of this transfer's. To be called where
        /// ``CurlVersion/watchesPaused``.
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
            // The request's body may still go out.
            return what & Int32(FWCURL_POLL_OUT) != 0 ? Int32(FWCURL_POLL_OUT) : Int32(FWCURL_POLL_REMOVE)
        }

        /// Ends reading. A stream of HTTP/2 shares its socket, and is held up by its window.
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
