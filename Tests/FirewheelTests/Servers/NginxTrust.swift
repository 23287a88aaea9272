#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// The trust servers of `Tests/Servers/nginx.sh`, one for each way in which a server can be right or wrong, and clients of all kinds.
    struct NginxTrust {
        struct Server: Sendable, CustomTestStringConvertible {
            let name: String
            var host = "localhost"
            /// The certificate of the authority that has signed the server's.
            var issuer = "trust-intermediate.pem"
            var certificate: String?

            var testDescription: String { name }
            var leaf: String { "trust-\(certificate ?? name)-leaf.pem" }
        }

        /// In the order of their ports.
        static let servers = [
            Server(name: "right"), Server(name: "expired"), Server(name: "not-yet-valid"),
            Server(name: "self-signed", issuer: "trust-self-signed-leaf.pem"), Server(name: "wrong-host"),
            Server(name: "unknown-authority", issuer: "trust-other.pem"), Server(name: "revoked"), Server(name: "intermediate-missing"),
            Server(name: "TLS 1.2 only", certificate: "right"), Server(name: "TLS 1.3 only", certificate: "right"),
            Server(name: "client certificate required", certificate: "right"), Server(name: "unrelated-appended"),
            // Names that begin with "fake-" lead to 127.0.0.1 in this process.
            Server(name: "address", host: "127.0.0.1"), Server(name: "wildcard", host: "fake-a.trust.test"),
            Server(name: "three-intermediates", issuer: "trust-third.pem"), Server(name: "constrained", issuer: "trust-constraining.pem"),
        ]

        /// A client, and the letters of its outcomes with each server, in the order of ``servers``.
        struct Client: Sendable {
            let name: String
            let outcomes: [Character]
            /// The evaluator for the server's host; nil for a session without a manager.
            let evaluator: @Sendable (Known) throws -> (any ServerTrustEvaluating)?
            /// How the session's configuration differs from the default.
            private(set) var change: @Sendable (inout SessionConfiguration, NginxTrust) throws -> Void = { _, _ in }

            init(
                _ name: String, _ outcomes: String, _ evaluator: @escaping @Sendable (Known) throws -> (any ServerTrustEvaluating)?
            ) {
                (self.name, self.outcomes, self.evaluator) = (name, Array(outcomes), evaluator)
            }

            func with(_ change: @escaping @Sendable (inout SessionConfiguration, NginxTrust) throws -> Void) -> Client {
                var client = self
                client.change = change
                return client
            }
        }

        /// What a client knows of a server.
        struct Known {
            let leaf: Certificate
            let issuer: Certificate
            /// The certificate that has nothing to do with the servers, except the one that appends it.
            let unrelated: Certificate
        }

        /// `.` the request is answered, `4` with status 400 because there is no client certificate. Otherwise the server is refused: `T` by
        /// a `transportFailed`, or by a `serverTrustEvaluationFailed` about the default validation (`D`), the host (`H`), a key (`K`) or by
        /// the user's evaluator (`U`); or the evaluator is timed out (`t`).
        static let clients: [Client] = [
            Client("default", ".TTTTT.T..4....T") { _ in nil },
            Client("leaf key", ".DDDHD.D..4....D") { try PublicKeysTrustEvaluator(pins: [$0.leaf.publicKeyPin]) },
            Client("intermediate key", ".DDDHD.D..4....D") { try PublicKeysTrustEvaluator(pins: [$0.issuer.publicKeyPin]) },
            Client("unrelated key", "KDDDHDKDKKKKKKKD") { try PublicKeysTrustEvaluator(pins: [$0.unrelated.publicKeyPin]) },
            Client("certificate", ".DDDHD.D..4....D") { PinnedCertificatesTrustEvaluator(certificates: [$0.leaf]) },
            Client("backup pin", ".DDDHD.D..4....D") {
                try PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin, $0.leaf.publicKeyPin])
            },
            Client("own authority only", ".TTTTT.T..4....T") { _ in nil }
                .with { $0.tls.authorities = .only([try $1.certificate("trust-ca.pem")]) },
            Client("lists", ".TTTTTTT..4....T") { _ in nil }.with { $0.tls.revocationLists = [try $1.file("trust-lists.pem")] },
            Client("client certificate", ".TTTTT.T.......T") { _ in nil }
                .with { configuration, _ in
                    let (certificates, key) = (
                        try TestServer.file("FIREWHEEL_CLIENT_CERTIFICATE"), try TestServer.file("FIREWHEEL_CLIENT_KEY")
                    )
                    configuration.tls.identities = ["localhost": try ClientIdentity(certificates: certificates, key: key)]
                },
            Client("disabled", "..........4.....") { _ in DisabledTrustEvaluator() },
            Client("own that accepts", ".DDDHD.D..4....D") { _ in OwnEvaluator { _ in } },
            Client("own that refuses", "UDDDHDUDUUUUUUUD") { _ in
                OwnEvaluator { trust in
                    throw FirewheelError(.serverTrustEvaluationFailed(.customEvaluationFailed), detail: "\(trust.host) is not known")
                }
            },
            Client("own that throws", "UDDDHDUDUUUUUUUD") { _ in OwnEvaluator { _ in throw OwnRefusal() } },
        ]

        /// An evaluator that never returns, for which each client waits.
        static let waiting = Client("own that never returns", "tDDDHDtDtttttttD") { _ in
            OwnEvaluator { _ in try await Task.sleep(for: .seconds(3600)) }
        }
        .with { configuration, _ in configuration.connectTimeout = 10 }

        private let folder: URL
        private let log: URL
        private let firstPort: Int
        let httpVersions: HTTPVersions

        /// - Throws: If the servers are not running.
        init(_ httpVersions: HTTPVersions) throws {
            folder = try TestServer.place("FIREWHEEL_TRUST_CERTIFICATES")
            log = try TestServer.place("FIREWHEEL_TRUST_LOG")
            firstPort = try #require(URL(string: try TestServer.trust.url(""))?.port)
            self.httpVersions = httpVersions
        }

        func place(_ name: String) -> URL { folder.appendingPathComponent(name) }
        func file(_ name: String) throws -> Data { try Data(contentsOf: place(name)) }
        func certificate(_ name: String) throws -> Certificate { try Certificate.all(inPEMFile: place(name))[0] }

        func known(_ server: Server) throws -> Known {
            Known(
                leaf: try certificate(server.leaf), issuer: try certificate(server.issuer), unrelated: try certificate("trust-other.pem"))
        }

        func port(_ index: Int) -> Int { firstPort + index }

        /// - Parameter mark: By which the server's log names the request.
        func url(_ index: Int, _ mark: String) -> String {
            "https://\(Self.servers[index].host):\(port(index))/echo-method?\(mark)"
        }

        /// A transport whose system's store is the servers' root.
        func transport() -> SocketTransport {
            SocketTransport(
                configuration: .with { $0.httpVersions = httpVersions }, places: TLSStorePlaces(file: place("trust-ca.pem").path))
        }

        func session(_ client: Client, of index: Int, _ transport: SocketTransport? = nil) throws -> Session {
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 60
            try client.change(&configuration, self)
            let server = Self.servers[index]
            let manager = try client.evaluator(known(server)).map { ServerTrustManager(evaluators: [server.host: $0]) }
            return Session(configuration: configuration, transport: transport ?? self.transport(), serverTrustManager: manager)
        }

        /// The letter of a response.
        static func letter(_ response: DataResponse<Data?>) -> Character {
            switch (response.error as? FirewheelError)?.kind {
            case nil where response.statusCode == 400: "4"
            case .transportFailed(.timedOut): "t"
            default: response.error == nil && response.statusCode != 200 ? "?" : TrustMatrix.letter(response.error)
            }
        }

        static func isAnswered(_ letter: Character) -> Bool { letter == "." || letter == "4" }

        /// How often the servers' log names each request.
        func heard() throws -> [String: Int] {
            let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n")
            return lines.reduce(into: [:]) { counts, line in
                if let start = line.firstIndex(of: "?") { counts[String(line[line.index(after: start)...]), default: 0] += 1 }
            }
        }
    }
#endif
