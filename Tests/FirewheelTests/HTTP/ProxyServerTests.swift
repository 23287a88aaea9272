import Foundation
import Testing

@testable import Firewheel

/// Proxies as environment variables and programs name them.
@Suite("Names of proxies")
struct ProxyServerTests {
    @Test(
        "The value of a variable is read as by curl",
        arguments: [
            ("http://127.0.0.1:3128", "http://127.0.0.1:3128", nil),
            ("HTTP://Proxy.Example.com:3128/", "http://proxy.example.com:3128", nil),
            ("proxy.example.com", "http://proxy.example.com:1080", nil),
            ("proxy.example.com:", "http://proxy.example.com:1080", nil),
            ("proxy.example.com:8080/path?query", "http://proxy.example.com:8080", nil),
            ("https://proxy.example.com", "https://proxy.example.com:443", nil),
            ("http://[::1]:3128", "http://[::1]:3128", nil),
            ("http://[fe80::1%25lo]:3128", "http://[fe80::1%25lo]:3128", nil),
            ("http://ada:secret@127.0.0.1:3128", "http://127.0.0.1:3128", "ada:secret"),
            ("ada:secret@127.0.0.1", "http://127.0.0.1:1080", "ada:secret"),
            ("http://ada@127.0.0.1:1", "http://127.0.0.1:1", "ada:"),
            ("http://ada:@127.0.0.1:1", "http://127.0.0.1:1", "ada:"),
            ("http://ada:p%3Aa%20%C3%9F%40s@127.0.0.1:1", "http://127.0.0.1:1", "ada:p:a ß@s"),
            ("http://ada:a:b@127.0.0.1:1", "http://127.0.0.1:1", "ada:a:b"),
            ("http://ada:a@b@127.0.0.1:1", "http://127.0.0.1:1", "ada:a@b"),
            ("http://ädä:ß@127.0.0.1:1", "http://127.0.0.1:1", "ädä:ß"),
        ] as [(String, String, String?)])
    func reads(text: String, url: String, credentials: String?) throws {
        let server = try ProxyServer(url: text)
        #expect(server.description == url)
        #expect(server.user.map { "\($0):\(server.password)" } == credentials)
    }

    @Test(
        "What is not the URL of a proxy is refused, without a word of a password",
        arguments: [
            ("socks5h://:p@127.0.0.1:1", "the user name or the password is not as long as SOCKS 5 can send it, 1 to 255 bytes (RFC 1929)"),
            ("socks4://ada:secret@127.0.0.1:1", "SOCKS 4 has no passwords"),
            ("socks4a://a%00da@127.0.0.1:1", "the user name is not one that SOCKS 4 can send"),
            ("socks5h://ada@localhost/run/tor/socks", "proxies at Unix sockets are not supported"),
            ("ftp://127.0.0.1:1", "proxies with the scheme \"ftp\" are not supported"),
            ("http://", "there is no host"), (" ", "its host is not the name or address of a host"),
            ("//127.0.0.1:1", "there is no host"),
            ("http://127.0.0.1:99999", "the port 99999 is not between 1 and 65535"),
            ("http://127.0.0.1:0", "the port 0 is not between 1 and 65535"),
            ("http://127.0.0.1:x", "its port is not a number"),
            (
                "http://ada:secret/secret@127.0.0.1:1",
                "an @ follows a slash, question mark or number sign, which have to be percent-encoded in credentials"
            ),
            ("http://ada:secret@se cret:1", "its host is not the name or address of a host"),
            ("http://ada:sec%zzret@127.0.0.1:1", "the percent-encoding of its credentials is not valid"),
            ("http://a%3Ada:secret@127.0.0.1:1", "the user name has a colon, which Basic cannot send (RFC 7617 section 2)"),
            ("http://ada:secret%0D%0A@127.0.0.1:1", "the user name or the password has a control character (RFC 7617 section 2)"),
            ("secret secret secret://127.0.0.1", "it is not a URL"), ("http://[::1:80", "its port is not a number"),
            ("http://a..secret|b:1", "its host is not the name or address of a host"),
        ])
    func refuses(text: String, words: String) {
        let problem = #expect(throws: ProxyServer.Problem.self) { try ProxyServer(url: text, variable: "x_proxy") }
        #expect(problem?.words == words)
    }

    @Test("A program names host and port apart; a host may be in letters beyond ASCII, an IPv6 address without brackets")
    func parts() throws {
        #expect(try ProxyServer(.http, host: "::1", port: 80).description == "http://[::1]:80")
        #expect(try ProxyServer(.http, host: "[::1]", port: 80).description == "http://[::1]:80")
        #expect(try ProxyServer(.https, host: "B\u{FC}cher.test", port: 443).description == "https://xn--bcher-kva.test:443")
        for host in ["", "a b", "a/b", "a@b", "http://a", "a:80", "[::1", "a\r\nb"] {
            #expect(throws: ProxyServer.Problem.self, "\(host)") { try ProxyServer(.http, host: host, port: 80) }
        }
        for port in [Int.min, -1, 0, 65_536, Int.max] {
            #expect(throws: ProxyServer.Problem.self, "\(port)") { try ProxyServer(.http, host: "a", port: port) }
        }
    }

    @Test("A dump shows no password")
    func secrets() throws {
        let server = try ProxyServer(url: "http://ada:secret@127.0.0.1:1", variable: "http_proxy")
        var dumped = ""
        dump(server, to: &dumped)
        dump(TransportRoute.Proxy.server(server), to: &dumped)
        dumped += "\(server) \(String(reflecting: server))"
        #expect(!dumped.contains("secret") && !dumped.contains("ada"), "\(dumped)")
    }

    @Test("Any text is a proxy or is refused")
    func anything() {
        var generator = SeededGenerator(state: 34)
        let pieces = [
            "http", "https", "://", ":", "@", "%", "%41", "[", "]", "::1", "a", "127.0.0.1", "/", " ", "ß", "\0", "9", "65535", ",",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let server = try? ProxyServer(url: text) else { continue }
            #expect((1...65_535).contains(server.origin.port) && !server.origin.host.isEmpty)
        }
    }
}
