#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// The checked host must be the reached host for every URL: Foundation's parser, used for a caller's own checks, and this library's
    /// agree on everything that is sent.
    @Suite("URLs on which parsers disagree", .timeLimit(.minutes(5)))
    struct URLDisagreementTests {
        private static let pieces = [
            "http://", "https://", "HTTP://", "http:/", "http:///", "//", "/", "\\", "/\\", "?", "#", "@", ":", "::", "a.com", "b.com",
            "evil.test",
            "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1", "1.2.3.4.5", "[::1]", "[::ffff:1.2.3.4]", "[fe80::1%25a]", "[", "]",
            "%2f", "%2F", "%40", "%3a", "%23", "%5c", "%00", "%0d%0a", "%61", "%", "..", ".", "/../", "/./", ";", "&", "=", ",", "!", "$",
            "'", "(",
            "80", "443", ":80", ":0080", ":99999", ":0", ":-1", ":80a", "user", "user:pass@", "@@", " ", "\t", "\r\n", "\u{0}", "\u{7F}",
            "\"", "<",
            "^", "`", "{", "|", "bücher.de", "ß", "①", "。", "．", "／", "＠", "：", "\u{AD}", "\u{200D}", "\u{202E}", "xn--bcher-kva.de",
            "xn--", "-",
            "_", "+", "*",
        ]

        private static func text(_ generator: inout SeededGenerator) -> String {
            var text = ["http://", "https://", "hTTp://", ""][Int.random(in: 0..<4, using: &generator)]
            for _ in 0..<Int.random(in: 1...7, using: &generator) { text += pieces[Int.random(in: 0..<pieces.count, using: &generator)] }
            return text
        }

        /// Foundation's host in the form that this library compares.
        private static func canonical(_ host: String) -> String? {
            let text = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            if text.contains(":") { return HostAddress.ipv6(text.replacing("%", with: "%25").replacing("%2525", with: "%25")) }
            return TargetURI("http://\(text)/")?.origin.host
        }

        private func prepare(_ source: any URLConvertible) throws -> HopRequest {
            try RequestBuilder(configuration: .default).build(.url(source, method: .get, headers: nil, encode: nil, modifier: nil))
        }

        @Test(
            "The host that Foundation's URL shows is the host that is reached",
            arguments: TestDepth.choose([1, 2], deep: [UInt64.random(in: 0...UInt64.max), 1, 2]))
        func foundation(seed: UInt64) throws {
            var generator = SeededGenerator(state: seed)
            let rounds = TestDepth.choose(2_500, deep: 10_000)
            var sent = 0
            for _ in 0..<rounds {
                let text = Self.text(&generator)
                guard let url = URL(string: text), let prepared = try? prepare(url) else { continue }
                sent += 1
                if url.host.flatMap(Self.canonical) != prepared.target.origin.host {
                    Issue.record("seed \(seed): \(text.debugDescription) has the host \(url.host ?? "-") and reaches \(prepared.target)")
                }
                // A text and the URL made from it reach the same origin.
                if let direct = try? prepare(text), direct.target.origin != prepared.target.origin {
                    Issue.record("seed \(seed): \(text.debugDescription) reaches \(direct.target), and as a URL \(prepared.target)")
                }
                // Validators and handlers are shown the same host.
                if let shown = prepared.makeURLRequest()?.url, shown.host.flatMap(Self.canonical) != prepared.target.origin.host {
                    Issue.record("seed \(seed): \(text.debugDescription) is shown as \(shown) and reaches \(prepared.target)")
                }
            }
            #expect(sent > rounds / 20)
        }

        /// In a browser (WHATWG URL) the first of these leads to a.com, so a check made that way must not be bypassed.
        @Test(
            "A URL or Location with characters that an authority may not contain is refused (RFC 3986 section 3.2)",
            arguments: [
                "http://a.com\\@b.com/", "http://a.com\\b.com/", "http://a@b@c.com/", "http://a.com @b.com/", "http://a.com\t@b.com/",
                "//a.com\\@b.com/",
                "http://a.com<@b.com/", "http://a.com\"@b.com/", "http://a.com\u{1}@b.com/",
            ])
        func authority(text: String) throws {
            #expect(throws: FirewheelError.self) { try prepare(text) }
            let head = ResponseHead(statusCode: 302, headers: ["Location": text])
            let from = try #require(TargetURI("http://from.test/"))
            let decision = RedirectPolicy.decide(
                method: .get, url: from.string, target: from, headers: [:], hasBody: false, head: head, count: 0)
            guard case .fail(.redirectToNonExistentLocation, _) = decision else {
                Issue.record("\(text.debugDescription): \(decision)")
                return
            }
        }

        @Test("An international host name is sent in its ASCII form (RFC 5891)")
        func international() throws {
            for text in ["http://bücher.test/ä?ö", "HTTP://BÜCHER.test/ä?ö", "http://bu\u{308}cher.test/ä?ö"] {
                #expect(try prepare(text).target.string == "http://xn--bcher-kva.test/%C3%A4?%C3%B6")
                #expect(try prepare(try #require(URL(string: text))).target.origin.host == "xn--bcher-kva.test")
            }
            #expect(try prepare("http://１２７.1/").target.origin.host == "127.0.0.1")
            for text in ["http://b%C3%BCcher.test/", "http://a.com／b/", "http://℀.com/"] {
                #expect(throws: FirewheelError.self) { try prepare(text) }
            }
        }
    }
#endif
