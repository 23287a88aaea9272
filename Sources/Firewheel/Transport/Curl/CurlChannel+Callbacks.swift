#if os(Linux)
    import CFirewheelCurl
    import Foundation

    // MARK: - Callbacks, all on the loop's thread

    extension CurlChannel {
        /// Registers this channel's socket and timer callbacks with libcurl.
        func setCallbacks(of multi: UnsafeMutableRawPointer) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = fwcurl_multi_set_socket_callback(multi, onSocket, context)
            _ = fwcurl_multi_set_timer_callback(multi, onTimer, context)
        }

        fileprivate func socketChanged(_ descriptor: Int32, what: Int32, easy: UnsafeMutableRawPointer?) {
            if what == FWCURL_POLL_REMOVE, let easy { unwatched.append(easy) }
            var what = what
            if CurlVersion.watchesPaused, let easy, let transfer = CurlHandle.transfer(of: easy) {
                what = transfer.watches(descriptor, what)
            }
            loop.watch(descriptor, what: what, for: self)
        }

        /// Handles that libcurl has ended a transfer. If libcurl did not stop watching a socket for it, it never watched one, because the
        /// response arrived at once.
        func noteIdle(after easy: UnsafeMutableRawPointer) {
            if !unwatched.contains(easy) { loop.noteIdle(fwcurl_active_socket(easy)) }
        }

        fileprivate func timerChanged(_ milliseconds: Int) {
            timer = milliseconds < 0 ? nil : loop.now.advanced(by: TimeInterval(milliseconds) / 1000)
        }
    }

    private func channel(_ context: UnsafeMutableRawPointer?) -> CurlChannel? {
        context.map { Unmanaged<CurlChannel>.fromOpaque($0).takeUnretainedValue() }
    }

    private let onSocket: fwcurl_socket_callback = { easy, descriptor, what, context, _ in
        channel(context)?.socketChanged(descriptor, what: what, easy: easy)
        return 0
    }

    private let onTimer: fwcurl_timer_callback = { _, milliseconds, context in
        channel(context)?.timerChanged(milliseconds)
        return 0
    }
#endif
