import Foundation
import Testing

@testable import Firewheel

@Suite("Patterns of hosts", .timeLimit(.minutes(5)))
struct HostPatternsTests {
    private func value(_ patterns: [String], _ host: String) throws -> String? {
        let table = HostPatterns(Dictionary(patterns.map { ($0, $0) }) { first, _ in first }, hasEvery: true)
        #expect(table.problem == nil)
        return table.value(for: try #require(TargetURI("https://\(host)/")).origin)
    }

    @Test(
        "The most specific pattern counts",
        arguments: [
            (["api.example.com"], "api.example.com", "api.example.com"), (["API.Example.COM."], "api.example.com", "API.Example.COM."),
            (["api.example.com"], "API.EXAMPLE.com.", "api.example.com"), (["api.example.com"], "example.com", nil),
            (["*.example.com"], "a.example.com", "*.example.com"), (["*.example.com"], "example.com", nil),
            (["*.example.com"], "b.a.example.com", nil), (["**.example.com"], "b.a.example.com", "**.example.com"),
            (["**.example.com"], "example.com", "**.example.com"), (["**.example.com"], "badexample.com", nil),
            (["*.example.com", "**.example.com"], "a.example.com", "*.example.com"),
            (["*.example.com", "**.a.example.com"], "a.example.com", "**.a.example.com"),
            (["**.com", "**.example.com"], "a.example.com", "**.example.com"), (["*", "**.com"], "x.com", "**.com"),
            (["*"], "x.org", "*"), (["a.example.com", "*.example.com"], "a.example.com", "a.example.com"),
            (["bücher.example"], "xn--bcher-kva.example", "bücher.example"),
            (["*.BÜCHER.example"], "a.xn--bcher-kva.example", "*.BÜCHER.example"),
            (["127.0.0.1"], "127.0.0.1", "127.0.0.1"), (["127.1"], "127.0.0.1", "127.1"), (["::1"], "[::1]", "::1"),
            (["[::1]"], "[::1]", "[::1]"),
            (["*"], "[::1]", "*"),
        ] as [([String], String, String?)])
    func lookup(patterns: [String], host: String, expected: String?) throws {
        #expect(try value(patterns, host) == expected)
    }

    @Test(
        "Anything else is a problem, and counts for no host",
        arguments: [
            "", ".", "*.", "**.", "a*.example.com", "*a.example.com", "a.*.com", "***.example.com", "*.*.example.com", "exa mple.com",
            "https://example.com", "example.com/", "example.com:443", "user@example.com", "*.127.0.0.1", "*.[::1]", "%41.example.com",
            "a..b", "a..", "*.a..",
            "*example.com", "\n",
        ])
    func invalid(pattern: String) {
        let table = HostPatterns([pattern: 1], hasEvery: true)
        #expect(table.problem?.hasPrefix(Redaction.host(pattern).debugDescription) == true, "\(table.problem ?? "none")")
        #expect(table.isEmpty)
    }

    @Test("Two patterns for the same hosts are a problem, and * is one where it does not stand for every host")
    func twice() {
        #expect(HostPatterns(["a.test": 1, "A.test.": 2], hasEvery: true).problem?.contains("the same hosts") == true)
        #expect(HostPatterns(["*.bücher.test": 1, "*.xn--bcher-kva.test": 2], hasEvery: true).problem?.contains("the same hosts") == true)
        #expect(HostPatterns(["*": 1], hasEvery: false).problem == "\"*\" is not a host or the pattern of one")
        #expect(HostPatterns(["a.test": 1, "*.a.test": 2, "**.a.test": 3, "*": 4], hasEvery: true).problem == nil)
    }
}
