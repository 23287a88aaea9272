#if os(Linux)
    import Firewheel
    import Foundation

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A transport whose requests to plain servers on 127.0.0.1 go through fronts, one for each server: suites that know only http run over
    /// TLS and HTTP/2.
    final class FrontedTransport: Transport {
        enum Kind: Sendable {
            case tls(TLSFront.Options)
            case http2(HTTP2Front.Options)
            /// Prior knowledge, without TLS.
            case plainHTTP2(HTTP2Front.Options)
        }

        private enum Front: Sendable {
            case tls(TLSFront)
            case http2(HTTP2Front)

            var url: String {
                switch self {
                case .tls(let front): front.url("")
                case .http2(let front): front.url("")
                }
            }
        }

        private let inner: any Transport
        private let kind: Kind
        private let identity: TestIdentity
        private let fronts = Locked<[Int: Front]>([:])

        /// - Parameter inner: Has to trust the identity.
        init(_ inner: any Transport, _ kind: Kind, identity: TestIdentity) {
            self.inner = inner
            self.kind = kind
            self.identity = identity
        }

        func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            var request = request
            if let target = target(request.target.string) { request.target = target }
            inner.start(request, receiver: receiver)
        }

        /// nil for what is no plain server, and for a port that no socket has.
        private func target(_ text: String) -> TargetURI? {
            let prefix = "http://127.0.0.1:"
            guard text.hasPrefix(prefix) else { return nil }
            let digits = text.dropFirst(prefix.count).prefix { $0.isNumber }
            guard let port = Int(digits), !FrontSocket.isFree(port), let front = try? front(to: port) else { return nil }
            return TargetURI(front.url + text.dropFirst(prefix.count + digits.count))
        }

        private func front(to port: Int) throws -> Front {
            try fronts.withLock { fronts in
                if let front = fronts[port] { return front }
                let front: Front =
                    switch kind {
                    case .tls(let options): .tls(try TLSFront(to: port, identity: identity, options: options))
                    case .http2(let options): .http2(try HTTP2Front(to: port, identity: identity, options: options))
                    case .plainHTTP2(let options): .http2(try HTTP2Front(to: port, options: options))
                    }
                fronts[port] = front
                return front
            }
        }

        func cancel(_ id: TransportTaskID) { inner.cancel(id) }
        func pause(_ id: TransportTaskID) { inner.pause(id) }
        func resume(_ id: TransportTaskID) { inner.resume(id) }
        func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { inner.proceed(id, body) }
        func acknowledge(_ id: TransportTaskID, bytes: Int) { inner.acknowledge(id, bytes: bytes) }
        func answer(_ id: TransportTaskID, _ answer: TransportAnswer) { inner.answer(id, answer) }
        func send(_ id: TransportTaskID, _ command: WebSocketCommand) { inner.send(id, command) }
        func closeIdleConnections() { inner.closeIdleConnections() }
    }
#endif
