#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Heads that wait for the client to decide, and bodies that it then does not want (``TransportRequest/heldHeads``).
    ///
    /// While a head is held, the first bytes of its body are refused (`takeBody`), after which libcurl reads no more, and an end is kept
    /// (`heldEnd`).
    extension CurlTransfer {
        enum Hold {
            /// The client is not asked, or wants the body.
            case none
            /// The head waits for the client.
            case head
            /// Nobody wants the body. Until then it is waited for, for the connection's sake.
            case discarding(until: MonotonicInstant)
        }

        /// Seconds for which a body that nobody wants may hold up the end: OkHttp's `DISCARD_STREAM_TIMEOUT_MILLIS`.
        private static let discardPatience: TimeInterval = 0.1
        /// The most bytes of a body that are read for the connection's sake: a new connection costs less than more.
        private static let mostDiscarded = 64 << 10

        var isHeadHeld: Bool { if case .head = hold { true } else { false } }
        var isDiscarding: Bool { if case .discarding = hold { true } else { false } }

        /// Whether the client has been asked and has not answered.
        var awaitsDecision: Bool { isHeadHeld && !hasNews }

        /// The client wants the body.
        func deliverHeld() {
            hold = .none
            lastActivity = loop.now
            postponeEarlyLook(from: loop.now)
            applyPause()
        }

        /// The client does not want the body.
        ///
        /// - Returns: False if its end is not worth waiting for.
        func discardHeld() -> Bool {
            // What was wrong with the body so far is of no interest any more.
            failure = nil
            hold = .discarding(until: loop.now.advanced(by: Self.discardPatience))
            if !isDone, !isPaused, request.method != .head, let length = parser.contentLength, length > Self.mostDiscarded { return false }
            applyPause()
            return true
        }

        /// Takes bytes that nobody wants.
        func discard(_ count: Int) -> Int {
            decodedBytes += count
            return decodedBytes <= Self.mostDiscarded ? count : stop(nil)
        }

        /// When it is to end though its body has not; nil while it is paused, and if its body is wanted.
        var discardEnd: MonotonicInstant? {
            if case .discarding(let end) = hold, !isPaused { end } else { nil }
        }

        /// After a pause it has its time again.
        func postponeDiscardEnd(from now: MonotonicInstant) {
            if isDiscarding { hold = .discarding(until: now.advanced(by: Self.discardPatience)) }
        }
    }
#endif
