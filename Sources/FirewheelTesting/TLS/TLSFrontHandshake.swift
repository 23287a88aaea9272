#if os(Linux)
    import TLSTestServer

    extension TLSFront {
        /// What is known of a connection by now.
        struct Handshake: Sendable {
            enum ClientEnd: Sendable {
                case closeNotify
                case truncated
                case reset
            }

            /// Whether the client has finished it too.
            var isComplete = false
            /// "TLSv1.3", for instance; empty before it is complete, as the next two are.
            var version = ""
            var isResumed = false
            /// Whether the client's first message offers a session.
            var offersSession = false
            var protocolName = ""
            var offeredProtocols: [String] = []
            /// SNI.
            var serverName: String?
            /// The client's bytes, without TLS's own.
            var applicationBytes = 0
            /// The records that they came in, for those below 16 KiB.
            var applicationRecords = 0
            /// The subject of the client's certificate.
            var clientSubject: String?
            /// OpenSSL's reason for a failure, which names the client's alert.
            var error: String?
            var clientEnd: ClientEnd?
            var isOpen = true
        }
    }

    extension TLSFront.Handshake {
        /// Takes in what a stream knows.
        mutating func note(_ stream: OpaquePointer, isComplete: Bool) {
            self.isComplete = isComplete
            serverName = Self.text(tlstest_stream_server_name(stream))
            error = Self.text(tlstest_stream_error(stream))
            var size = 0
            let offered = tlstest_stream_offered(stream, &size)
            offersSession = tlstest_stream_offers_session(stream)
            offeredProtocols = Self.names(UnsafeBufferPointer(start: offered, count: size))
            guard isComplete else { return }
            version = String(cString: tlstest_stream_version(stream))
            isResumed = tlstest_stream_is_resumed(stream)
            protocolName = String(cString: tlstest_stream_protocol(stream))
            clientSubject = Self.text(tlstest_stream_client_subject(stream))
        }

        private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
            pointer.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// The names of an ALPN list, each behind its length.
        private static func names(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
            var names: [String] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + 1 + Int(bytes[start]))
                names.append(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
                start = end
            }
            return names
        }
    }
#endif
