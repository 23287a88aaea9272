#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The hosts of a `ServerTrustManager`, and pins as they are written.
    @Suite("Server trust: hosts and pins", .needsTLSServer, .timeLimit(.minutes(5)))
    struct ServerTrustSettingsTests {
        @Test(
            "An evaluator is found by the host's IDNA name, without regard to case, and without the final dot or the zone",
            arguments: [
                ("api.example.com", "api"), ("API.Example.COM.", "api"), ("b.example.com", "one"), ("a.b.example.com", nil),
                ("example.com", nil), ("deep.example", "any"), ("x.y.deep.example", "any"), ("bücher.example", "idna"),
                ("xn--bcher-kva.example", "idna"), ("BÜCHER.example.", "idna"), ("127.0.0.1", "v4"), ("::1", "v6"), ("[::1]", "v6"),
                ("fe80::1%25eth0", "local"), ("[fe80::1%25eth0]", "local"), ("0:0:0:0:0:0:0:1", "v6"),
            ] as [(String, String?)])
        func found(host: String, expected: String?) throws {
            struct Named: ServerTrustEvaluating {
                let name: String
                func evaluate(_ trust: ServerTrust, forHost host: String) {}
            }
            let evaluators = [
                "Api.example.com": "api", "*.example.com": "one", "**.deep.example": "any", "Bücher.example": "idna", "127.0.0.1": "v4",
                "::1": "v6", "fe80::1": "local",
            ].mapValues { Named(name: $0) }
            let lax = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: evaluators)
            #expect((try lax.serverTrustEvaluator(forHost: host) as? Named)?.name == expected)
            let strict = ServerTrustManager(evaluators: evaluators)
            #expect((try? strict.serverTrustEvaluator(forHost: host) as? Named)?.name == expected)
            for junk in ["", "a b", "a..b", "x/", "x:80", "[::1", "a.."] {
                let error = try #require(Result { try lax.serverTrustEvaluator(forHost: junk) }.failure)
                #expect("\(error)" == "\(junk) is not a host")
            }
        }

        @Test("What is not a pin is an error that names it")
        func pins() throws {
            let pin = TrustMatrix.strangePin
            let invalid = [
                "", "sha256/", "sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", String(pin.dropLast(2)), pin + "A", "sha256/" + "AAAA", pin + "\n",
                "SHA256" + pin.dropFirst(6),
                String(pin.dropFirst(7)), "sha512/" + pin.dropFirst(7), "sha256/***",
            ]
            for text in invalid {
                let error = try #require(Result { try PublicKeysTrustEvaluator(pins: [pin, text]) }.failure)
                #expect("\(error)" == "\(text.onOneLine.debugDescription) is not a pin: sha256/ and the base64 of 32 bytes")
            }
            let none = try #require(Result { try PublicKeysTrustEvaluator(pins: []) }.failure)
            #expect("\(none)" == "there are no pins, so that no server could be trusted")
            _ = try PublicKeysTrustEvaluator(pins: [pin, "sha256//" + pin.dropFirst(7)])
        }

        @Test("A pin may begin with a slash, in curl's spelling too")
        func slash() throws {
            let root = try TestAuthority().root
            let trust = try ServerTrust(
                ServerCertificates(host: "a.test", chain: [root.der], verifiedChain: [root.der]))
            let pin = "sha256//" + String(repeating: "A", count: 42) + "="
            for spelling in [pin, "sha256//" + pin.dropFirst(7)] {
                let evaluator = try PublicKeysTrustEvaluator(pins: [spelling], validateHost: false)
                let error = try #require(Result { try evaluator.evaluate(trust, forHost: "a.test") }.failure)
                #expect("\(error)".contains("(expected \(pin); "), "\(error)")
            }
        }
    }
#endif
