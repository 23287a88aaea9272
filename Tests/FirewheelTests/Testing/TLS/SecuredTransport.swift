#if os(Linux)
    import Firewheel
    import Foundation

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A transport on sockets, whose requests to plain servers on 127.0.0.1 go over https, in HTTP/1.1 or HTTP/2.
    final class SecuredTransport: Transport {
        private let fronted: FrontedTransport
        /// The store is read when the first handshake begins.
        private let authority: TestAuthority

        init(_ configuration: SessionConfiguration, _ kind: FrontedTransport.Kind = .tls(.init())) throws {
            authority = try TestAuthority()
            fronted = FrontedTransport(
                authority.socketTransport(configuration), kind,
                identity: try authority.identity(names: ["localhost"], addresses: ["127.0.0.1"]))
        }

        func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            var request = request
            // The suites' times are meant for connections without handshakes.
            request.connectTimeout = request.connectTimeout ?? (request.idleTimeout > 0 ? max(request.idleTimeout, 10) : nil)
            request.deadline = request.deadline?.advanced(by: 0.5)
            fronted.start(request, receiver: receiver)
        }

        func cancel(_ id: TransportTaskID) { fronted.cancel(id) }
        func pause(_ id: TransportTaskID) { fronted.pause(id) }
        func resume(_ id: TransportTaskID) { fronted.resume(id) }
        func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { fronted.proceed(id, body) }
        func acknowledge(_ id: TransportTaskID, bytes: Int) { fronted.acknowledge(id, bytes: bytes) }
        func answer(_ id: TransportTaskID, _ answer: TransportAnswer) { fronted.answer(id, answer) }
        func send(_ id: TransportTaskID, _ command: WebSocketCommand) { fronted.send(id, command) }
        func closeIdleConnections() { fronted.closeIdleConnections() }
    }
#endif
