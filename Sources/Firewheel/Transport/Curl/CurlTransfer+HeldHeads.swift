#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// Heads held for the client's decision, and bodies that it then discards (``TransportRequest/heldHeads``).
    ///
    /// While a head is held, the first bytes of its body are refused (`takeBody`), after which libcurl stops reading, and a result is kept
    /// (`heldEnd`).
    extension CurlTransfer {
        enum Hold {
            /// The head is not held, or the client wants the body.
            case none
            /// The head is held for the client's decision.
            case head
            /// The body is discarded. Its end is awaited until this instant, to keep the connection usable.
            case discarding(until: MonotonicInstant)
        }

        /// The most seconds to wait for the end of a discarded body: OkHttp's `DISCARD_STREAM_TIMEOUT_MILLIS`.
        private static let discardPatience: TimeInterval = 0.1
        /// The most bytes of a discarded body to read: beyond that a new connection costs less.
        private static let mostDiscarded = 64 << 10

        var isHeadHeld: Bool { if case .head = hold { true } else { false } }
        var isDiscarding: Bool { if case .discarding = hold { true } else { false } }

        /// Whether the client was asked and has not decided yet.
        var awaitsDecision: Bool { isHeadHeld && !hasNews }

        /// Handles the decision to deliver the body.
        func deliverHeld() {
            hold = .none
            lastActivity = loop.now
            postponeEarlyLook(from: loop.now)
            applyPause()
        }

        /// Handles the decision to discard the body.
        ///
        /// - Returns: False if the rest of the body is too long to read.
        func discardHeld() -> Bool {
            // A failure in the body no longer matters.
            failure = nil
            hold = .discarding(until: loop.now.advanced(by: Self.discardPatience))
            if !isDone, !isPaused, request.method != .head, let length = parser.contentLength, length > Self.mostDiscarded { return false }
            applyPause()
            return true
        }

        /// Discards received bytes.
        func discard(_ count: Int) -> Int {
            decodedBytes += count
            return decodedBytes <= Self.mostDiscarded ? count : stop(nil)
        }

        /// When to stop waiting for the end of a discarded body; nil while paused, or if the body is wanted.
        var discardEnd: MonotonicInstant? {
            if case .discarding(let end) = hold, !isPaused { end } else { nil }
        }

        /// Restarts the wait after a pause.
        func postponeDiscardEnd(from now: MonotonicInstant) {
            if isDiscarding { hold = .discarding(until: now.advanced(by: Self.discardPatience)) }
        }
    }
#endif
