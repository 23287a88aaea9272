#if os(Linux)
    import Foundation

    @testable import FirewheelTesting

    /// A plain server, and the fronts that make every other kind of server of it.
    final class ChaosFronts: Sendable {
        let plain: MockServer
        private let tls: TLSFront
        private let http2: HTTP2Front
        private let brief: HTTP2Front

        init(of plain: MockServer, _ identity: TestIdentity) throws {
            self.plain = plain
            tls = try TLSFront(to: plain.port, identity: identity)
            http2 = try HTTP2Front(to: plain.port, identity: identity)
            let options = HTTP2Front.Options.with {
                $0.maximumStreams = 3
                $0.goesAwayAfter = 5
            }
            brief = try HTTP2Front(to: plain.port, identity: identity, options: options)
        }

        func url(_ kind: ChaosScenario.ServerKind) -> String {
            switch kind {
            case .http: plain.url("")
            case .https: tls.url("")
            case .http2: http2.url("")
            case .briefHTTP2: brief.url("")
            }
        }

        var openConnectionCount: Int {
            let fronts = [tls, http2.tls, brief.tls].compactMap(\.self)
            let handshakes = fronts.map { $0.handshakes.count(where: \.isOpen) }
            let visits = [http2, brief].map { $0.visits.count(where: \.isOpen) }
            return plain.openConnectionCount + (handshakes + visits).reduce(0, +)
        }

        func shutdown() {
            tls.stop()
            http2.stop()
            brief.stop()
            plain.shutdown()
        }
    }
#endif
