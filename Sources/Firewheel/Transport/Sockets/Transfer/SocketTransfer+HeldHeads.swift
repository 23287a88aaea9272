#if os(Linux)
    import Foundation

    /// Heads held for the client's decision, and bodies that it then discards (``TransportRequest/heldHeads``).
    extension SocketTransfer {
        enum Hold {
            /// The head is not held, or the client wants the body.
            case none
            /// The head is held for the client's decision.
            case head
            /// The body is discarded. Its end is awaited until this instant, to keep the connection usable.
            case discarding(until: MonotonicInstant)
        }

        /// The most seconds to wait for the end of a discarded body: OkHttp's `DISCARD_STREAM_TIMEOUT_MILLIS`.
        static let discardPatience: TimeInterval = 0.1
        /// The most bytes of a discarded body to read: beyond that a new connection costs less.
        private static let mostDiscarded = 64 << 10

        var isHeadHeld: Bool { if case .head = hold { true } else { false } }
        var isDiscarding: Bool { if case .discarding = hold { true } else { false } }

        func proceed(_ decision: TransportRequest.HeldBody) {
            guard isHeadHeld, isHeadReported, let exchange else { return }
            restartClocks()
            switch decision {
            case .deliver: hold = .none
            case .discard:
                hold = .discarding(until: loop.now.advanced(by: Self.discardPatience))
                if !isPaused, exchange.expectedBody > Self.mostDiscarded { return finish(error: nil, closing: true) }
            }
            exchange.flowHasChanged()
            setTimer()
        }

        /// Handles bytes that nobody wants.
        func discard(_ count: Int) {
            measured.decodedBytes += count
            if measured.decodedBytes > Self.mostDiscarded { finish(error: nil, closing: true) }
        }

        /// When to stop waiting for the end of a discarded body; nil while paused, or if the body is wanted.
        var discardEnd: MonotonicInstant? {
            if case .discarding(let end) = hold, !isPaused { end } else { nil }
        }
    }
#endif
