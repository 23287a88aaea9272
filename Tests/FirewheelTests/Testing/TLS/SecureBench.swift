#if os(Linux)
    import Firewheel
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    extension TestAuthority {
        /// A transport on sockets that trusts only this authority, which has to outlive the first handshake.
        func socketTransport(_ configuration: SessionConfiguration = .default) -> SocketTransport {
            SocketTransport(configuration: configuration, places: TLSStorePlaces(file: pemFile.path))
        }

        /// A session on sockets that trusts only this authority, which has to outlive the first handshake.
        func socketSession(_ configuration: SessionConfiguration = .with { $0.timeoutIntervalForRequest = 20 }) -> Session {
            Session(configuration: configuration, transport: socketTransport(configuration))
        }
    }

    /// A plain server behind TLS, and a session on sockets that trusts it.
    final class SecureBench: Sendable {
        let authority: TestAuthority
        let server: MockServer
        let front: TLSFront
        let session: Session

        /// - Parameter configuration: The session's.
        init(
            _ options: TLSFront.Options = .init(), names: [String] = ["localhost"],
            configuration: SessionConfiguration = .with { $0.timeoutIntervalForRequest = 20 }
        ) throws {
            authority = try TestAuthority()
            server = try MockServer()
            front = try TLSFront(
                to: server.port, identity: authority.identity(names: names, addresses: ["127.0.0.1"]), options: options)
            session = authority.socketSession(configuration)
        }

        func url(_ path: String = "/", host: String = "127.0.0.1") -> String { front.url(path, host: host) }

        func stop() {
            front.stop()
            server.shutdown()
        }
    }

    extension DataResponse {
        /// The error as a sentence; empty for none.
        var words: String { error.map { "\($0)" } ?? "" }
    }
#endif
