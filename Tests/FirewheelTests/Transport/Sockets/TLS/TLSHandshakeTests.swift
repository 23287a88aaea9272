#if os(Linux)
    import Foundation
    import Glibc
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("TLS: handshakes", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSHandshakeTests {
        let authority: TestAuthority
        let context: TLSContext

        init() throws {
            authority = try TestAuthority()
            context = try .trusting(authority)
        }

        private func server(_ options: TLSFront.Options = .init()) throws -> TLSFrontContext {
            try TLSFrontContext(authority.identity(names: ["localhost"], intermediates: 1), options)
        }

        @Test("Both versions of TLS, with their facts", arguments: [TLSFront.Version.tls12, .tls13])
        func versions(version: TLSFront.Version) throws {
            let pair = try TLSPair(context, server(.with { $0.maximumVersion = version }))
            try pair.requireHandshake()
            #expect(pair.stream.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
            #expect(pair.stream.cipher?.hasPrefix("TLS_") == true)
            #expect(!pair.stream.isResumed)
            #expect(pair.stream.negotiatedProtocol == "http/1.1")
            #expect(pair.stream.finding == nil)
            #expect(pair.serverName == "localhost")
            // Up to the anchor.
            #expect(pair.stream.verifiedChain.count == 3)
            #expect(pair.stream.verifiedChain.last == authority.root.der)
            #expect(pair.stream.handshake().isDone)
        }

        @Test(
            "The protocol is the server's choice (RFC 7301 section 3.2)",
            arguments: [
                (["h2", "http/1.1"], ["h2", "http/1.1"], "h2"), (["h2", "http/1.1"], ["http/1.1"], "http/1.1"),
                (["http/1.1"], ["h2"], nil), ([], ["h2"], nil),
            ])
        func protocols(offer: [String], served: [String], chosen: String?) throws {
            let pair = try TLSPair(context, server(.with { $0.protocols = served }), protocols: offer)
            try pair.requireHandshake()
            #expect(pair.stream.negotiatedProtocol == chosen)
        }

        @Test(
            "A choice that was not offered ends the handshake (RFC 7301 section 3.2)",
            arguments: [["http/1.1"], ["http/1.0", "spdy/3"]], [TLSFront.Version.tls12, .tls13])
        func unofferedProtocol(offer: [String], version: TLSFront.Version) throws {
            let sessions = TLSSessions()
            let server = try server(
                .with {
                    $0.maximumVersion = version
                    $0.protocols = ["h2"]
                    $0.selection = .forced
                })
            let pair = try TLSPair(context, server, protocols: offer, sessions: sessions)
            for _ in 0..<2 {
                let failure = try #require(pair.handshake().failure)
                // The first is OpenSSL's own, in newer releases.
                #expect([.badExtension, .unofferedProtocol("h2")].contains(failure), "\(failure)")
            }
            #expect(pair.stream.negotiatedProtocol == nil && sessions.count == 0)
        }

        @Test(
            "Whether a choice was offered does not depend on OpenSSL (RFC 7301 section 3.2)",
            arguments: [
                ("h2", ["h2", "http/1.1"], nil), ("http/1.1", ["h2", "http/1.1"], nil), (nil, ["h2"], nil),
                ("h2", ["http/1.1"], .unofferedProtocol("h2")), ("H2", ["h2"], .unofferedProtocol("H2")),
                ("h2", [], .unofferedProtocol("h2")),
            ] as [(String?, [String], TLSFailure?)])
        func choice(name: String?, offered: [String], failure: TLSFailure?) {
            #expect(TLSStream.failure(ofChoice: name, offered: offered) == failure)
        }

        @Test("A server that speaks none of the offered protocols says so (RFC 7301 section 3.2)")
        func noProtocol() throws {
            let pair = try TLSPair(
                context,
                server(
                    .with {
                        $0.protocols = ["h2"]
                        $0.selection = .required
                    }))
            #expect(pair.handshake().failure == .alert(120))
        }

        @Test("A handshake in single bytes is only slow", arguments: [TLSFront.Version.tls12, .tls13])
        func bytes(version: TLSFront.Version) throws {
            let pair = try TLSPair(context, server(.with { $0.maximumVersion = version }))
            pair.pieceSize = 1
            try pair.requireHandshake()
            pair.serverSends(Array("hello".utf8))
            #expect(pair.receiveAll().bytes == Array("hello".utf8))
        }

        @Test("A handshake that ends at any byte is closed, and never a success", arguments: [TLSFront.Version.tls12, .tls13])
        func cut(version: TLSFront.Version) throws {
            let server = try server(.with { $0.maximumVersion = version })
            let whole = try TLSPair(context, server)
            var total = 0
            while case .wantsReading = whole.stream.handshake() {
                whole.pieceSize = 0
                whole.move()
                total += whole.output.count
                whole.deliver(.max)
            }
            #expect(total > 1000)
            for end in stride(from: 0, to: total, by: 37) {
                let pair = try TLSPair(context, server)
                pair.pieceSize = 0
                var rest = end
                var step = pair.stream.handshake()
                while rest > 0, case .wantsReading = step {
                    pair.move()
                    let count = min(rest, pair.output.count)
                    guard count > 0 else { break }
                    pair.deliver(count)
                    rest -= count
                    step = pair.stream.handshake()
                }
                // What the client has sent is read, so that the end is no reset.
                pair.move()
                if step.isDone { continue }
                pair.endConnection()
                let failure = pair.handshake().failure
                #expect(
                    failure == .closed || failure == .connection(ECONNRESET) || failure == .connection(EPIPE),
                    "\(String(describing: failure)) after \(end) of \(total) bytes")
            }
        }

        @Test("An address is verified as one and not sent as a name (RFC 6066 section 3)", arguments: ["127.0.0.1", "::1", "::1%lo"])
        func addresses(host: String) throws {
            let identity = try authority.identity(names: ["localhost"], addresses: ["127.0.0.1", "::1"])
            let pair = try TLSPair(
                context, TLSFrontContext(identity, .init()), peer: TLSPeer(host: host, port: 443, isAddress: true))
            try pair.requireHandshake()
            #expect(pair.serverName == "")
        }

        @Test("The dot at the end of an absolute name is not part of a certificate's name")
        func trailingDot() throws {
            let pair = try TLSPair(context, server(), peer: TLSPeer(host: "localhost.", port: 443, isAddress: false))
            try pair.requireHandshake()
            #expect(pair.serverName == "localhost")
        }

        @Test(
            "A host that no certificate can be for is refused before anything is sent",
            arguments: ["", ".", ".localhost", "local\0host", String(repeating: "a", count: 300)])
        func hosts(host: String) throws {
            let peer = TLSPeer(host: host, port: 443, isAddress: false)
            #expect(throws: TLSFailure.hostName) { try TLSPair(context, server(), peer: peer) }
        }

        @Test("A server that wants an older version is refused", arguments: [TLSFront.Version.tls10, .tls11])
        func oldVersions(version: TLSFront.Version) throws {
            let options = TLSFront.Options.with {
                $0.minimumVersion = .tls10
                $0.maximumVersion = version
            }
            let failure = try #require(TLSPair(context, server(options)).handshake().failure)
            #expect([.alert(70), .oldVersion].contains(failure), "\(failure)")
            #expect(failure.words()?.text.contains("does not offer TLS 1.2 or later") == true)
        }

        @Test("Where TLS 1.3 is demanded, a server that offers less is refused, and one that offers it is not")
        func minimumVersion() throws {
            let strict = try TLSContext.trusting(authority, TLSOptions(minimumVersion: .v1_3))
            let failure = try #require(TLSPair(strict, server(.with { $0.maximumVersion = .tls12 })).handshake().failure)
            #expect([.alert(70), .oldVersion].contains(failure), "\(failure)")
            let pair = try TLSPair(strict, server())
            try pair.requireHandshake()
            #expect(pair.stream.version == "TLSv1.3" && pair.stream.options.minimumVersion == .v1_3)
        }

        @Test(
            "Other bytes than TLS are told from it",
            arguments: [
                (TLSScript.plainAnswer, TLSFailure.notTLS), (TLSScript.alert(40), .alert(40)), (TLSScript.alert(112), .alert(112)),
                (Array("220 mail.example ESMTP\r\n".utf8), .notTLS), ([UInt8](repeating: 0xFF, count: 100), .notTLS),
            ])
        func scripts(bytes: [UInt8], expected: TLSFailure) throws {
            let pair = try TLSPair(context, server())
            guard case .wantsReading = pair.stream.handshake() else { throw MockServerError.tls(reason: "no ClientHello") }
            pair.serverSendsRaw(bytes)
            pair.deliver(.max)
            #expect(pair.stream.handshake().failure == expected)
            // It stays so.
            #expect(pair.stream.handshake().failure != nil)
        }

        @Test("Random bytes never trap and never succeed")
        func random() throws {
            let server = try server()
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<300 {
                let pair = try TLSPair(context, server)
                _ = pair.stream.handshake()
                let junk = (0..<Int.random(in: 1...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                pair.serverSendsRaw(Bool.random() ? junk : TLSScript.record(.random(in: 20...24), junk))
                pair.deliver(.max)
                #expect(!pair.stream.handshake().isDone)
            }
        }

        @Test("A chain without certificates, and one of a megabyte, are errors")
        func chains() throws {
            let empty = try TLSPair(context, server())
            _ = empty.stream.handshake()
            empty.serverSendsRaw(TLSScript.emptyChain)
            empty.deliver(.max)
            #expect(empty.stream.handshake().failure == .noCertificates)

            let identity = try authority.identity(names: ["localhost"]).sendingFiller(1_000_000)
            let large = try TLSPair(context, TLSFrontContext(identity, .init()))
            #expect(large.handshake().failure == .largeMessage)
        }

        @Test(
            "A server that requires a client certificate gets none, and its alert is reported", arguments: [TLSFront.Version.tls12, .tls13])
        func clientCertificate(version: TLSFront.Version) throws {
            let pair = try TLSPair(
                context,
                server(
                    .with {
                        $0.clientAuthorities = [authority.root]
                        $0.maximumVersion = version
                    }))
            // With TLS 1.3 the client has finished before the server refuses.
            if let failure = pair.handshake().failure {
                #expect(version == .tls12 && failure == .alert(40))
            } else {
                guard case .failed(let failure) = pair.receiveAll().last else { throw MockServerError.tls(reason: "no alert") }
                #expect(failure == .alert(116))
                #expect(failure.words()?.code == .clientCertificateRequired)
            }
        }
    }
#endif
