#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `TLSConfiguration.revocationLists` (RFC 5280 section 6.3).
    @Suite("Revocation lists on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct RevocationListTests {
        /// Root, intermediate and leaf, with what lists are made of.
        private struct Chain {
            let root: TestCertificate
            let intermediate: TestCertificate
            let leaf: TestCertificate

            init(_ bench: TrustBench) {
                (root, intermediate, leaf) = (bench.authority.root, bench.identity.behind[0], bench.identity.leaf)
            }

            func good() throws -> [Data] { [try root.revocationList(), try intermediate.revocationList()] }
        }

        private struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// nil for a response; otherwise what the error has to contain.
            let words: String?
            /// Whether the lists are required.
            var isStrict = true
            let lists: @Sendable (Chain) throws -> [Data]

            init(_ name: String, isStrict: Bool = true, _ words: String?, _ lists: @escaping @Sendable (Chain) throws -> [Data]) {
                (testDescription, self.words, self.isStrict, self.lists) = (name, words, isStrict, lists)
            }
        }

        private static let revoked =
            "the certificate of localhost is revoked (subject CN=localhost, issuer CN=Firewheel Test Intermediate 1)"
        private static let unchecked = "the certificate of localhost cannot be checked for revocation: "
        private static let above = "the certificate of localhost is not trusted: a certificate of its authorities "
        private static let broken = "the list of its issuer cannot be used ("

        private static let strict: [Case] = [
            Case("Nobody is revoked", nil) { try $0.good() },
            Case("Others are revoked", nil) {
                let other = try $0.intermediate.issue(.init(commonName: "other"))
                return [try $0.root.revocationList(), try $0.intermediate.revocationList([other])]
            },
            Case("The server's certificate is revoked", revoked) {
                [try $0.root.revocationList(), try $0.intermediate.revocationList([$0.leaf])]
            },
            Case("The intermediate is revoked", above + "is revoked (subject CN=Firewheel Test Intermediate 1, issuer CN=") {
                [try $0.root.revocationList([$0.intermediate]), try $0.intermediate.revocationList()]
            },
            Case(
                "No list of the intermediate",
                unchecked + "tls.revocationLists has no usable list of its issuer (subject CN=localhost, issuer "
            ) {
                [try $0.root.revocationList()]
            },
            Case("No list of the root", above + "cannot be checked for revocation: tls.revocationLists has no usable list of its issuer") {
                [try $0.intermediate.revocationList()]
            },
            Case("A list that has expired", unchecked + "the list of its issuer has expired") {
                [try $0.root.revocationList(), try $0.intermediate.revocationList(begins: -7200, ends: -3600)]
            },
            Case("A list that is not valid yet", unchecked + "the list of its issuer is not valid yet") {
                [try $0.root.revocationList(), try $0.intermediate.revocationList(begins: 3600, ends: 7200)]
            },
            Case("An expired list and its successor", nil) {
                try $0.good() + [try $0.intermediate.revocationList([$0.leaf], begins: -7200, ends: -3600)]
            },
            Case("A list without an end", nil) { [try $0.root.revocationList(), try $0.intermediate.revocationList(ends: nil)] },
            Case("A list that another has signed", unchecked + broken) {
                [try $0.root.revocationList(), try $0.intermediate.revocationList(signedBy: $0.root.key)]
            },
            Case("All lists in one text in PEM", nil) { [Data(try $0.good().map { $0.listInPEM }.joined(separator: "\n").utf8)] },
            Case("PEM with Windows line ends, and other things around", revoked) {
                let list = try $0.intermediate.revocationList([$0.leaf])
                let text = "from the authority\r\n" + list.listInPEM.replacing("\n", with: "\r\n") + $0.root.pem
                return [Data(text.utf8), try $0.root.revocationList()]
            },
        ]

        private static let lenient: [Case] = [
            Case("Not required: no list of the intermediate", isStrict: false, nil) { [try $0.root.revocationList()] },
            Case("Not required: a list that has expired", isStrict: false, nil) {
                [try $0.root.revocationList(), try $0.intermediate.revocationList(begins: -7200, ends: -3600)]
            },
            Case("Not required: a list that is not valid yet", isStrict: false, nil) {
                [try $0.root.revocationList(begins: 3600, ends: 7200), try $0.intermediate.revocationList()]
            },
            Case("Not required: revoked by an expired list", isStrict: false, revoked) {
                [try $0.intermediate.revocationList([$0.leaf], begins: -7200, ends: -3600)]
            },
            // OpenSSL looks into the newest list of an issuer only.
            Case("Not required: named by the older one of two expired lists", isStrict: false, nil) {
                [
                    try $0.intermediate.revocationList([$0.leaf], begins: -9000, ends: -8000),
                    try $0.intermediate.revocationList(begins: -7200, ends: -3600),
                ]
            },
            Case("Not required: revoked", isStrict: false, revoked) { [try $0.intermediate.revocationList([$0.leaf])] },
            Case("Not required: a list that another has signed", isStrict: false, unchecked + broken) {
                [try $0.root.revocationList(), try $0.intermediate.revocationList(signedBy: $0.root.key)]
            },
        ]

        @Test("Who is revoked, or cannot be checked, hears no request", arguments: strict + lenient)
        private func refused(case: Case) async throws {
            for version in [TLSFront.Version.tls12, .tls13] {
                let bench = try TrustBench(.with { $0.maximumVersion = version })
                defer { bench.stop() }
                let session = try bench.session {
                    $0.revocationLists = try `case`.lists(Chain(bench))
                    $0.requiresRevocationLists = `case`.isStrict
                }
                let responses = [await session.request(bench.url("/1")).raw(), await session.request(bench.url("/2")).raw()]
                if let words = `case`.words {
                    for response in responses {
                        #expect(response.kind == .transportFailed(.serverCertificateUntrusted), "\(response)")
                        #expect(response.words.contains(words), "\(response.words)")
                    }
                    let heard = try await bench.heard()
                    #expect(heard == (0, 0))
                } else {
                    #expect(responses.map(\.text) == ["/1", "/2"], "\(responses)")
                }
            }
        }

        @Test("What is not a list is an error that says which it is")
        func damaged() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            let good = try Chain(bench).good()
            let missing = "tls.revocationLists[2] has no revocation list that can be read, in DER or in PEM"
            let broken = "tls.revocationLists[2] is not a revocation list, or is damaged"
            let cases: [(Data, String)] = [
                (Data(), missing), (Data("no list".utf8), missing), (Data(bench.authority.root.pem.utf8), missing),
                (Data("-----BEGIN X509 CRL-----\n*\n-----END X509 CRL-----\n".utf8), missing),
                (Data((good[0].listInPEM + "-----BEGIN X509 CRL-----\nAAAA\n").utf8), missing),
                (Data("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n".utf8), broken),
                (bench.authority.root.der, broken), (good[0] + Data([0]), broken), (good[0].dropLast(), broken), (Data([0x30]), broken),
                (Data(("0\n" + good[0].listInPEM + "-----BEGIN X509 CRL-----\n").utf8), missing),
            ]
            for (data, words) in cases {
                let response = try await bench.response { $0.revocationLists = good + [data] }
                #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
                #expect(response.words.hasSuffix(": \(words)"), "\(response.words)")
            }
            #expect(bench.front.handshakes.allSatisfy { !$0.isComplete })
        }

        @Test("A list that OpenSSL would pass over is an error, although another one of its issuer names nobody (RFC 5280 section 5.2)")
        func partialLists() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            let chain = Chain(bench)
            let good = try chain.good()
            let extensions: [(TestCertificate.ListExtension, isPartial: Bool)] = [
                (.delta, true), (.scope("indirectCRL:TRUE"), true), (.scope("onlysomereasons:keyCompromise"), true),
                (.scope("onlyAA:TRUE"), true), (.scope("onlyuser:TRUE,onlyCA:TRUE"), true), (.scope("onlyuser:TRUE"), false),
            ]
            for (kind, isPartial) in extensions {
                let list = try chain.intermediate.revocationList([chain.leaf], kind)
                for lists in [good + [list], [list] + good, [good[0], list]] {
                    for isStrict in [true, false] {
                        let response = try await bench.response {
                            $0.revocationLists = lists
                            $0.requiresRevocationLists = isStrict
                        }
                        if isPartial {
                            #expect(response.words.contains("is a revocation list for a part of the certificates"), "\(kind): \(response)")
                        } else if lists.count == 2 {
                            #expect(response.words.contains(Self.revoked), "\(kind): \(response)")
                        }
                    }
                }
            }
        }

        @Test("Lists that are not required weaken nothing else")
        func otherProblems() async throws {
            let problems: [(URLError.Code, @Sendable (TestAuthority) throws -> TestIdentity)] = [
                (.serverCertificateHasBadDate, { try $0.identity(names: ["localhost"], begins: -200_000, ends: -100_000) }),
                (.serverCertificateUntrusted, { try $0.identity(names: ["other.test"]) }),
                (.serverCertificateUntrusted, { try $0.identity(names: ["localhost"], usage: "clientAuth") }),
                (.serverCertificateHasUnknownRoot, { _ in try TestAuthority(commonName: "Stranger").identity(names: ["localhost"]) }),
                (.serverCertificateHasUnknownRoot, { _ in try .selfSigned(names: ["localhost"]) }),
            ]
            for (code, identity) in problems {
                let bench = try TrustBench(identity: identity)
                defer { bench.stop() }
                let lists = [
                    try TestAuthority(commonName: "Nobody").root.revocationList(),
                    try bench.authority.root.revocationList(begins: -7200, ends: -3600),
                ]
                let response = try await bench.response {
                    $0.revocationLists = lists
                    $0.requiresRevocationLists = false
                }
                #expect(response.kind == .transportFailed(code), "\(response)")
                let heard = try await bench.heard()
                #expect(heard == (0, 0))
            }
        }

        @Test("A list that has a successor does not keep TLS sessions from being resumed")
        func successor() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            bench.server.route("*") { .text($0.path).closing() }
            let chain = Chain(bench)
            let session = try bench.session {
                $0.revocationLists = try chain.good() + [try chain.root.revocationList(begins: -7200, ends: -3600)]
            }
            for path in ["/1", "/2"] { #expect(await session.request(bench.url(path)).raw().text == path) }
            #expect(bench.front.handshakes.map(\.offersSession) == [false, true])
        }

        @Test("With lists an intermediate certificate is no anchor, since its own issuer is not known")
        func partialChain() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            let chain = Chain(bench)
            let authorities = TLSConfiguration.Authorities.only([chain.intermediate.certificate])
            #expect(try await bench.response { $0.authorities = authorities }.text == "/x")
            let response = try await bench.response {
                $0.authorities = authorities
                $0.revocationLists = try chain.good()
            }
            #expect(response.kind == .transportFailed(.serverCertificateHasUnknownRoot), "\(response)")
            #expect(
                response.words.hasSuffix("(the root's: with tls.revocationLists no other certificate counts)"), "\(response.words)")
        }

        @Test("A TLS session is not resumed after the end of a list that it was verified with")
        func resumed() async throws {
            for isStrict in [true, false] {
                let bench = try TrustBench()
                defer { bench.stop() }
                bench.server.route("*") { .text($0.path).closing() }
                let chain = Chain(bench)
                let end = Date(timeIntervalSinceNow: 16)
                let session = try bench.session {
                    $0.revocationLists = [try chain.root.revocationList(), try chain.intermediate.revocationList(ends: 15)]
                    $0.requiresRevocationLists = isStrict
                }
                #expect(await session.request(bench.url("/1")).raw().text == "/1")
                if isStrict { try await waitUntil("the end of the list") { Date() > end } }
                let second = await session.request(bench.url("/2")).raw()
                if isStrict {
                    #expect(second.words.contains("the list of its issuer has expired"), "\(second)")
                } else {
                    #expect(second.text == "/2", "\(second)")
                }
                #expect(bench.front.handshakes.map(\.offersSession) == [false, !isStrict])
            }
        }

        @Test("Random changes to a list make it an error or a list, and nothing else")
        func random() async throws {
            let bench = try TrustBench { try $0.identity(names: ["localhost"]) }
            defer { bench.stop() }
            let authority = bench.authority
            let list = try authority.root.revocationList([bench.identity.leaf])
            let library = try TLSLibrary.system.get()
            var random = SeededGenerator(state: 33)
            var lists: [Data] = []
            for _ in 0..<TestDepth.choose(500, deep: 20_000) {
                var changed = list
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<changed.count, using: &random)
                    if Bool.random(using: &random) {
                        changed[place] = .random(in: 0...255, using: &random)
                    } else {
                        changed.remove(at: place)
                    }
                }
                var configuration = TLSConfiguration()
                configuration.authorities = .only([authority.root.certificate])
                configuration.revocationLists = [changed]
                do throws(TLSFailure) {
                    let store = try TLSStore.load(VerificationRules(configuration, problem: nil), TLSStorePlaces(file: nil), library)
                    #expect(store.hasLists)
                    lists.append(changed)
                } catch {
                    guard case .configuration(let words) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(words.hasPrefix("tls.revocationLists[0] "))
                }
            }
            // A change of a byte of the signature or a date is still a list.
            #expect(!lists.isEmpty)
            // No changed one proves that the certificate is good.
            for list in lists.prefix(TestDepth.choose(20, deep: 1000)) {
                let response = try await bench.response { $0.revocationLists = [list] }
                #expect(response.kind == .transportFailed(.serverCertificateUntrusted), "\(response)")
            }
        }
    }

    extension Data {
        fileprivate var listInPEM: String {
            let lines = base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN X509 CRL-----\n\(lines)\n-----END X509 CRL-----\n"
        }
    }
#endif
