#if os(Linux)
    import Firewheel
    import Foundation
    import TLSTestServer

    /// A TLS server on the loopback address that passes the plaintext on to a plain server, and back: any plain test server becomes an
    /// https server.
    ///
    /// The plain server is connected to when a handshake is complete, so that it hears nothing of a client that refuses the certificate.
    final class TLSFront: Sendable {
        enum Version: Int32, Sendable, Comparable {
            case tls10 = 0x0301
            case tls11
            case tls12
            case tls13

            static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
        }

        /// How a client comes back to a session.
        enum Resumption: Sendable {
            case none
            case tickets
            /// Session IDs; with TLS 1.3, tickets that only name the session.
            case sessionIDs
        }

        enum Selection: Sendable {
            /// The first of ours that the client offers, or none.
            case offered
            /// The same, but the handshake fails with an alert if there is none.
            case required
            /// The first of ours, whatever the client offers.
            case forced
        }

        /// How a connection ends towards the client.
        enum Ending: Sendable, Equatable {
            /// close_notify and FIN.
            case closeNotify
            /// FIN without close_notify.
            case truncated
            case reset
            /// Nothing more comes, and the connection stays open.
            case stall
        }

        /// An end in the middle of what TLS sends, the handshake included.
        struct Cut: Sendable {
            /// How many bytes of the server's TLS records come before.
            var after: Int
            /// `closeNotify` is the same as `truncated` here.
            var ending: Ending
        }

        struct Options: Sendable {
            var minimumVersion = Version.tls12
            var maximumVersion = Version.tls13
            /// The ALPN list in the server's order.
            var protocols = ["http/1.1"]
            var selection = Selection.offered
            /// Other plain servers by the selected protocol.
            var ports: [String: Int] = [:]
            var resumption = Resumption.tickets
            /// How many tickets follow a handshake of TLS 1.3; nil for OpenSSL's own choice.
            var ticketCount: Int?
            /// How many bytes of the server's own are in a ticket. A record has no room for 16 KiB of them.
            var ticketDataSize = 0
            /// 80 bytes that let several fronts take each other's tickets.
            var ticketKey: [UInt8]?
            /// With any, a client has to show a certificate that one of them has signed.
            var clientAuthorities: [TestCertificate] = []
            /// An OCSP response for clients that ask for one.
            var status: Data?
            /// What follows the plain server's end.
            var ending = Ending.closeNotify
            var cut: Cut?
            /// The most bytes that are sent at a time.
            var pieceSize: Int?
            /// The size of the system's send buffer.
            var sendBuffer: Int32?
            /// Asks for new keys whenever so many bytes have been passed on to the client (TLS 1.3).
            var keyUpdateInterval: Int?
            /// Asks for another handshake when the first bytes of the client have come (TLS 1.2).
            var renegotiates = false
            /// Listens on ::1 instead of 127.0.0.1.
            var isIPv6 = false
            /// Whether ``TLSFront/handshakes`` has them, which takes memory for each connection.
            var recordsHandshakes = true

            init() {}

            static func with(_ change: (inout Options) -> Void) -> Options {
                var options = Options()
                change(&options)
                return options
            }
        }

        private let listener: FrontListener
        private let log: Locked<[Handshake]>?

        /// - Parameter port: The plain server's, on 127.0.0.1.
        convenience init(to port: Int, identity: TestIdentity, options: Options = Options()) throws {
            try self.init(to: port, context: TLSFrontContext(identity, options), options: options)
        }

        private init(to port: Int, context: TLSFrontContext, options: Options) throws {
            let log = options.recordsHandshakes ? Locked<[Handshake]>([]) : nil
            self.log = log
            listener = try FrontListener(name: "mock-tls", isIPv6: options.isIPv6) { arrival in
                let number = log?.withLock { log in
                    log.append(Handshake())
                    return log.count - 1
                }
                let change: (_ change: (inout Handshake) -> Void) -> Void = { change in
                    if let number { log?.withLock { change(&$0[number]) } }
                }
                TLSFrontConnection(arrival, port, context, options, change)?.run()
                change { $0.isOpen = false }
            }
        }

        var port: Int { listener.port }

        /// "https" and 127.0.0.1, or ::1.
        func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "https://\(host):\(port)\(path)" }

        /// One of each connection, in the order in which they came.
        var handshakes: [Handshake] { log?.withLock { $0 } ?? [] }

        /// Ends all connections, with a reset, and returns when all threads have ended.
        func stop() { listener.stop() }
    }

    /// What all connections share.
    final class TLSFrontContext: @unchecked Sendable {
        // Sound because OpenSSL lets several threads make connections of one context, and it is not changed after it is made.
        fileprivate let handle: OpaquePointer

        init(_ identity: TestIdentity, _ options: TLSFront.Options) throws {
            let protocols = options.protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
            var settings = tlstest_settings()
            settings.minimum_version = options.minimumVersion.rawValue
            settings.maximum_version = options.maximumVersion.rawValue
            settings.forces_protocol = options.selection == .forced
            settings.requires_protocol = options.selection == .required
            settings.has_tickets = options.resumption == .tickets
            settings.ticket_count = options.ticketCount ?? 0
            settings.ticket_data_size = options.ticketDataSize
            settings.has_session_cache = options.resumption == .sessionIDs
            guard options.ticketKey.map({ $0.count == Int(TLSTEST_TICKET_KEY_SIZE) }) ?? true else {
                throw MockServerError.tls(reason: "a ticket key has 80 bytes")
            }
            var reason = [CChar](repeating: 0, count: Int(TLSTEST_ERROR_SIZE))
            let status = Array(options.status ?? Data())
            let handle = protocols.withUnsafeBufferPointer { protocols in
                (options.ticketKey ?? []).withUnsafeBufferPointer { ticketKey in
                    TestCertificate.withHandles(identity.chain) { chain, count in
                        TestCertificate.withHandles(options.clientAuthorities) { authorities, authorityCount in
                            identity.leaf.key.withHandle { key in
                                settings.protocols = protocols.baseAddress
                                settings.protocols_size = protocols.count
                                if options.ticketKey != nil { settings.ticket_key = ticketKey.baseAddress }
                                return status.withUnsafeBufferPointer { status in
                                    (settings.status, settings.status_size) = (status.baseAddress, status.count)
                                    return tlstest_context_make(&settings, chain, count, key, authorities, authorityCount, &reason)
                                }
                            }
                        }
                    }
                }
            }
            guard let handle else { throw MockServerError.tls(reason: "OpenSSL cannot make a server: \(reason.text)") }
            self.handle = handle
        }

        deinit { tlstest_context_free(handle) }

        func makeStream() -> OpaquePointer? { tlstest_stream_make(handle) }
    }
#endif
