#if os(Linux)
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Every kind of certificate on a new, a kept and a resumed connection, over both versions of TLS.
    ///
    /// Cells that cannot be: a refused certificate never has a kept connection, so a second request makes another handshake. With TLS 1.3 a
    /// list of certificates without any is encrypted, and no server that could be had sends one.
    @Suite("Certificates on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct CertificateMatrixTests {
        /// A server with a certificate, whose address is at first that of another with a good one.
        private final class Cell: Sendable {
            let server: MockServer
            let relay: RecordRelay
            let session: Session
            /// The one with the certificate in question.
            let front: TLSFront
            /// The one with a good certificate for the same host.
            let good: TLSFront
            let host: String
            private let anchors: PEMFile?
            private let authority: TestAuthority

            /// - Parameter sharesSessions: Whether the two servers can resume each other's sessions.
            init(_ certificate: CertificateCase, _ version: TLSFront.Version, sharesSessions: Bool = false) throws {
                authority = try TestAuthority(key: .rsa(2048))
                server = try MockServer()
                server.route("*") { MockResponse.text($0.path) }
                server.route("/last") { MockResponse.text($0.path).closing() }
                let setting = try certificate.make(authority)
                anchors = try setting.anchors.map { try PEMFile($0) }
                host = certificate.host
                var options = TLSFront.Options.with { $0.maximumVersion = version }
                if sharesSessions { options.ticketKey = [UInt8](repeating: 7, count: 80) }
                let name = host.hasSuffix(".") ? String(host.dropLast()) : host
                var goodOptions = options
                goodOptions.maximumVersion = max(version, .tls12)
                // Where the client trusts something else than the authority, nothing but the certificate itself is good.
                let good =
                    try setting.anchors == nil
                    ? authority.identity(names: [name], addresses: ["127.0.0.1", "::1"]) : setting.identity
                self.good = try TLSFront(to: server.port, identity: good, options: goodOptions)
                options.minimumVersion = certificate.minimumVersion
                front = try TLSFront(to: server.port, identity: setting.identity, options: options)
                relay = try RecordRelay(to: front.port, isIPv6: host.hasPrefix("["))
                session = Session(
                    configuration: .with { $0.timeoutIntervalForRequest = 20 },
                    transport: SocketTransport(
                        configuration: .default, places: TLSStorePlaces(file: (anchors?.url ?? authority.pemFile).path)))
            }

            func response(_ path: String) async -> DataResponse<Data?> {
                await session.request("https://\(host):\(relay.port)\(path)").raw()
            }

            /// Makes a connection with the good certificate, whose session can be resumed.
            func keepSession() async {
                relay.lead(to: good.port)
                let response = await response("/last")
                #expect(response.text == "/last", "\(response)")
                relay.lead(to: front.port)
            }

            func stop() {
                relay.stop()
                front.stop()
                good.stop()
                server.shutdown()
            }
        }

        private func expectRefused(_ response: DataResponse<Data?>, _ certificate: CertificateCase, by cell: Cell) {
            guard case .refused(let code, let words) = certificate.outcome else { return }
            #expect(response.kind == .transportFailed(code), "\(response)")
            let isAboutTrust = code != .secureConnectionFailed
            let host = certificate.host
            let whom =
                isAboutTrust
                ? ": the certificate of \(host.trimmingCharacters(in: ["[", "]"])) "
                : ": the TLS handshake with \(host):\(cell.relay.port) failed: "
            for part in [whom] + words { #expect(response.words.contains(part), "\(response.words)") }
            #expect(response.error?.asFirewheelError?.isServerTrustEvaluationError == isAboutTrust)
        }

        @Test("On a new connection, and on a kept one where there is one", arguments: CertificateCase.all)
        func newAndKept(certificate: CertificateCase) async throws {
            for version in certificate.versions {
                let cell = try Cell(certificate, version)
                defer { cell.stop() }
                let responses = [await cell.response("/first"), await cell.response("/second")]
                if case .accepted = certificate.outcome {
                    #expect(responses.map(\.text) == ["/first", "/second"], "\(responses)")
                    #expect(cell.front.handshakes.map(\.isComplete) == [true])
                    #expect(cell.front.handshakes.first?.version == (version == .tls13 ? "TLSv1.3" : "TLSv1.2"))
                } else {
                    for response in responses { expectRefused(response, certificate, by: cell) }
                    #expect(cell.front.handshakes.count == 2)
                    try await expectNothingSent(cell)
                }
            }
        }

        /// A refused server hears no request.
        ///
        /// - Parameter count: The number of requests that others have sent.
        private func expectNothingSent(_ cell: Cell, after count: Int = 0) async throws {
            // Until then the server may not have read all that was sent.
            try await waitUntil("the end of the connections") { cell.front.handshakes.allSatisfy { !$0.isOpen } }
            #expect(cell.front.handshakes.allSatisfy { $0.applicationBytes == 0 })
            #expect(cell.server.requestCount == count)
        }

        @Test("Where a session is offered that the server does not resume, the certificate counts", arguments: CertificateCase.all)
        func offered(certificate: CertificateCase) async throws {
            for version in certificate.versions {
                let cell = try Cell(certificate, version)
                defer { cell.stop() }
                await cell.keepSession()
                let response = await cell.response("/after")
                #expect(cell.front.handshakes.map(\.offersSession) == [true])
                #expect(cell.front.handshakes.map(\.isResumed) == [false])
                if case .accepted = certificate.outcome {
                    #expect(response.text == "/after", "\(response)")
                } else {
                    expectRefused(response, certificate, by: cell)
                    try await expectNothingSent(cell, after: 1)
                }
            }
        }

        /// A resumed handshake shows no certificate: the server proves that it shares the session with the one that was verified.
        @Test("A server that resumes the session is the one that was verified", arguments: CertificateCase.all)
        func resumed(certificate: CertificateCase) async throws {
            // What refuses a version comes before any session.
            for version in certificate.versions where version >= .tls12 {
                let cell = try Cell(certificate, version, sharesSessions: true)
                defer { cell.stop() }
                await cell.keepSession()
                let response = await cell.response("/after")
                #expect(response.text == "/after", "\(response)")
                #expect(cell.front.handshakes.map(\.isResumed) == [true])
            }
        }

        @Test("A certificate that has expired since its session was made is refused")
        func expiredMeanwhile() async throws { try await atOnce([.tls12, .tls13], expiredMeanwhile) }

        @Sendable private func expiredMeanwhile(version: TLSFront.Version) async throws {
            let certificate = CertificateCase(
                "Expires soon", .refused(.serverCertificateHasBadDate, ["has expired (subject CN=localhost, valid until "])
            ) {
                (try $0.identity(names: ["localhost"], ends: 15), nil)
            }
            let end = Date(timeIntervalSinceNow: 16)
            let cell = try Cell(certificate, version)
            defer { cell.stop() }
            #expect(await cell.response("/last").text == "/last")
            try await waitUntil("the end of the certificate") { Date() > end }
            expectRefused(await cell.response("/after"), certificate, by: cell)
            try await waitUntil("the end of the connections") { cell.front.handshakes.allSatisfy { !$0.isOpen } }
            #expect(cell.front.handshakes.map(\.offersSession) == [false, false])
            #expect(cell.server.requestCount == 1)
        }

        @Test("A list of certificates without any is refused, also after a good one (RFC 5246 section 7.4.2)")
        func emptyChain() async throws {
            let script = try TLSScript([.read, .send(TLSScript.emptyChain), .end])
            defer { script.stop() }
            let cell = try Cell(CertificateCase.all[0], .tls12)
            defer { cell.stop() }
            let address = "127.0.0.1:\(cell.relay.port)"
            func response() async -> DataResponse<Data?> { await cell.session.request("https://\(address)/last").raw() }
            cell.relay.lead(to: script.port)
            var responses = [await response()]
            cell.relay.lead(to: cell.good.port)
            #expect(await response().text == "/last")
            cell.relay.lead(to: script.port)
            responses.append(await response())
            for response in responses {
                #expect(response.kind == .transportFailed(.secureConnectionFailed), "\(response)")
                let words = ": the TLS handshake with \(address) failed: the server sent no certificate, or a malformed list of them"
                #expect(response.words.hasSuffix(words), "\(response.words)")
            }
            try await waitUntil("the end of the connections") { script.visits.count == 2 && script.visits.allSatisfy { !$0.isOpen } }
            // No record of application data.
            for visit in script.visits { #expect(!Self.recordTypes(visit.received).contains(23)) }
        }

        private static func recordTypes(_ bytes: [UInt8]) -> [UInt8] {
            var types: [UInt8] = []
            var rest = bytes[...]
            while rest.count >= 5, let first = rest.first {
                types.append(first)
                let size = Int(rest[rest.startIndex + 3]) << 8 + Int(rest[rest.startIndex + 4])
                rest = rest.dropFirst(5 + size)
            }
            return types
        }
    }
#endif
