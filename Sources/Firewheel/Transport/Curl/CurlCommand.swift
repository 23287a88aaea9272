#if os(Linux)
    /// A command to the loop.
    enum CurlCommand: Sendable {
        case start(CurlChannelReference, TransportRequest, any TransportReceiver)
        case cancel(CurlChannelReference, TransportTaskID)
        case pause(CurlChannelReference, TransportTaskID)
        case resume(CurlChannelReference, TransportTaskID)
        case proceed(CurlChannelReference, TransportTaskID, TransportRequest.HeldBody)
        case acknowledge(CurlChannelReference, TransportTaskID, bytes: Int)
        case resolved(CurlChannelReference, host: String, answer: NameResolver.Answer)
        case closeIdleConnections(CurlChannelReference)
        case close(CurlChannelReference)
        /// For tests: inspects state that only the loop may access.
        case inspect(@Sendable () -> Void)
    }

    /// Carries a channel to the loop's thread.
    struct CurlChannelReference: @unchecked Sendable {
        // Any thread may hold the reference, but only the loop's thread takes commands from the inbox and uses the channel. The last
        // reference may be released elsewhere, by a slow lookup: by then `close()` has emptied the channel on the loop.
        let channel: CurlChannel

        init(_ channel: CurlChannel) {
            self.channel = channel
        }
    }
#endif
