#if os(Linux)
    import Testing

    @testable import FirewheelTesting

    extension Trait where Self == ConditionTrait {
        /// Skips with a message where the system has no OpenSSL 3.
        static var needsTLSServer: Self {
            .enabled(if: TLSTesting.isAvailable, "no TLS server in this process: \(TLSTesting.reason ?? "")")
        }

        /// Skips with a message where the system has no OpenSSL 3 or no nghttp2.
        static var needsHTTP2Server: Self {
            .enabled(if: TLSTesting.http2Reason == nil, "no HTTP/2 server in this process: \(TLSTesting.http2Reason ?? "")")
        }
    }
#endif
