#if os(Linux)
    // Not @testable: this is what users of FirewheelTesting have.
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// `MockServer(tls:)` and `TestAuthority`, as a user's tests of trust have them.
    @Suite("Mock servers with TLS", .needsTLSServer, .timeLimit(.minutes(5)))
    struct MockTLSTests {
        private func session(_ change: (inout TLSConfiguration) throws -> Void) rethrows -> Session {
            var configuration = SessionConfiguration.default
            configuration.timeoutIntervalForRequest = 20
            try change(&configuration.tls)
            return Session(configuration: configuration)
        }

        /// The text, or the kind of the error.
        private func outcome(_ session: Session, _ server: MockServer, _ path: String = "/x") async -> Result<String, FirewheelError> {
            await session.request(server.url(path)).serializingString().response.result.mapError { $0 as! FirewheelError }
        }

        @Test("A self-signed server is reached by sessions that trust its certificate, and hears nothing of others")
        func selfSigned() async throws {
            let server = try MockServer(tls: .selfSigned(for: ["localhost"]))
            defer { server.shutdown() }
            server.route("/*") { .text($0.path) }
            #expect(server.baseURL == "https://localhost:\(server.port)")
            let certificate = try #require(server.certificate)
            #expect(
                certificate.names == ["localhost"] && certificate.subject == "CN=localhost" && certificate.issuer == certificate.subject)
            let trusting = session { $0.authorities = .only([certificate]) }
            for path in ["/1", "/2"] { #expect(try await outcome(trusting, server, path).get() == path) }
            #expect(server.requestCount == 2 && server.connectionCount == 1)
            let other = await outcome(session { _ in }, server)
            #expect(other.error?.kind == .transportFailed(.serverCertificateHasUnknownRoot), "\(other)")
            #expect(server.requestCount == 2 && server.connectionCount == 1)
        }

        @Test("Without TLS there is no certificate, and the URL is http")
        func plain() throws {
            let server = try MockServer()
            #expect(server.certificate == nil && server.baseURL == "http://127.0.0.1:\(server.port)")
        }

        /// Those of this machine.
        private static let addresses: [MockServer.Address] = (try? MockServer(.ipv6)) == nil ? [.ipv4] : [.ipv4, .ipv6]

        @Test("Addresses are names, too, on both loopback addresses", arguments: addresses)
        func bothAddresses(address: MockServer.Address) async throws {
            let authority = try TestAuthority(commonName: "Company")
            let identity = try authority.serverIdentity(for: ["api.example.com", "127.0.0.1", "::1"], intermediates: 2)
            #expect(identity.certificates.count == 3 && identity.certificate.names == ["api.example.com", "127.0.0.1", "::1"])
            #expect(authority.certificate.subject == "CN=Company")
            let server = try MockServer(address, tls: MockTLS(identity))
            defer { server.shutdown() }
            server.route("/*") { .text($0.path) }
            #expect(server.baseURL == (address == .ipv4 ? "https://127.0.0.1:\(server.port)" : "https://[::1]:\(server.port)"))
            let other = try MockServer(address, tls: .selfSigned(for: ["LOCALHOST"]))
            #expect(other.baseURL == (address == .ipv4 ? "https://localhost:\(other.port)" : "https://[::1]:\(other.port)"))
            #expect(try await outcome(session { $0.authorities = .only([authority.certificate]) }, server).get() == "/x")
        }

        @Test("Expired, early and revoked certificates are refused, and a client hears the reason")
        func refused() async throws {
            let authority = try TestAuthority()
            let good = try authority.serverIdentity(for: ["localhost"], intermediates: 1)
            let revoked = try authority.serverIdentity(for: ["localhost"], intermediates: 1)
            let list = try authority.revocationList(revoking: [revoked])
            let cases: [(TestIdentity, URLError.Code?)] = [
                (good, nil), (revoked, .serverCertificateUntrusted),
                (try authority.serverIdentity(for: ["localhost"], validity: .expired), .serverCertificateHasBadDate),
                (try authority.serverIdentity(for: ["localhost"], validity: .notYetValid), .serverCertificateNotYetValid),
                (try authority.serverIdentity(for: ["*.localhost"]), .serverCertificateUntrusted),
                (try .selfSigned(for: ["localhost"], validity: .expired), .serverCertificateHasUnknownRoot),
            ]
            let session = session {
                $0.authorities = .only([authority.certificate])
                $0.revocationLists = [list]
            }
            for (index, (identity, code)) in cases.enumerated() {
                let server = try MockServer(tls: MockTLS(identity))
                defer { server.shutdown() }
                server.enqueue(.text("hello"))
                let url = "https://localhost:\(server.port)/"
                let kind = (await session.request(url).serializingString().response.error as? FirewheelError)?.kind
                #expect(kind == code.map { .transportFailed($0) }, "case \(index)")
                #expect(server.requestCount == (code == nil ? 1 : 0), "case \(index)")
            }
            #expect(throws: MockServerError.self) {
                try authority.revocationList(revoking: [.selfSigned(for: ["localhost"])])
            }
        }

        @Test("Authorities of the same name have lists of their own")
        func sameNames() async throws {
            let (one, two) = (try TestAuthority(), try TestAuthority())
            let identities = try [one, one, two].map { try $0.serverIdentity(for: ["localhost"], intermediates: 2) }
            for revoked in identities.indices {
                let lists = try [one, two].map { authority in
                    let isOwn = authority === (revoked == 2 ? two : one)
                    return try authority.revocationList(revoking: isOwn ? [identities[revoked]] : [])
                }
                let session = session {
                    $0.authorities = .only([one.certificate, two.certificate])
                    $0.revocationLists = lists
                }
                for (index, identity) in identities.enumerated() {
                    let server = try MockServer(tls: MockTLS(identity))
                    defer { server.shutdown() }
                    server.route("/*") { .text($0.path) }
                    let result = await outcome(session, server)
                    let words = result.error.map { "\($0)" } ?? ""
                    #expect(result.isSuccessful == (index != revoked), "\(words)")
                    #expect(index != revoked || words.contains("the certificate of localhost is revoked"), "\(words)")
                }
            }
        }

        @Test("A pin is tested in four lines, and the backup pin, too")
        func pins() async throws {
            let authority = try TestAuthority()
            let (first, next) = (try authority.serverIdentity(for: ["localhost"]), try authority.serverIdentity(for: ["localhost"]))
            let pins = try PublicKeysTrustEvaluator(pins: [first, next].map(\.certificate.publicKeyPin))
            var configuration = SessionConfiguration.default
            configuration.tls.authorities = .only([authority.certificate])
            let manager = ServerTrustManager(evaluators: ["localhost": pins])
            let stranger = try authority.serverIdentity(for: ["localhost"])
            for (identity, isTrusted) in [(first, true), (next, true), (stranger, false)] {
                let server = try MockServer(tls: MockTLS(identity))
                defer { server.shutdown() }
                server.route("/*") { .text($0.path) }
                let session = Session(configuration: configuration, serverTrustManager: manager)
                let result = await outcome(session, server)
                #expect(result.isSuccessful == isTrusted && server.requestCount == (isTrusted ? 1 : 0), "\(result)")
                if !isTrusted {
                    #expect(result.error?.kind == .serverTrustEvaluationFailed(.publicKeyPinningFailed))
                }
            }
        }

        @Test("A server that demands a client certificate takes those of its authority", arguments: [TLSVersion.v1_2, .v1_3])
        func clients(version: TLSVersion) async throws {
            let (servers, clients) = (try TestAuthority(), try TestAuthority(commonName: "Clients"))
            var tls = MockTLS(try servers.serverIdentity(for: ["localhost"]), clientAuthority: clients)
            tls.maximumVersion = version
            let server = try MockServer(tls: tls)
            defer { server.shutdown() }
            server.route("/*") { .text($0.path) }
            let alice = try clients.clientIdentity(commonName: "alice").clientIdentity()
            #expect(alice.certificate.subject == "CN=alice")
            let expired = try clients.clientIdentity(commonName: "bob", validity: .expired).clientIdentity()
            let stranger = try servers.clientIdentity(commonName: "mallory").clientIdentity()
            for (identity, isTrusted) in [(alice, true), (nil, false), (expired, false), (stranger, false)] {
                let session = session {
                    $0.authorities = .only([servers.certificate])
                    $0.identities = identity.map { ["localhost": $0] } ?? [:]
                }
                let response = await session.request(server.url()).serializingString().response
                let kind = (response.error as? FirewheelError)?.kind
                let required: URLError.Code = version == .v1_3 ? .clientCertificateRequired : .secureConnectionFailed
                let refusal = identity == nil ? required : .clientCertificateRejected
                #expect(kind == (isTrusted ? nil : .transportFailed(refusal)), "\(response)")
                let hop = response.metrics?.transactionMetrics.last
                #expect(!isTrusted || hop?.negotiatedTLSProtocolVersion == (version == .v1_2 ? "TLSv1.2" : "TLSv1.3"))
                #expect(!isTrusted || hop?.clientCertificateSubject == "CN=alice")
            }
            #expect(server.requestCount == 1)
        }

        @Test("Versions that exclude each other, and names that OpenSSL does not take, are errors")
        func mistakes() throws {
            var tls = try MockTLS.selfSigned(for: ["localhost"])
            (tls.minimumVersion, tls.maximumVersion) = (.v1_3, .v1_2)
            #expect(throws: MockServerError.tls(reason: "minimumVersion is above maximumVersion")) { try MockServer(tls: tls) }
            let authority = try TestAuthority()
            for names in [
                [], [""], ["a,IP:127.0.0.1"], ["1.2.3.4567"], ["localhost", "a\nb"], ["localhost\0.test"], ["localhost:8443"], ["a b"],
                ["https://localhost"], ["[::1]"], ["fe80::1%lo"], ["999.1.1.1"], ["a..b"], [".a"], ["bücher.test"], ["a/b"],
                [String(repeating: "a", count: 64) + ".test"], [String(repeating: "a.", count: 130) + "test"],
            ] {
                #expect(throws: MockServerError.self, "\(names)") { try MockTLS.selfSigned(for: names) }
                #expect(throws: MockServerError.self, "\(names)") { try authority.serverIdentity(for: names) }
            }
            #expect(
                "\(#expect(throws: MockServerError.self) { try MockTLS.selfSigned(for: ["a:1"]) }.map { "\($0)" } ?? "")".contains(
                    #""a:1" is neither"#))
            for name in ["", "a\0b", "a\nb", String(repeating: "a", count: 65)] {
                #expect(throws: MockServerError.self) { try TestAuthority(commonName: name) }
                #expect(throws: MockServerError.self) { try authority.clientIdentity(commonName: name) }
            }
            for count in [-1, 101, .max] {
                #expect(throws: MockServerError.self) { try authority.serverIdentity(for: ["localhost"], intermediates: count) }
            }
            let long = String(repeating: "long-label.", count: 10) + "example.com"
            #expect(try TestIdentity.selfSigned(for: [long]).certificate.names == [long])
        }

        @Test("Failures of responses pass through TLS")
        func faults() async throws {
            let server = try MockServer(tls: .selfSigned(for: ["localhost"]))
            defer { server.shutdown() }
            let certificate = try #require(server.certificate)
            let session = session { $0.authorities = .only([certificate]) }
            for fault in [MockFault.resetInBody(after: 3), .closeInBody(after: 3), .resetBeforeHead] {
                server.enqueue(MockResponse.text("some text").failing(fault))
                let result = await outcome(session, server)
                #expect(result.error?.kind == .transportFailed(.networkConnectionLost), "\(fault): \(result)")
            }
            server.enqueue(.text("whole"))
            #expect(try await outcome(session, server).get() == "whole")
            server.closeIdleConnections()
            #expect(await server.waitForOpenConnections(0))
        }

        @Test("Shutdown ends connections, also in a route's handler, and leaves no thread, descriptor or connection")
        func shutdown() async throws {
            let server = try MockServer(tls: .selfSigned(for: ["localhost"]))
            let certificate = try #require(server.certificate)
            server.route("/bye") { [weak server] _ in
                server?.shutdown()
                return .text("bye")
            }
            let session = session { $0.authorities = .only([certificate]) }
            let result = await outcome(session, server, "/bye")
            #expect(result.error != nil, "\(result)")
            await onThreads(1) { _ in server.shutdown() }
            #expect(server.leftovers.threads == 0 && server.leftovers.connections == 0)
        }
    }

    extension Result where Failure == FirewheelError {
        fileprivate var error: FirewheelError? { if case .failure(let error) = self { error } else { nil } }
        fileprivate var isSuccessful: Bool { error == nil }
    }
#endif
