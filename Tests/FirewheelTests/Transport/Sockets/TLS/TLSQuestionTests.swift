#if os(Linux)
    import Foundation
    import TLSHeaderCheck
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("TLS: questions of trust", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSQuestionTests {
        let authority: TestAuthority
        let context: TLSContext

        init() throws {
            authority = try TestAuthority()
            context = try .trusting(authority, TLSOptions(trust: .init(judge: TrustToken())))
        }

        private func pair(_ version: TLSFront.Version, _ identity: TestIdentity, _ sessions: TLSSessions? = nil) throws -> TLSPair {
            try TLSPair(context, TLSFrontContext(identity, .with { $0.maximumVersion = version }), sessions: sessions)
        }

        @Test("A handshake stands still until the answer, and goes on with it", arguments: [TLSFront.Version.tls12, .tls13])
        func accepted(version: TLSFront.Version) throws {
            let identity = try authority.identity(names: ["localhost"], intermediates: 1)
            let pair = try pair(version, identity)
            let question = try #require(pair.handshake().question)
            #expect(question.host == "localhost")
            #expect(question.chain == identity.chain.map(\.der))
            #expect(pair.stream.finding == nil)
            // Nothing moves, and nothing can be sent meanwhile.
            for _ in 0..<3 {
                #expect(pair.handshake().question != nil)
                #expect(!pair.move())
                guard case .wouldBlock = pair.stream.send(UnsafeRawBufferPointer(start: nil, count: 0)) else {
                    throw MockServerError.tls(reason: "sent")
                }
                guard case .wouldBlock = pair.receiveAll().last else { throw MockServerError.tls(reason: "received") }
            }
            pair.stream.answer(.accept)
            try pair.requireHandshake()
            #expect(pair.stream.verifiedChain.count == 3)
            _ = pair.sendAll(Array("hello".utf8))
            while pair.move() {}
            #expect(pair.received == Array("hello".utf8))
        }

        @Test("A refusal is the handshake's error, and the server is told", arguments: [TLSFront.Version.tls12, .tls13])
        func refused(version: TLSFront.Version) throws {
            let pair = try pair(version, authority.identity(names: ["localhost"]))
            #expect(pair.handshake().question != nil)
            let error = TransportError.failed(.serverCertificateUntrusted, "the pin does not match")
            pair.stream.answer(.refuse(error))
            #expect(pair.handshake().failure == .refused(error))
            #expect(TLSFailure.refused(error).error(for: .test) == error)
            while pair.move() {}
            #expect(pair.serverError.contains("alert"))
            #expect(pair.received.isEmpty)
            // An answer that comes late changes nothing.
            pair.stream.answer(.accept)
            #expect(!pair.handshake().isDone)
        }

        @Test("What OpenSSL has found can be seen, and the answer decides")
        func untrusted() throws {
            let pair = try pair(.tls13, .selfSigned(names: ["localhost"]))
            #expect(pair.handshake().question != nil)
            #expect(pair.stream.finding?.code == .serverCertificateHasUnknownRoot)
            pair.stream.answer(.accept)
            try pair.requireHandshake()
            #expect(pair.stream.finding == nil)
        }

        @Test("What was accepted is not the reason of a failure that follows")
        func laterFailure() throws {
            let pair = try pair(.tls12, .selfSigned(names: ["localhost"]))
            #expect(pair.handshake().question != nil)
            pair.stream.answer(.accept)
            guard case .wantsReading = pair.stream.handshake() else { throw MockServerError.tls(reason: "not waiting") }
            pair.serverSendsRaw(TLSScript.alert(80))
            pair.deliver(.max)
            #expect(pair.stream.handshake().failure == .alert(80))
        }

        @Test("A connection that is closed before the answer says nothing more")
        func closed() throws {
            let pair = try pair(.tls13, authority.identity(names: ["localhost"]))
            #expect(pair.handshake().question != nil)
            pair.stream.close()
            pair.stream.answer(.accept)
            #expect(pair.stream.handshake().failure == .closed)
            #expect(!pair.move())
        }

        @Test("Where OpenSSL knows no verdict that takes time, the handshake fails", arguments: [TLSFront.Version.tls12, .tls13])
        func noQuestions(version: TLSFront.Version) throws {
            let old = try SystemLibraryTable(functions: #require(tls_without_questions(TLSLibrary.system.get().functions)))
            let context = try TLSContext.load(
                TLSOptions(trust: .init(judge: TrustToken())), places: TLSStorePlaces(file: authority.pemFile.path), library: .success(old))
            let server = try TLSFrontContext(authority.identity(names: ["localhost"]), .with { $0.maximumVersion = version })
            let pair = try TLSPair(context, server)
            let words = try #require(pair.handshake().failure?.words())
            #expect(words.text.contains("cannot be judged by the program: OpenSSL 3.0.2 or later is needed"), "\(words)")
            pair.stream.answer(.accept)
            #expect(!pair.handshake().isDone && pair.received.isEmpty)
            #expect(pair.serverError.contains("alert"), "\(pair.serverError)")
        }

        @Test("A resumed connection is not asked about")
        func resumed() throws {
            let sessions = TLSSessions()
            let server = try TLSFrontContext(authority.identity(names: ["localhost"]), .init())
            let first = try TLSPair(context, server, sessions: sessions)
            _ = first.handshake()
            first.stream.answer(.accept)
            try first.requireHandshake()
            first.serverSends([1])
            _ = first.receiveAll()
            first.stream.close()
            let second = try TLSPair(context, server, sessions: sessions)
            try second.requireHandshake()
            #expect(second.stream.isResumed)
            #expect(second.stream.verifiedChain == first.stream.verifiedChain)
        }

        @Test("A verdict serves resumed sessions for a day at most, and without one the certificates count")
        func verdictEnd() throws {
            let server = try TLSFrontContext(authority.identity(names: ["localhost"]), .init())
            let now = Int64(Date().timeIntervalSince1970)
            for (context, isJudged) in [(context, true), (try TLSContext.trusting(authority), false)] {
                let sessions = TLSSessions()
                let key = TLSSessions.Key(context: context.id, name: "localhost", isAddress: false, port: 443, protocols: ["http/1.1"])
                let pair = try TLSPair(context, server, sessions: sessions)
                _ = pair.handshake()
                pair.stream.answer(.accept)
                try pair.requireHandshake()
                pair.serverSends([1])
                _ = pair.receiveAll()
                pair.stream.close()
                let end = try #require(sessions.take(for: key)).chainEnd
                #expect((end <= now + 86_400 + 60) == isJudged && end >= now + 86_400)
            }
        }
    }
#endif
