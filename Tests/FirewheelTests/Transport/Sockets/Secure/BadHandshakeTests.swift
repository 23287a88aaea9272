#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Servers that do not speak TLS as they should, up to the end of the handshake.
    @Suite("Bad handshakes on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct BadHandshakeTests {
        /// What a server does, and the words of the error that follows "the TLS handshake with HOST:PORT failed: ", or the whole sentence
        /// behind the address.
        struct Misdeed: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let steps: [TLSScript.Step]
            var words: String?
            var wholeWords: String?
            var code = URLError.Code.secureConnectionFailed
        }

        private static let garbage = (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
        private static let twoHellos = TLSScript.record(22, TLSScript.serverHello + TLSScript.serverHello)

        static let misdeeds: [Misdeed] =
            [
                Misdeed(
                    testDescription: "answers with HTTP", steps: [.read, .send(TLSScript.plainAnswer), .end],
                    wholeWords: "does not speak TLS"),
                Misdeed(testDescription: "answers with garbage", steps: [.read, .send(garbage), .end], wholeWords: "does not speak TLS"),
                Misdeed(
                    testDescription: "greets as a mail server", steps: [.send(Array("220 mail.test ESMTP\r\n".utf8)), .stall],
                    wholeWords: "does not speak TLS"),
                Misdeed(testDescription: "closes at once", steps: [.end], words: "connection closed"),
                Misdeed(testDescription: "closes after the ClientHello", steps: [.read, .end], words: "connection closed"),
                Misdeed(
                    testDescription: "says that it closes", steps: [.read, .send(TLSScript.alert(0, isFatal: false)), .end],
                    words: "connection closed"),
                Misdeed(testDescription: "resets after the ClientHello", steps: [.read, .reset], words: "connection reset"),
                Misdeed(
                    testDescription: "sends half a record and closes", steps: [.read, .send(TLSScript.halfRecord), .end],
                    words: "connection closed"),
                Misdeed(
                    testDescription: "sends half a record and resets", steps: [.read, .send(TLSScript.halfRecord), .reset],
                    words: "connection reset"),
                Misdeed(testDescription: "sends two ServerHellos", steps: [.read, .send(twoHellos), .stall], words: "unexpected message"),
                Misdeed(
                    testDescription: "sends application data", steps: [.read, .send(TLSScript.record(23, [1, 2, 3])), .stall],
                    words: "unexpected message"),
                Misdeed(
                    testDescription: "sends 10,000 empty records", steps: [.read, .send(repeated(TLSScript.record(22, []))), .stall],
                    words: "record too small"),
                Misdeed(
                    testDescription: "sends 10,000 warnings", steps: [.read, .send(repeated(TLSScript.alert(90, isFatal: false))), .stall],
                    words: "too many warn alerts"),
                Misdeed(
                    testDescription: "sends 10,000 changes of the cipher",
                    steps: [.read, .send(repeated(TLSScript.record(20, [1]))), .stall],
                    words: "unexpected message"),
                Misdeed(
                    testDescription: "sends an endless message",
                    steps: [.read, .send(TLSScript.record(22, [2, 255, 255, 255] + [UInt8](repeating: 0, count: 16_000))), .stall],
                    words: "a message of the server, such as its certificates, is larger than OpenSSL takes"),
                Misdeed(
                    testDescription: "sends a list of certificates without any", steps: [.read, .send(TLSScript.emptyChain), .stall],
                    words: "the server sent no certificate, or a malformed list of them"),
            ] + alerts

        private static func repeated(_ record: [UInt8]) -> [UInt8] { Array(repeatElement(record, count: 10_000).joined()) }

        private static let remedy = "set one for the host in tls.identities"

        private static let alerts: [Misdeed] =
            [
                (40, "the server accepts none of the offered parameters, or requires a client certificate: \(remedy) (alert "),
                (42, "the server requires a client certificate: \(remedy) (alert bad_certificate)"),
                (70, "the server does not offer TLS 1.2 or later (alert protocol_version)"),
                (71, "the server requires stronger ciphers (alert insufficient_security)"),
                (80, "the server sent the alert internal_error"), (112, "the server does not know the host (alert unrecognized_name)"),
                (116, "the server requires a client certificate: \(remedy) (alert certificate_required)"),
                (120, "the server speaks none of the offered protocols (alert no_application_protocol)"),
                (200, "the server sent the alert 200"),
                (0, "the server sent the alert close_notify"),
            ].map { number, words in
                Misdeed(
                    testDescription: "sends the alert \(number)", steps: [.read, .send(TLSScript.alert(number)), .end], words: words,
                    code: number == 116 ? .clientCertificateRequired : .secureConnectionFailed)
            }

        @Test("What goes wrong is said of whom it was, in time", arguments: misdeeds)
        func reports(misdeed: Misdeed) async throws {
            let authority = try TestAuthority()
            let script = try TLSScript(misdeed.steps)
            defer { script.stop() }
            let session = authority.socketSession()
            let (response, seconds) = await session.request(script.url).timed()
            #expect(response.kind == .transportFailed(misdeed.code), "\(response)")
            let address = "127.0.0.1:\(script.port)"
            if let words = misdeed.words {
                #expect(response.words.contains(": the TLS handshake with \(address) failed: \(words)"), "\(response.words)")
            }
            if let words = misdeed.wholeWords { #expect(response.words.hasSuffix(": \(address) \(words)"), "\(response.words)") }
            #expect(seconds < 15)
            // The client has closed its connection.
            try await waitUntil("the end") { script.visits.count == 1 && !script.visits[0].isOpen }
            withExtendedLifetime(authority) {}
        }

        /// What ends a request whose server says nothing more.
        enum Rescue: String, CaseIterable, Sendable {
            case connectTimeout, idleTimeout, deadline, cancel, invalidation
        }

        @Test("A handshake that stops anywhere is ended by what ends a request", arguments: Rescue.allCases)
        func stalls(rescue: Rescue) async throws {
            try await atOnce([0, 3, 90, 900]) { try await stalls(rescue: rescue, after: $0) }
        }

        private func stalls(rescue: Rescue, after count: Int) async throws {
            let authority = try TestAuthority()
            let server = try MockServer()
            defer { server.shutdown() }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"], intermediates: 2),
                options: .with { $0.cut = .init(after: count, ending: .stall) })
            defer { front.stop() }
            let configuration = SessionConfiguration.with {
                $0.timeoutIntervalForRequest = rescue == .idleTimeout ? 1.5 : 20
                if rescue == .connectTimeout { $0.connectTimeout = 1.5 }
                if rescue == .deadline { $0.timeoutIntervalForResource = 1.5 }
            }
            let session = authority.socketSession(configuration)
            let request = session.request(front.url())
            async let timed = request.timed()
            if rescue == .cancel || rescue == .invalidation {
                try await waitUntil("the connection") { !front.handshakes.isEmpty }
                if rescue == .cancel { request.cancel() } else { session.invalidate(cancelling: true) }
            }
            let (response, seconds) = await timed
            switch rescue {
            case .connectTimeout, .idleTimeout:
                #expect(response.kind == .transportFailed(.timedOut), "\(response)")
                let words = "timed out after 1.5 s, securing the connection to 127.0.0.1:\(front.port)"
                #expect(response.words.hasSuffix(words), "\(response.words)")
            case .deadline:
                #expect(response.kind == .transportFailed(.timedOut), "\(response)")
            case .cancel: #expect(response.kind == .explicitlyCancelled, "\(response)")
            case .invalidation: #expect(response.kind == .sessionInvalidated, "\(response)")
            }
            #expect(seconds < 15)
            try await waitUntil("the end of the connection") {
                !front.handshakes.isEmpty && front.handshakes.allSatisfy { !$0.isOpen }
            }
            #expect(front.handshakes.count == 1 && server.requestCount == 0)
            withExtendedLifetime(authority) {}
        }

        @Test("A handshake whose bytes come one at a time is only slow", arguments: [TLSFront.Version.tls12, .tls13])
        func slow(version: TLSFront.Version) async throws {
            let bench = try SecureBench(
                .with {
                    $0.maximumVersion = version
                    $0.pieceSize = 1
                })
            defer { bench.stop() }
            bench.server.enqueue(.data(pattern(3_000)))
            #expect(await bench.session.request(bench.url()).raw().content == pattern(3_000))
        }

        @Test("A handshake that is cut at any byte is an error, and never a response", arguments: [TLSFront.Ending.truncated, .reset])
        func cut(ending: TLSFront.Ending) async throws {
            let authority = try TestAuthority()
            let server = try MockServer()
            defer { server.shutdown() }
            let session = authority.socketSession()
            for count in stride(from: 0, to: 1_100, by: TestDepth.choose(90, deep: 7)) {
                let front = try TLSFront(
                    to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                    options: .with { $0.cut = .init(after: count, ending: ending) })
                defer { front.stop() }
                let response = await session.request(front.url()).raw()
                #expect(
                    [.secureConnectionFailed, .networkConnectionLost].contains(response.error?.asFirewheelError?.urlErrorCode),
                    "\(response)")
            }
            withExtendedLifetime(authority) {}
        }

        @Test("A hundred such servers at once hold up nobody")
        func hundred() async throws {
            let bench = try SecureBench()
            defer { bench.stop() }
            bench.server.route("*") { _ in MockResponse.text("hello").closing() }
            let scripts = try (Self.misdeeds + [Misdeed(testDescription: "stops", steps: [.read, .stall])]).map { try TLSScript($0.steps) }
            defer { for script in scripts { script.stop() } }
            let bad = (0..<100).map { bench.session.request(scripts[$0 % scripts.count].url) }
            async let outcomes = withTaskGroup(of: Bool.self) { group in
                for request in bad { group.addTask { await request.raw().error != nil } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            // The last ones stop only with their request.
            for _ in 0..<20 { #expect(await bench.session.request(bench.url()).raw().text == "hello") }
            try await waitUntil("the visits") { scripts.map(\.visits.count).reduce(0, +) == 100 }
            bench.session.cancelAllRequests()
            #expect(await outcomes == Array(repeating: true, count: 100))
        }
    }
#endif
