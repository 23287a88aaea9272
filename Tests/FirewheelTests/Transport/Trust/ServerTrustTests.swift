#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `ServerTrustManager` before servers of all kinds.
    @Suite("Server trust", .needsTLSServer, .timeLimit(.minutes(5)))
    struct ServerTrustTests {
        private static let ways: [(TLSFront.Version, isMultiplexed: Bool)] =
            [(.tls12, false), (.tls13, false)] + (TLSTesting.http2Reason == nil ? [(.tls13, true)] : [])

        private func bench(
            _ server: TrustMatrix.Server = .right, _ version: TLSFront.Version = .tls13, isMultiplexed: Bool = false
        ) throws -> (TrustBench, TrustMatrix.Known) {
            let unrelated = try TestAuthority(commonName: "Unrelated").root
            let bench = try TrustBench(.with { $0.maximumVersion = version }, isMultiplexed: isMultiplexed) {
                try server.identity(of: $0, unrelated: unrelated)
            }
            return (bench, TrustMatrix.Known(identity: bench.identity, root: bench.authority.root, unrelated: unrelated))
        }

        @Test("Each client trusts each server, or refuses it for its reason, and then the server hears no request", arguments: ways)
        func matrix(version: TLSFront.Version, isMultiplexed: Bool) async throws {
            for (column, server) in TrustMatrix.Server.allCases.enumerated() {
                let (bench, known) = try bench(server, version, isMultiplexed: isMultiplexed)
                defer { bench.stop() }
                for client in TrustMatrix.clients {
                    let expected = Array(client.outcomes)[column]
                    let session = try bench.session(client.manager(known))
                    let response = await session.request(bench.url()).raw()
                    #expect(TrustMatrix.letter(response.error) == expected, "\(client.name) × \(server): \(response)")
                    #expect(
                        expected == "." || (response.error as? FirewheelError)?.isServerTrustEvaluationError == true,
                        "\(client.name) × \(server)")
                }
                #expect(try await bench.heard().requests == TrustMatrix.clients.count { Array($0.outcomes)[column] == "." }, "\(server)")
            }
        }

        @Test("A refusal says for which host and why, with the pins expected and those that came")
        func words() async throws {
            let (bench, known) = try bench()
            defer { bench.stop() }
            func words(_ evaluator: any ServerTrustEvaluating, host: String = "localhost") async throws -> String {
                let session = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator]))
                let response = await session.request(bench.front.url("/x", host: host)).raw()
                return response.words.replacing("GET \(bench.front.url("/x", host: host)): ", with: "")
            }
            let (leaf, middle, root) = (known.leaf, known.intermediate, known.root.certificate)
            let pins =
                "CN=localhost (\(leaf.publicKeyPin)), issuer \(leaf.issuer); \(middle.subject) (\(middle.publicKeyPin)), issuer "
                + "\(middle.issuer); \(root.subject) (\(root.publicKeyPin))"
            #expect(
                try await words(PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin]))
                    == "none of the keys of localhost is pinned (expected \(TrustMatrix.strangePin); the server has \(pins))")
            let other = known.unrelated.certificate
            #expect(
                try await words(PinnedCertificatesTrustEvaluator(certificates: [other]))
                    == "none of the certificates of localhost is pinned (expected \(other); the server has \(pins))")
            #expect(
                try await words(OwnEvaluator { _ in throw OwnRefusal() })
                    == "the evaluator of localhost refused the server (subject CN=localhost, issuer \(leaf.issuer)): not on the list")
            #expect(
                try await words(DisabledTrustEvaluator(), host: "127.0.0.1")
                    == "127.0.0.1 has no evaluator, and allHostsMustBeEvaluated is true")
        }

        @Test("The cause of a refusal by default validation has its code, and the user's error is the underlying one")
        func causes() async throws {
            let (bench, _) = try bench(.expired)
            defer { bench.stop() }
            let session = try bench.session(ServerTrustManager(evaluators: ["localhost": DefaultTrustEvaluator()]))
            let expired = try #require(await session.request(bench.url()).raw().error as? FirewheelError)
            #expect(expired.urlErrorCode == .serverCertificateHasBadDate && "\(expired)".contains("has expired (subject CN=localhost"))
            let own = try bench.session(
                ServerTrustManager(evaluators: ["localhost": OwnEvaluator(requiresDefaultValidation: false) { _ in throw OwnRefusal() }]))
            let refused = try #require(await own.request(bench.url()).raw().error as? FirewheelError)
            #expect(refused.underlyingError is OwnRefusal && refused.urlErrorCode == .serverCertificateUntrusted)
        }

        @Test("What an evaluator's own request has come to is not what this one has")
        func innerFailure() {
            let inner = FirewheelError(.responseValidationFailed(.unacceptableStatusCode(503)), underlyingError: CancellationError())
            for inner in [inner, FirewheelError(.explicitlyCancelled), .transportFailed(.timedOut, "late")] {
                let error = FirewheelError(.serverTrustEvaluationFailed(.customEvaluationFailed), underlyingError: inner)
                #expect(error.isServerTrustEvaluationError && error.urlErrorCode == .serverCertificateUntrusted)
                #expect(!error.isExplicitlyCancelled && !error.isTimeout && error.responseCode == nil)
                #expect((error.underlyingError as? FirewheelError)?.kind == inner.kind)
            }
        }

        @Test("A certificate that is its own authority, or has one of its own, counts only if it is not on the session's revocation lists")
        func revokedPin() async throws {
            let (bench, known) = try bench()
            defer { bench.stop() }
            let middle = bench.identity.behind[0]
            let good = [try known.root.revocationList(), try middle.revocationList()]
            let revoked = [good[0], try middle.revocationList([bench.identity.leaf])]
            let evaluator = PinnedCertificatesTrustEvaluator(
                certificates: [known.root.certificate], acceptSelfSignedCertificates: true)
            for (lists, requires, letter, words) in [
                (good, true, ".", ""), (revoked, true, "R", "the certificate of localhost is revoked (subject CN=localhost"),
                (
                    [good[0]], true, "R",
                    "the certificate of localhost cannot be checked for revocation: tls.revocationLists has no usable list"
                ),
                ([good[0]], false, ".", ""), ([Data("junk".utf8)], true, "T", "tls.revocationLists[0] has no revocation list"),
            ] as [([Data], Bool, Character, String)] {
                let session = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator])) {
                    $0.tls.revocationLists = lists
                    $0.tls.requiresRevocationLists = requires
                }
                let response = await session.request(bench.url()).raw()
                #expect(TrustMatrix.letter(response.error) == letter, "\(response)")
                #expect(letter == "." || response.words.contains(words), "\(response)")
            }
        }

        @Test("An expired certificate with a pinned authority is said to have expired, and one with another authority to lead to no pin")
        func refusedAuthority() async throws {
            for (server, kind, code, words) in [
                (
                    .expired, .defaultEvaluationFailed, .serverCertificateHasBadDate,
                    "the certificate of localhost has expired (subject CN=localhost)"
                ),
                (
                    .unknownAuthority, .certificatePinningFailed, .serverCertificateUntrusted,
                    "the chain of localhost leads to no pinned certificate (expected CN=Firewheel Test Root (sha256/"
                ),
            ] as [(TrustMatrix.Server, FirewheelError.ServerTrustFailureReason, URLError.Code, String)] {
                let (bench, known) = try bench(server)
                defer { bench.stop() }
                let evaluator = PinnedCertificatesTrustEvaluator(
                    certificates: [known.root.certificate], acceptSelfSignedCertificates: true)
                let session = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator]))
                let response = await session.request(bench.url()).raw()
                #expect(response.kind == .serverTrustEvaluationFailed(kind) && response.words.contains(words), "\(response)")
                #expect((response.error as? FirewheelError)?.urlErrorCode == code)
            }
        }

        @Test("The common name is no name for name constraints either, with and without a manager")
        func constraints() async throws {
            let middle = try TestAuthority().root
            let constrained = try middle.issue(
                .init(
                    commonName: "Constrained", isAuthority: true,
                    nameConstraints: "permitted;DNS:example.com,permitted;IP:127.0.0.0/255.0.0.0"))
            let fitting = try constrained.issue(.init(commonName: "device.lan", addresses: ["127.0.0.1"]))
            let outside = try constrained.issue(.init(commonName: "device.lan", names: ["localhost"], addresses: ["127.0.0.1"]))
            for (leaf, letters) in [(fitting, "...."), (outside, "TTDD")] {
                let bench = try TrustBench { _ in TestIdentity(leaf: leaf, behind: [constrained]) }
                defer { bench.stop() }
                let pins = PinnedCertificatesTrustEvaluator(certificates: [middle.certificate], acceptSelfSignedCertificates: true)
                for (manager, letter) in zip(
                    [
                        nil, ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:]),
                        ServerTrustManager(evaluators: ["127.0.0.1": DefaultTrustEvaluator()]),
                        ServerTrustManager(evaluators: ["127.0.0.1": pins]),
                    ], letters)
                {
                    var configuration = try bench.configuration()
                    configuration.tls.authorities = .only([middle.certificate])
                    let session = Session(
                        configuration: configuration, transport: SocketTransport(configuration: .default), serverTrustManager: manager)
                    let response = await session.request(bench.front.url("/x")).raw()
                    #expect(TrustMatrix.letter(response.error) == letter, "\(response)")
                }
            }
        }

        @Test("An evaluator sees what the server has sent, and what was verified up to the anchor", arguments: ways)
        func seen(version: TLSFront.Version, isMultiplexed: Bool) async throws {
            let (bench, known) = try bench(.pinnedAppended, version, isMultiplexed: isMultiplexed)
            defer { bench.stop() }
            let seen = Journal<ServerTrust>()
            let session = try bench.session(ServerTrustManager(evaluators: ["localhost": OwnEvaluator { seen.add($0) }]))
            for path in ["/1", "/2"] { #expect(await session.request(bench.url(path)).raw().text == path) }
            // The kept-alive connection has its verdict.
            let trust = try #require(seen.entries.first)
            #expect(seen.count == 1 && trust.host == "localhost")
            #expect(trust.certificates == bench.identity.chain.map(\.certificate))
            #expect(trust.verifiedCertificates == [known.leaf, known.intermediate, known.root.certificate])
        }

        @Test("An evaluator that takes its time holds up nobody else, and 50 requests at once have one verdict for each connection")
        func slow() async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let (isOpen, waiting) = (Locked(false), Journal<String>())
            let manager = ServerTrustManager(evaluators: [
                "localhost": OwnEvaluator { trust in
                    waiting.add(trust.host)
                    try await waitUntil("the gate") { isOpen.withLock { $0 } }
                }
            ])
            let transport = SocketTransport(configuration: .default, places: bench.places)
            let asking = Session(configuration: try bench.configuration(), transport: transport, serverTrustManager: manager)
            let plain = Session(configuration: try bench.configuration(), transport: transport)
            async let all = withTaskGroup(of: String?.self) { group in
                for number in 0..<50 { group.addTask { await asking.request(bench.url("/\(number)")).raw().text } }
                return await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            _ = try await waiting.wait(for: 1)
            for _ in 0..<10 { #expect(await plain.request(bench.url("/plain")).raw().text == "/plain") }
            #expect(bench.server.requestCount == 10)
            isOpen.withLock { $0 = true }
            #expect(await all == Set((0..<50).map { "/\($0)" }))
            #expect(waiting.count == bench.front.handshakes.count { !$0.isResumed } - 1)
        }

        @Test("50 requests at once that are refused all have the error, and the server hears none", arguments: ways)
        func manyRefused(version: TLSFront.Version, isMultiplexed: Bool) async throws {
            let (bench, _) = try bench(.right, version, isMultiplexed: isMultiplexed)
            defer { bench.stop() }
            let pins = try PublicKeysTrustEvaluator(pins: [TrustMatrix.strangePin])
            let session = try bench.session(ServerTrustManager(evaluators: ["localhost": pins]))
            let letters = await withTaskGroup(of: Character.self) { group in
                for _ in 0..<50 { group.addTask { TrustMatrix.letter(await session.request(bench.url()).raw().error) } }
                return await group.reduce(into: "") { $0.append($1) }
            }
            #expect(letters == String(repeating: "K", count: 50))
            #expect(try await bench.heard().bytes == 0)
        }

        @Test("An evaluator that never returns is ended by the connect timeout, and cancelled")
        func neverReturns() async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let ends = Journal<Bool>()
            let session = try bench.session(
                ServerTrustManager(evaluators: [
                    "localhost": OwnEvaluator { _ in
                        await untilCancelled()
                        ends.add(Task.isCancelled)
                    }
                ])
            ) { $0.connectTimeout = 1 }
            let response = await session.request(bench.url()).raw()
            #expect(response.kind == .transportFailed(.timedOut), "\(response)")
            #expect(response.words.hasSuffix("evaluating the certificate of localhost:\(bench.front.port)"), "\(response.words)")
            #expect(try await ends.wait(for: 1) == [true])
            let heard = try await bench.heard()
            #expect(heard == (0, 0))
        }

        @Test("A server may send a hundred certificates, of which only those of the verified chain satisfy a pin", arguments: ways)
        func longChain(version: TLSFront.Version, isMultiplexed: Bool) async throws {
            let unrelated = try TestAuthority(commonName: "Unrelated").root
            let bench = try TrustBench(.with { $0.maximumVersion = version }, isMultiplexed: isMultiplexed) {
                let identity = try $0.identity(names: ["localhost"], intermediates: 1)
                return identity.sending(identity.behind + Array(repeating: unrelated, count: 98))
            }
            defer { bench.stop() }
            for (certificate, letter) in [(bench.identity.leaf, "."), (unrelated, "K")] as [(TestCertificate, Character)] {
                let pins = PublicKeysTrustEvaluator(certificates: [certificate.certificate])
                let session = try bench.session(ServerTrustManager(evaluators: ["localhost": pins]))
                #expect(TrustMatrix.letter(await session.request(bench.url()).raw().error) == letter)
            }
            #expect(try await bench.heard().requests == 1)
        }

        @Test("A cancel reaches the evaluator", arguments: ["cancel", "invalidate"])
        func cancelled(way: String) async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let (begins, ends) = (Journal<String>(), Journal<Bool>())
            let session = try bench.session(
                ServerTrustManager(evaluators: [
                    "localhost": OwnEvaluator { trust in
                        begins.add(trust.host)
                        await untilCancelled()
                        ends.add(Task.isCancelled)
                    }
                ]))
            let request = session.request(bench.url())
            async let response = request.raw()
            _ = try await begins.wait(for: 1)
            if way == "cancel" { request.cancel() } else { session.invalidate() }
            #expect(await response.kind == (way == "cancel" ? .explicitlyCancelled : .sessionInvalidated))
            #expect(try await ends.wait(for: 1) == [true])
            let heard = try await bench.heard()
            #expect(heard == (0, 0))
        }

        @Test("A request does not wait for an evaluator that ignores its cancellation")
        func stubborn() async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let (isOpen, begins, ends) = (Locked(false), Journal<String>(), Journal<Void>())
            let session = try bench.session(
                ServerTrustManager(evaluators: [
                    "localhost": OwnEvaluator { trust in
                        begins.add(trust.host)
                        // The cancellation comes from another thread, perhaps after the response.
                        while !isOpen.withLock({ $0 }) || !Task.isCancelled { await Task.yield() }
                        ends.add(())
                    }
                ]))
            let request = session.request(bench.url())
            async let response = request.raw()
            _ = try await begins.wait(for: 1)
            request.cancel()
            #expect(await response.kind == .explicitlyCancelled)
            #expect(ends.count == 0)
            isOpen.withLock { $0 = true }
            _ = try await ends.wait(for: 1)
            let heard = try await bench.heard()
            #expect(heard == (0, 0))
        }

        @Test("Requests that are canceled around the question leave no evaluator behind")
        func cancelledAnyTime() async throws {
            let chain = [try TestAuthority().root.der]
            let transport = StubTransport { _ in
                [.question(.trust(ServerCertificates(host: "stub.test", chain: chain))), .finish(body: Data())]
            }
            let (begins, ends) = (Locked(0), Locked(0))
            let session = Session(
                transport: transport,
                serverTrustManager: ServerTrustManager(evaluators: [
                    "stub.test": OwnEvaluator(requiresDefaultValidation: false) { _ in
                        begins.withLock { $0 += 1 }
                        await untilCancelled()
                        ends.withLock { $0 += 1 }
                    }
                ]))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let request = session.request("https://stub.test/\(number)")
                        async let response = request.raw()
                        for _ in 0..<number % 20 { await Task.yield() }
                        request.cancel()
                        #expect(await response.kind == .explicitlyCancelled)
                    }
                }
            }
            try await waitUntil("the end of all evaluators") { begins.withLock { $0 } == ends.withLock { $0 } }
        }

        @Test("A session that is released while an evaluator runs still gets its response")
        func released() async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let (isOpen, begins) = (Locked(false), Journal<String>())
            var session: Session? = try bench.session(
                ServerTrustManager(evaluators: [
                    "localhost": OwnEvaluator { trust in
                        begins.add(trust.host)
                        try await waitUntil("the gate") { isOpen.withLock { $0 } }
                    }
                ]))
            let request = try #require(session?.request(bench.url()))
            async let response = request.raw()
            _ = try await begins.wait(for: 1)
            session = nil
            isOpen.withLock { $0 = true }
            #expect(await response.text == "/x")
        }

        @Test("A transport of one's own may ask with any certificates")
        func ownTransport() async throws {
            let authority = try TestAuthority()
            let leaf = try authority.identity(names: ["stub.test"]).leaf
            let verified = [leaf.der, authority.root.der]
            let (junk, failure) = (Data("junk".utf8), TransportError.failed(.serverCertificateHasUnknownRoot, "nobody knows it"))
            for (certificates, letter, words) in [
                (ServerCertificates(host: "stub.test", chain: [leaf.der], verifiedChain: verified), ".", ""),
                (ServerCertificates(host: "stub.test", chain: [leaf.der, junk], verifiedChain: verified), ".", ""),
                (ServerCertificates(host: "stub.test", chain: [leaf.der]), "D", "was not verified"),
                (
                    ServerCertificates(host: "stub.test", chain: [leaf.der], verifiedChain: verified, failure: failure), "D",
                    "nobody knows it"
                ),
                (ServerCertificates(host: "stub.test", chain: []), "D", "stub.test has shown no certificate"),
                (ServerCertificates(host: "stub.test", chain: [junk]), "D", "cannot be read"),
                (ServerCertificates(host: "else.test", chain: [leaf.der], verifiedChain: verified), "H", "is for another host"),
                (ServerCertificates(host: "a b", chain: [leaf.der], verifiedChain: verified), "N", "a b is not a host"),
            ] as [(ServerCertificates, Character, String)] {
                let transport = StubTransport { _ in [.question(.trust(certificates)), .finish(body: Data("body".utf8))] }
                let manager = ServerTrustManager(
                    evaluators: ["stub.test": DefaultTrustEvaluator(), "else.test": DefaultTrustEvaluator()])
                let session = Session(transport: transport, serverTrustManager: manager)
                let response = await session.request("https://stub.test/").raw()
                #expect(TrustMatrix.letter(response.error) == letter, "\(response)")
                #expect(letter == "." ? response.text == "body" : response.words.contains(words), "\(response)")
            }
        }

        @Test("A verdict serves its manager alone: another one has connections and TLS sessions of its own", arguments: ways)
        func anotherManager(version: TLSFront.Version, isMultiplexed: Bool) async throws {
            let (bench, known) = try bench(.right, version, isMultiplexed: isMultiplexed)
            defer { bench.stop() }
            let transport = SocketTransport(configuration: .default, places: bench.places)
            func session(_ evaluator: any ServerTrustEvaluating) throws -> Session {
                Session(
                    configuration: try bench.configuration(), transport: transport,
                    serverTrustManager: ServerTrustManager(evaluators: ["localhost": evaluator]))
            }
            let (accepting, refusing) = (try session(OwnEvaluator { _ in }), try session(OwnEvaluator { _ in throw OwnRefusal() }))
            let pinning = try session(PublicKeysTrustEvaluator(certificates: [known.leaf]))
            for round in 0..<2 {
                #expect(await accepting.request(bench.url("/a")).raw().text == "/a")
                #expect(TrustMatrix.letter(await refusing.request(bench.url()).raw().error) == "U")
                #expect(await pinning.request(bench.url("/p")).raw().text == "/p")
                #expect(bench.server.requestCount == 2 * (round + 1))
            }
        }

        @Test(
            "A resumed TLS session has the verdict of its own handshake, and a server that is refused has none",
            arguments: [TLSFront.Version.tls12, .tls13], [false, true])
        func resumed(version: TLSFront.Version, wantsStapledResponse: Bool) async throws {
            let (bench, _) = try bench(.right, version)
            defer { bench.stop() }
            bench.server.route("*") { .text($0.path).closing() }
            let verdicts = Journal<String>()
            let evaluator = OwnEvaluator(wantsStapledResponse: wantsStapledResponse) {
                verdicts.add($0.host)
                if verdicts.count == 1 { throw OwnRefusal() }
            }
            let session = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator]))
            #expect(TrustMatrix.letter(await session.request(bench.url()).raw().error) == "U")
            for _ in 0..<3 { #expect(await session.request(bench.url()).raw().text == "/x") }
            let (offers, resumptions) = (bench.front.handshakes.map(\.offersSession), bench.front.handshakes.map(\.isResumed))
            #expect(offers == [false, false, true, true] && resumptions == offers && verdicts.count == 2)
        }

        @Test("A redirect to another host is evaluated for that host")
        func redirected() async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let target = bench.url("/target")
            bench.server.route("/from") { _ in .text("", status: 302).header("Location", target) }
            let hosts = Journal<String>()
            let evaluator = OwnEvaluator(requiresDefaultValidation: false) { hosts.add($0.host) }
            let both = try bench.session(ServerTrustManager(evaluators: ["localhost": evaluator, "127.0.0.1": evaluator]))
            #expect(await both.request(bench.front.url("/from")).raw().text == "/target")
            #expect(hosts.entries == ["127.0.0.1", "localhost"])
            let first = try bench.session(ServerTrustManager(evaluators: ["127.0.0.1": evaluator]))
            let before = bench.server.requestCount
            #expect(TrustMatrix.letter(await first.request(bench.front.url("/from")).raw().error) == "N")
            #expect(bench.server.requestCount == before + 1)
        }

        @Test("Without https nobody is asked, and a key of the manager that is no pattern makes every https request fail")
        func patterns() async throws {
            let (bench, _) = try bench()
            defer { bench.stop() }
            let none = try bench.session(ServerTrustManager(evaluators: [:]))
            #expect(await none.request(bench.server.url("/plain")).raw().text == "/plain")
            for pattern in ["*.", "*", "https://localhost", "local host", "localhost..", "*.localhost..", ".localhost", "", "*.127.0.0.1"] {
                let session = try bench.session(
                    ServerTrustManager(evaluators: [pattern: DisabledTrustEvaluator(), "localhost": DisabledTrustEvaluator()]))
                let response = await session.request(bench.url()).raw()
                #expect(response.kind == .serverTrustEvaluationFailed(.noRequiredEvaluator))
                #expect(response.words.contains("ServerTrustManager: \(pattern.debugDescription) is "), "\(response.words)")
            }
        }
    }

    /// Waits until the task is cancelled.
    private func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }
#endif
