#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `RevocationTrustEvaluator`: lists, and OCSP responses that servers send with their certificates.
    @Suite("Revocation by evaluators", .needsTLSServer, .timeLimit(.minutes(5)))
    struct RevocationEvaluatorTests {
        private typealias Status = TestCertificate.Status

        /// The authority, and a server that it has certified.
        private struct Place {
            let authority: TestAuthority
            let identity: TestIdentity

            init(mustStaple: Bool = false, intermediates: Int = 0) throws {
                authority = try TestAuthority()
                if mustStaple {
                    let contents = TestCertificate.Contents(commonName: "localhost", names: ["localhost"], mustStaple: true)
                    identity = TestIdentity(leaf: try authority.root.issue(contents))
                } else {
                    identity = try authority.identity(names: ["localhost"], intermediates: intermediates)
                }
            }

            var issuer: TestCertificate { identity.behind.first ?? authority.root }

            func responder(_ usage: String, ends: TimeInterval = 86_400) throws -> TestCertificate {
                try issuer.issue(.init(commonName: "Responder", ends: ends, usage: usage))
            }

            /// The response of a session that trusts the authority.
            func response(
                _ evaluator: any ServerTrustEvaluating, status: Data?, _ version: TLSFront.Version, isMultiplexed: Bool = false
            ) async throws -> (DataResponse<Data?>, heard: (requests: Int, bytes: Int)) {
                let options = TLSFront.Options.with {
                    $0.maximumVersion = version
                    $0.status = status
                }
                let bench = try TrustBench(options, isMultiplexed: isMultiplexed) { _ in identity }
                defer { bench.stop() }
                let session = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator])) {
                    $0.tls.authorities = .only([authority.root.certificate])
                }
                let response = await session.request(bench.url()).raw()
                if response.error == nil { return (response, (bench.server.requestCount, 0)) }
                return (response, try await bench.heard())
            }
        }

        /// An OCSP response, and how the refusal ends for an evaluator that requires none, and for one that does; nil for none.
        private struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let status: @Sendable (Place) throws -> Data?
            var words: String?
            var wordsIfRequired: String?

            init(
                _ name: String, _ words: String?, ifRequired: String? = nil, _ status: @escaping @Sendable (Place) throws -> Data?
            ) {
                (testDescription, self.status, self.words, wordsIfRequired) = (name, status, words, words ?? ifRequired)
            }
        }

        private static let missing = "has no OCSP response, and requiresStapledResponse is true"

        private static let cases: [Case] = [
            Case("none", nil, ifRequired: missing) { _ in nil },
            Case("good", nil) { try $0.issuer.status(of: $0.identity.leaf) },
            Case("good, named by SHA-256", nil) { try $0.issuer.status(of: $0.identity.leaf, Status(hasSHA256: true)) },
            Case("good, of a responder", nil) {
                try $0.issuer.status(of: $0.identity.leaf, Status(signer: $0.responder("OCSPSigning")))
            },
            Case("revoked", "is revoked, as the OCSP response says that the server has sent") {
                try $0.issuer.status(of: $0.identity.leaf, Status(verdict: .revoked))
            },
            Case("revoked, and old", "is revoked, as the OCSP response says that the server has sent") {
                try $0.issuer.status(of: $0.identity.leaf, Status(verdict: .revoked, begins: -7200, ends: -3600))
            },
            Case("unknown", "is not known to its authority, as the OCSP response says that the server has sent") {
                try $0.issuer.status(of: $0.identity.leaf, Status(verdict: .unknown))
            },
            Case("expired", "has an OCSP response that is not valid now") {
                try $0.issuer.status(of: $0.identity.leaf, Status(begins: -7200, ends: -3600))
            },
            Case("not yet valid", "has an OCSP response that is not valid now") {
                try $0.issuer.status(of: $0.identity.leaf, Status(begins: 3600, ends: 7200))
            },
            Case("without an end", nil) { try $0.issuer.status(of: $0.identity.leaf, Status(ends: nil)) },
            Case("without an end, and two days old", "has an OCSP response that is not valid now") {
                try $0.issuer.status(of: $0.identity.leaf, Status(begins: -2 * 86_400, ends: nil))
            },
            Case("of a responder that has expired", "has an OCSP response that its authority has not signed") {
                try $0.issuer.status(of: $0.identity.leaf, Status(signer: $0.responder("OCSPSigning", ends: -3600)))
            },
            Case("of a stranger", "has an OCSP response that its authority has not signed") {
                try $0.issuer.status(of: $0.identity.leaf, Status(signer: TestAuthority(commonName: "Stranger").root))
            },
            Case("of another server", "has an OCSP response that its authority has not signed") {
                try $0.issuer.status(of: $0.identity.leaf, Status(signer: $0.responder("serverAuth")))
            },
            Case("about another certificate", "has an OCSP response that is about other certificates") {
                try $0.issuer.status(of: $0.responder("serverAuth"))
            },
            Case("a responder's error", nil, ifRequired: missing) { try $0.issuer.status(of: $0.identity.leaf, Status(outcome: 3)) },
            Case("junk", "has an OCSP response that cannot be read") { _ in Data("not a response".utf8) },
        ]

        @Test(
            "The OCSP response that a server sends counts, and without one the server is refused if it is required",
            arguments: cases, [TLSFront.Version.tls12, .tls13])
        private func stapled(entry: Case, version: TLSFront.Version) async throws {
            for intermediates in [0, 1] {
                let place = try Place(intermediates: intermediates)
                let status = try entry.status(place)
                for isRequired in [false, true] {
                    let evaluator = RevocationTrustEvaluator(requiresStapledResponse: isRequired)
                    let (response, heard) = try await place.response(evaluator, status: status, version)
                    if let words = isRequired ? entry.wordsIfRequired : entry.words {
                        #expect(response.kind == .serverTrustEvaluationFailed(.revocationCheckFailed), "\(response)")
                        #expect(
                            response.words.contains(": the certificate of localhost \(words) (subject CN=localhost"), "\(response.words)")
                        #expect(heard == (0, 0))
                    } else {
                        #expect(response.text == "/x", "\(response)")
                    }
                }
            }
        }

        @Test("A certificate may demand the response itself", arguments: [TLSFront.Version.tls12, .tls13])
        func mustStaple(version: TLSFront.Version) async throws {
            let place = try Place(mustStaple: true)
            let evaluator = CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), RevocationTrustEvaluator()])
            let (none, heard) = try await place.response(evaluator, status: nil, version)
            #expect(none.words.contains("has no OCSP response, although it demands one itself (RFC 7633) (subject"), "\(none.words)")
            #expect(heard == (0, 0))
            let good = try await place.response(evaluator, status: place.issuer.status(of: place.identity.leaf), version)
            #expect(good.0.text == "/x", "\(good.0)")
        }

        @Test("An evaluator of one's own that calls this one has to say so", arguments: [TLSFront.Version.tls12, .tls13])
        func wrapped(version: TLSFront.Version) async throws {
            struct Wrapper: ServerTrustEvaluating {
                let wantsStapledResponse: Bool

                func evaluate(_ trust: ServerTrust, forHost host: String) async throws {
                    try RevocationTrustEvaluator().evaluate(trust, forHost: host)
                }
            }
            let place = try Place()
            let revoked = try place.issuer.status(of: place.identity.leaf, Status(verdict: .revoked))
            for (wants, words) in [(true, "is revoked, as the OCSP response says"), (false, "return true for wantsStapledResponse")] {
                for evaluator in [
                    Wrapper(wantsStapledResponse: wants),
                    CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), Wrapper(wantsStapledResponse: wants)]),
                ] as [any ServerTrustEvaluating] {
                    let (response, heard) = try await place.response(evaluator, status: revoked, version)
                    #expect(response.kind == .serverTrustEvaluationFailed(.revocationCheckFailed), "\(response)")
                    #expect(response.words.contains(words) && heard == (0, 0), "\(response.words)")
                }
            }
        }

        @Test("A chain that is not verified gets no client certificate, and what another host's evaluator wants delays no verdict")
        func clientCertificate() async throws {
            let place = try Place()
            let clients = try TestAuthority(commonName: "Clients")
            let revocation = RevocationTrustEvaluator()
            let refusing = OwnEvaluator(requiresDefaultValidation: false) { _ in throw OwnRefusal() }
            for (authority, evaluators, isShown) in [
                // The response comes behind the client's certificate.
                (place.authority, ["localhost": CompositeTrustEvaluator(evaluators: [revocation, refusing])], true),
                (clients, ["localhost": revocation], false),
                (place.authority, ["localhost": refusing, "other.test": revocation], false),
            ] as [(TestAuthority, [String: any ServerTrustEvaluating], Bool)] {
                let options = TLSFront.Options.with {
                    $0.maximumVersion = .tls12
                    $0.clientAuthorities = [clients.root]
                }
                let bench = try TrustBench(options, clients: clients) { _ in place.identity }
                defer { bench.stop() }
                let client = try clients.identity(names: ["alice"], usage: "clientAuth")
                let identity = try ClientIdentity(certificates: Data(client.chainPEM.utf8), key: Data(client.keyPEM.utf8))
                let session = try bench.session(ServerTrustManager(evaluators: evaluators)) {
                    $0.tls.authorities = .only([authority.root.certificate])
                    $0.tls.identities = ["localhost": identity]
                }
                let response = await session.request(bench.url()).raw()
                #expect((response.error as? FirewheelError)?.isServerTrustEvaluationError == true, "\(response)")
                let heard = try await bench.heard()
                #expect(heard == (0, 0))
                #expect(bench.front.handshakes.map { $0.clientSubject != nil } == [isShown])
            }
        }

        @Test("The response of an issuer that is not known cannot be checked", arguments: [TLSFront.Version.tls12, .tls13])
        func leafAnchor(version: TLSFront.Version) async throws {
            let place = try Place(intermediates: 1)
            for (status, words) in [
                (try place.issuer.status(of: place.identity.leaf), "has an OCSP response that cannot be checked"), (nil, nil),
            ] as [(Data?, String?)] {
                let bench = try TrustBench(
                    .with {
                        $0.status = status
                        $0.maximumVersion = version
                    }
                ) { _ in place.identity.sending([]) }
                defer { bench.stop() }
                let manager = ServerTrustManager(evaluators: ["localhost": RevocationTrustEvaluator()])
                let session = try bench.session(manager) { $0.tls.authorities = .only([place.identity.leaf.certificate]) }
                let response = await session.request(bench.url()).raw()
                #expect(words.map { response.words.contains($0) } ?? (response.text == "/x"), "\(response)")
            }
        }

        @Test("Lists need a chain up to a root")
        func intermediateAnchor() async throws {
            let place = try Place(intermediates: 1)
            let bench = try TrustBench { _ in place.identity }
            defer { bench.stop() }
            let lists = [try place.authority.root.revocationList(), try place.issuer.revocationList()]
            for (lists, words) in [
                (lists, "RevocationTrustEvaluator's lists need a root as authority (subject CN=Firewheel Test Intermediate 1"), ([], nil),
            ] as [([Data], String?)] {
                let manager = ServerTrustManager(evaluators: ["localhost": RevocationTrustEvaluator(lists: lists)])
                let session = try bench.session(manager) { $0.tls.authorities = .only([place.issuer.certificate]) }
                let response = await session.request(bench.url()).raw()
                #expect(words.map { response.words.contains($0) } ?? (response.text == "/x"), "\(response)")
            }
        }

        @Test("Over HTTP/2 it is the same", .needsHTTP2Server)
        func multiplexed() async throws {
            let place = try Place()
            let evaluator = RevocationTrustEvaluator(requiresStapledResponse: true)
            let status = try place.issuer.status(of: place.identity.leaf)
            #expect(try await place.response(evaluator, status: status, .tls13, isMultiplexed: true).0.text == "/x")
            #expect(try await place.response(evaluator, status: nil, .tls13, isMultiplexed: true).heard == (0, 0))
        }

        @Test("Every certificate of the verified chain is looked up in the evaluator's lists", arguments: [TLSFront.Version.tls12, .tls13])
        func lists(version: TLSFront.Version) async throws {
            let place = try Place(intermediates: 1)
            let (root, middle, leaf) = (place.authority.root, place.identity.behind[0], place.identity.leaf)
            let (clean, cleanMiddle) = (try root.revocationList(), try middle.revocationList())
            let cases: [([Data], String?)] = [
                ([clean, cleanMiddle], nil), ([], nil),
                ([clean, try middle.revocationList([leaf])], "the certificate of localhost is revoked (subject CN=localhost"),
                ([try root.revocationList([middle]), cleanMiddle], "a certificate of its authorities is revoked"),
                ([clean], "cannot be checked for revocation: RevocationTrustEvaluator's lists has no usable list of its issuer"),
                ([clean, try middle.revocationList(begins: -200, ends: -100)], "the list of its issuer has expired"),
                ([Data("junk".utf8)], "RevocationTrustEvaluator: lists[0] has no revocation list that can be read, in DER or in PEM"),
            ]
            for (lists, words) in cases {
                let (response, heard) = try await place.response(RevocationTrustEvaluator(lists: lists), status: nil, version)
                if let words {
                    #expect(response.kind == .serverTrustEvaluationFailed(.revocationCheckFailed), "\(response)")
                    #expect(response.words.contains(words), "\(response.words)")
                    #expect(heard == (0, 0))
                } else {
                    #expect(response.text == "/x", "\(response)")
                }
            }
        }

        @Test(
            "A chain that could not be verified is refused whatever the evaluator leaves out", arguments: [TLSFront.Version.tls12, .tls13])
        func unverified(version: TLSFront.Version) async throws {
            let place = try Place()
            let stranger = try Place()
            let server = TestIdentity(leaf: stranger.identity.leaf)
            for (performs, letter) in [(true, "D"), (false, "R")] as [(Bool, Character)] {
                let bench = try TrustBench(.with { $0.maximumVersion = version }) { _ in server }
                defer { bench.stop() }
                let evaluator = RevocationTrustEvaluator(performDefaultValidation: performs, validateHost: false)
                let session = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator])) {
                    $0.tls.authorities = .only([place.authority.root.certificate])
                }
                #expect(TrustMatrix.letter(await session.request(bench.url()).raw().error) == letter)
                let heard = try await bench.heard()
                #expect(heard == (0, 0))
            }
        }
    }
#endif
