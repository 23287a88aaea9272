#if os(Linux)
    import Foundation
    import TLSTestServer

    @testable import Firewheel
    @testable import FirewheelTesting

    /// An HTTP/2 server on the loopback address that passes each stream on to a plain server as an exchange of HTTP/1.1, on a connection
    /// of its own: any plain test server becomes an HTTP/2 server, over TLS or with prior knowledge.
    ///
    /// A response that is cut short becomes RST_STREAM(INTERNAL_ERROR), or the end of the connection. One that ends before the request's body does is followed by
    /// RST_STREAM(NO_ERROR) (RFC 9113 section 8.1). Each side reads no faster than the other takes.
    final class HTTP2Front: Sendable {
        struct Options: Sendable {
            /// SETTINGS_MAX_CONCURRENT_STREAMS.
            var maximumStreams: UInt32 = 100
            /// SETTINGS_INITIAL_WINDOW_SIZE: how much of each request's body the client may send ahead.
            var window: UInt32 = 65_535
            /// Sends GOAWAY when so many streams have begun; those are answered.
            var goesAwayAfter: Int?
            /// Ends the connection instead of the stream when a response is cut short.
            var losesConnections = false
            /// Of the front over TLS. Its protocols are replaced by h2, and HTTP/1.1 if `offersHTTP1`.
            var tls = TLSFront.Options()
            var offersHTTP1 = false

            init() {}

            static func with(_ change: (inout Options) -> Void) -> Options {
                var options = Options()
                change(&options)
                return options
            }
        }

        /// What is known of a connection by now.
        struct Visit: Sendable {
            /// How many streams have begun.
            var streams = 0
            /// How many of them are open, and the most that were at a time.
            var open = 0
            var mostOpen = 0
            /// The codes of streams that were reset, by either side.
            var resets: [UInt32] = []
            var isOpen = true
        }

        private let listener: FrontListener
        private let log: Locked<[Visit]>
        /// In front of the listener, if there is TLS.
        let tls: TLSFront?

        /// - Parameters:
        ///   - port: The plain server's, on 127.0.0.1.
        ///   - identity: nil for prior knowledge, without TLS.
        init(to port: Int, identity: TestIdentity? = nil, options: Options = Options()) throws {
            if let reason = http2test_unavailable() { throw MockServerError.tls(reason: String(cString: reason)) }
            let log = Locked<[Visit]>([])
            self.log = log
            let listener = try FrontListener(name: "mock-http2") { arrival in
                let number = log.withLock { log in
                    log.append(Visit())
                    return log.count - 1
                }
                let change: (_ change: (inout Visit) -> Void) -> Void = { change in log.withLock { change(&$0[number]) } }
                HTTP2FrontConnection(arrival, port, options, change).run()
                change { $0.isOpen = false }
            }
            self.listener = listener
            guard let identity else {
                tls = nil
                return
            }
            var tlsOptions = options.tls
            tlsOptions.protocols = options.offersHTTP1 ? ["h2", "http/1.1"] : ["h2"]
            tlsOptions.ports["h2"] = listener.port
            tls = try TLSFront(to: port, identity: identity, options: tlsOptions)
        }

        deinit { stop() }

        var port: Int { tls?.port ?? listener.port }

        func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "\(tls == nil ? "http" : "https")://\(host):\(port)\(path)" }

        /// One of each connection that has spoken HTTP/2, in the order in which they came.
        var visits: [Visit] { log.withLock { $0 } }

        /// Ends all connections and returns when all threads have ended.
        func stop() {
            tls?.stop()
            listener.stop()
        }
    }

    extension TLSTesting {
        static let http2Reason: String? = reason ?? http2test_unavailable().map { String(cString: $0) }
    }
#endif
