import Foundation
import Testing

@testable import Firewheel

/// The syntax and the meaning of `SessionConfiguration.hosts`.
@Suite("The entries of hosts")
struct HostMapTests {
    private static func origin(_ url: String) throws -> TargetURI.Origin { try #require(TargetURI(url)).origin }

    /// Host and port that a URL leads to; nil for its own.
    private static func destination(_ hosts: [String: String], _ url: String) throws -> String? {
        try HostMap(hosts).destination(of: origin(url)).map { "\($0.bracketedHost):\($0.port)" }
    }

    struct Row: Sendable {
        let hosts: [String: String]
        let url: String
        let destination: String?

        init(_ hosts: [String: String], _ url: String, _ destination: String?) {
            (self.hosts, self.url, self.destination) = (hosts, url, destination)
        }
    }

    private static let rows: [Row] = [
        Row(["a.test": "b.test"], "https://a.test/", "b.test:443"), Row(["a.test": "b.test"], "http://a.test/", "b.test:80"),
        Row(["a.test": "b.test"], "https://a.test:8443/", "b.test:8443"), Row(["a.test": "b.test:81"], "https://a.test/", "b.test:81"),
        Row(["a.test:443": "127.0.0.1:8443"], "https://a.test/", "127.0.0.1:8443"), Row(["a.test:443": "b.test"], "http://a.test/", nil),
        Row(["a.test:443": "b.test"], "https://a.test/", "b.test:443"), Row(["a.test": "b.test"], "https://b.test/", nil),
        Row(["a.test": "b.test"], "https://c.a.test/", nil), Row(["A.Test": "B.TEST"], "https://a.TEST/", "b.test:443"),
        Row(["a.test.": "b.test"], "https://a.test/", "b.test:443"), Row(["a.test": "b.test."], "https://a.test./", "b.test.:443"),
        Row(["a.test": "b.test", "a.test:81": "c.test"], "http://a.test:81/", "c.test:81"),
        Row(["a.test": "b.test", "a.test:81": "c.test"], "http://a.test/", "b.test:80"),
        Row(["a.test": "::1"], "https://a.test/", "[::1]:443"), Row(["a.test": "[::1]"], "https://a.test/", "[::1]:443"),
        Row(["a.test": "[::1]:81"], "https://a.test/", "[::1]:81"), Row(["[::1]:443": "a.test"], "https://[::1]/", "a.test:443"),
        Row(["::0001": "a.test"], "https://[::1]/", "a.test:443"), Row(["10.0.0.1": "10.0.0.2"], "http://10.0.0.1/", "10.0.0.2:80"),
        Row(["bücher.test": "a.test"], "https://xn--bcher-kva.test/", "a.test:443"),
        Row(["a.test": "bücher.test:81"], "https://a.test/", "xn--bcher-kva.test:81"),
        Row(["a.test": "fe80::1%eth0"], "http://a.test/", "[fe80::1%25eth0]:80"),
        // A value that is a key leads on.
        Row(["a.test": "b.test", "b.test": "c.test:81"], "https://a.test/", "c.test:81"),
        Row(["a.test": "b.test:81", "b.test:81": "c.test:82", "b.test": "d.test"], "https://a.test/", "c.test:82"),
        // To itself it leads nowhere else.
        Row(["a.test": "a.test"], "https://a.test/", nil), Row(["a.test": "a.test."], "https://a.test/", "a.test.:443"),
        Row(["a.test": "a.test:81"], "https://a.test/", "a.test:81"),
        Row(["a.test:443": "a.test:8443"], "https://a.test/", "a.test:8443"),
        Row([:], "https://a.test/", nil),
    ]

    @Test("A host, or a host with a port, leads to another", arguments: rows)
    func leads(row: Row) throws {
        #expect(HostMap(row.hosts).problem == nil)
        #expect(try Self.destination(row.hosts, row.url) == row.destination)
    }

    @Test("The scheme stays") func scheme() throws {
        #expect(try HostMap(["a.test": "b.test:80"]).destination(of: Self.origin("https://a.test/"))?.isSecure == true)
    }

    @Test(
        "Entries that form a loop are an error that names it",
        arguments: [
            ["a.test": "b.test", "b.test": "a.test"], ["a.test": "b.test", "b.test": "c.test", "c.test": "b.test"],
            ["a.test:443": "a.test:81", "a.test:81": "a.test:443"],
        ])
    func circle(hosts: [String: String]) throws {
        #expect(throws: HostMap.Loop.self) { try Self.destination(hosts, "https://a.test/") }
        do { _ = try Self.destination(hosts, "https://a.test/") } catch let loop as HostMap.Loop {
            let isNamed = loop.words.contains("lead from ") && loop.words.contains(" back to it, by way of ")
            #expect(isNamed && loop.words.contains(".test:"), "\(loop.words)")
        }
        #expect(try Self.destination(hosts, "https://d.test/") == nil)
    }

    @Test("A long chain of entries is no loop") func long() throws {
        let hosts = Dictionary(uniqueKeysWithValues: (0..<3_000).map { ("h\($0).test", "h\($0 + 1).test") })
        #expect(try Self.destination(hosts, "http://h0.test/") == "h3000.test:80")
    }

    @Test(
        "An entry that is not valid is a problem, which names it",
        arguments: [
            "", ":443", "a.test:", "a.test:0", "a.test:65536", "a.test:x", "a.test:443:444", "https://a.test", "a.test/", "*.a.test", "*",
            "a b",
            "[::1", "::1]", "[::1]x", "[::1]:", "user@a.test", "a.test..", "a..test", ".", "1.2.3.4.5", "a\0b", "a\nb", "a.test:+1",
            "a.test: 1",
        ])
    func invalid(text: String) {
        let key = HostMap([text: "b.test"]).problem
        let value = HostMap(["a.test": text]).problem
        #expect(key?.contains("is not a host, with or without a port") == true, "\(key ?? "none")")
        #expect(value?.contains(", for \"a.test\", is not a host, with or without a port") == true, "\(value ?? "none")")
        #expect(key?.contains("\n") == false && value?.contains("\0") == false)
    }

    @Test("Two entries for the same host are a problem") func ambiguous() {
        let problem = HostMap(["a.test": "b.test", "A.test": "c.test"]).problem
        #expect(problem == "\"a.test\" stands for the same host as another entry")
        #expect(HostMap(["a.test": "b.test", "a.test:80": "c.test"]).problem == nil)
    }

    @Test("Any text is a host or a problem") func random() throws {
        var random = SystemRandomNumberGenerator()
        let parts = ["a", ".", ":", "[", "]", "%", "::", "1", "65536", "*", "@", "/", "ä", "\u{301}", "\0", " ", "xn--", "-", "_", "0x7f"]
        let origin = try Self.origin("https://a.test/")
        for _ in 0..<3_000 {
            let texts = (0..<2).map { _ in (0..<Int.random(in: 0...6, using: &random)).map { _ in parts.randomElement()! }.joined() }
            let map = HostMap([texts[0]: texts[1], "a.test": texts[1]])
            if let found = try? map.destination(of: origin) {
                #expect((1...65_535).contains(found.port) && TargetURI("https://\(found.bracketedHost):\(found.port)/") != nil, "\(texts)")
            } else {
                #expect(map.problem != nil || HostAndPort(texts[1])?.host == "a.test" || HostAndPort(texts[0]) != nil, "\(texts)")
            }
        }
    }
}
