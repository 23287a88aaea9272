import Foundation
import Testing

@testable import Firewheel

/// The syntax of `NO_PROXY`.
@Suite("Hosts that are reached without a proxy")
struct ProxyExceptionsTests {
    private func contains(_ exceptions: ProxyExceptions, _ url: String) throws -> Bool {
        exceptions.contains(try #require(TargetURI(url)).origin)
    }

    @Test(
        "An entry stands for hosts",
        arguments: [
            ("example.com", "http://example.com/ https://a.b.example.com:8443/ http://EXAMPLE.com./", "http://notexample.com/ http://com/"),
            (".example.com", "http://example.com/ http://a.example.com/", "http://aexample.com/"),
            ("*.example.com", "http://example.com/ http://a.example.com/", "http://aexample.com/"),
            ("EXAMPLE.com.", "http://a.example.com/", "http://example.org/"),
            ("a.test,b.test c.test\td.test", "http://a.test/ http://b.test/ http://c.test/ http://d.test/", "http://e.test/"),
            (" , ,a.test, ", "http://a.test/", "http://b.test/"),
            ("example.com:8080", "http://example.com:8080/ http://a.example.com:8080/", "http://example.com/ https://example.com/"),
            ("example.com:80", "http://example.com/", "https://example.com/"),
            ("B\u{FC}cher.test", "http://xn--bcher-kva.test/ http://a.xn--bcher-kva.test/", "http://bcher.test/"),
            ("10.1.2.3", "http://10.1.2.3/ https://10.1.2.3:8443/", "http://10.1.2.4/ http://a.10.1.2.3.test/"),
            ("10.1.2.3:81", "http://10.1.2.3:81/", "http://10.1.2.3/"),
            ("10.0.0.0/8", "http://10.255.0.1/", "http://11.0.0.1/ http://example.com/"),
            ("10.0.0.0/9", "http://10.127.0.1/", "http://10.128.0.1/"),
            ("10.1.2.3/32", "http://10.1.2.3/", "http://10.1.2.2/"), ("10.1.2.3/31", "http://10.1.2.2/", "http://10.1.2.4/"),
            ("0.0.0.0/0", "http://10.1.2.3/", "http://[::1]/ http://example.com/"),
            ("::1", "http://[::1]/", "http://[::2]/"), ("[::1]", "http://[::1]/", "http://127.0.0.1/"),
            ("[::1]:81", "http://[::1]:81/", "http://[::1]/"), ("fe80::1", "http://[fe80::1%25lo]/", "http://[fe80::2%25lo]/"),
            ("fd00::/8", "http://[fd12:3456::1]/", "http://[fe00::1]/ http://10.0.0.1/"),
            ("[fd00::]/8", "http://[fd12::1]/", "http://[fc12::1]/"), ("fd00::/7", "http://[fc00::1]/", "http://[fe00::1]/"),
            ("127.0.0.1.", "http://127.0.0.1/ http://127.0.0.1./", "http://127.0.0.2/"), ("127.1", "", "http://127.0.0.1/"),
            ("010.1.2.3", "", "http://8.1.2.3/ http://10.1.2.3/"), ("localhost%2F.ü", "", "http://localhost/"),
            ("Bücher.test。", "http://a.xn--bcher-kva.test/ http://xn--bcher-kva.test/", "http://cher.test/"),
            ("ü@localhost", "", "http://localhost/"), ("localhost?ü", "", "http://localhost/"), ("localhost#ü", "", "http://localhost/"),
            ("*", "http://a/ https://10.0.0.1/ http://[::1]/", ""), ("a.test,*", "http://a.test/", "http://b.test/"),
            ("localhost", "http://localhost/", "http://127.0.0.1/"), ("", "", "http://localhost/"), (".", "", "http://a/"),
        ])
    func hosts(text: String, inside: String, outside: String) throws {
        let exceptions = ProxyExceptions(text)
        for url in inside.split(separator: " ") { #expect(try contains(exceptions, String(url)), "\(url)") }
        for url in outside.split(separator: " ") { #expect(try !contains(exceptions, String(url)), "\(url)") }
    }

    @Test(
        "An entry that stands for no host is named",
        arguments: [
            "10.0.0.0/33", "fd00::/129", "10.0.0/8", "a:b", "a:0", "a:99999", "/8", "a b/c", "*", "ü@localhost", "localhost?ü",
            "localhost#ü", "localhost/ü",
            "ü@a.test:80", "..example.test", "*..example.test", "127.0.0.1%lo", "127.0.0.1%", "*.127.0.0.1", "1.2.3.4.5", "[a]", "a%41",
            "localhost%2F.ü", "localhost%3F.ü",
            "x%40localhost.ü", "127.1", "010.1.2.3", "0x7f000001", "１２７.0.0.1", "[127.0.0.1]", "10",
        ])
    func problems(entry: String) {
        #expect(ProxyExceptions(["a.test", entry, "b.test"]).problem?.hasPrefix("the entry \"") == true)
    }

    @Test("A list of a megabyte is read, and looked up at once")
    func long() throws {
        let names = (0..<60_000).map { "host\($0).example.com" }
        let exceptions = ProxyExceptions(names.joined(separator: ","))
        #expect(try contains(exceptions, "http://a.host59999.example.com/"))
        #expect(try !contains(exceptions, "http://example.com/"))
        #expect(try !contains(exceptions, "http://host60000.example.com/"))
        let networks = ProxyExceptions((0..<60_000).map { "10.\($0 / 256).\($0 % 256).0/24" }.joined(separator: " "))
        #expect(try contains(networks, "http://10.234.95.7/"))
        #expect(try !contains(networks, "http://10.234.96.7/"))
        let text = String(repeating: "x", count: 1 << 20)
        #expect(try !contains(ProxyExceptions(text), "http://x/"))
        #expect(try !contains(ProxyExceptions(String(repeating: ",", count: 1 << 20)), "http://x/"))
        // Of many bad entries only the first is told.
        for entry in ["!!!!!!!", "1234567"] {
            let bad = ProxyExceptions(String(repeating: "\(entry),", count: 1 << 17))
            #expect(bad.problem == "the entry \"\(entry)\"")
            #expect(try !contains(bad, "http://x/"))
        }
    }

    @Test("Any text is read")
    func anything() throws {
        var generator = SeededGenerator(state: 341)
        let pieces = ["a", ".", "*", ":", "/", "[", "]", "::1", "10.0.0.0", "8", " ", ",", "ß", "%", "\0"]
        let origins = try ["http://a/", "http://10.0.0.1/", "http://[::1]/"].map { try #require(TargetURI($0)).origin }
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...10, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let exceptions = ProxyExceptions(text)
            for origin in origins where text == "*" { #expect(exceptions.contains(origin)) }
            _ = origins.map(exceptions.contains)
        }
    }
}
