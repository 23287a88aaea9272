#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// An https server with a certificate, and sessions that are configured for it.
    final class TrustBench: Sendable {
        let authority: TestAuthority
        let identity: TestIdentity
        let server: MockServer
        let front: TLSFront
        private let multiplexed: HTTP2Front?
        /// The authority of clients' certificates.
        let clients: TestAuthority
        /// What stands for the system's authorities; the server's is not among them.
        private let system: TestAuthority

        /// - Parameter isMultiplexed: Whether the server speaks HTTP/2.
        init(
            _ options: TLSFront.Options = .init(), isMultiplexed: Bool = false, clients: TestAuthority? = nil,
            identity: (TestAuthority) throws -> TestIdentity = { try $0.identity(names: ["localhost"], intermediates: 1) }
        ) throws {
            authority = try TestAuthority(key: .rsa(2048))
            system = try TestAuthority(commonName: "System")
            self.clients = try clients ?? TestAuthority(commonName: "Clients")
            self.identity = try identity(authority)
            server = try MockServer()
            server.route("*") { .text($0.path) }
            multiplexed =
                isMultiplexed ? try HTTP2Front(to: server.port, identity: self.identity, options: .with { $0.tls = options }) : nil
            front = try multiplexed?.tls ?? TLSFront(to: server.port, identity: self.identity, options: options)
        }

        /// The store that stands for the system's.
        var places: TLSStorePlaces { TLSStorePlaces(file: system.pemFile.path) }

        /// A configuration that trusts the server's authority alone.
        func configuration(_ change: (inout TLSConfiguration) throws -> Void = { _ in }) throws -> SessionConfiguration {
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 20
            configuration.tls.authorities = .only([authority.root.certificate])
            try change(&configuration.tls)
            return configuration
        }

        /// A session with a transport of its own.
        func session(_ change: (inout TLSConfiguration) throws -> Void = { _ in }) throws -> Session {
            Session(configuration: try configuration(change), transport: SocketTransport(configuration: .default, places: places))
        }

        /// A session with a transport of its own and a manager.
        func session(_ manager: ServerTrustManager, _ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> Session {
            var configuration = try configuration()
            change(&configuration)
            let transport = SocketTransport(configuration: .default, places: places)
            return Session(configuration: configuration, transport: transport, serverTrustManager: manager)
        }

        /// The response of a new session.
        func response(_ path: String = "/x", _ change: (inout TLSConfiguration) throws -> Void) async throws -> DataResponse<Data?> {
            try await session(change).request(url(path)).raw()
        }

        func url(_ path: String = "/x") -> String { front.url(path, host: "localhost") }

        /// Waits until the server has read all that was sent, and returns how many requests and bytes it has heard.
        func heard() async throws -> (requests: Int, bytes: Int) {
            try await waitUntil("the end of the connections") { self.front.handshakes.allSatisfy { !$0.isOpen } }
            return (server.requestCount, front.handshakes.reduce(0) { $0 + $1.applicationBytes })
        }

        func stop() {
            multiplexed?.stop()
            front.stop()
            server.shutdown()
        }
    }
#endif
