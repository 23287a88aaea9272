#if os(Linux)
    /// One request and its response on a connection, as their transfer sees them. Over HTTP/1.1 that is the connection itself.
    protocol Exchange: AnyObject {
        var wire: Wire { get }
        /// The number of sent bytes of the request that the server has not acknowledged.
        var bytesHeldByKernel: Int { get }
        /// The size of the response's head; over HTTP/2 as lines of HTTP/1.
        var headBytesReceived: Int { get }
        /// The declared length of the response's body; 0 if there is none.
        var expectedBody: Int64 { get }
        /// Whether only the rest of the request is missing.
        var isResponseWhole: Bool { get }
        /// When ``look()`` is to be called; nil for never.
        var nextLook: MonotonicInstant? { get }
        /// The timer that serves the transfer too, because the connection needs none meanwhile; nil if there is none.
        var sharedTimer: LoopTimer? { get }

        /// Sends the request, and has its transfer told of what comes back.
        func begin(_ transfer: SocketTransfer)
        /// Handles that the transfer wants more or less than before.
        func flowHasChanged()
        /// Handles an answer of the body's source.
        ///
        /// - Parameter ask: The number of the piece that was asked for, from 1.
        func received(_ piece: BodyPiece, for ask: Int)
        /// Looks whether the server has agreed, or the rest of a body goes on.
        func look()
        /// Ends an exchange whose response is whole, while its request is not.
        func endEarly(_ transfer: SocketTransfer)
        /// Ends the exchange at once. The transfer is told nothing more.
        func close()
    }

    /// An open connection of a pool.
    protocol PooledConnection: AnyObject {
        var lane: ConnectionPool.Queue.Lane { get }
        /// Whether it serves no request.
        var isIdle: Bool { get }
        /// Since when, if it is idle.
        var idleSince: MonotonicInstant { get }
        func close()
    }
#endif
