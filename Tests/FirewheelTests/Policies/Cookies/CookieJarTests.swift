import Foundation
import Testing

@testable import Firewheel

/// The set of cookies: order, replacement, removal and limits.
@Suite("Cookie jars", .timeLimit(.minutes(5)))
struct CookieJarTests {
    @Test("Longer paths are sent first, then older cookies, and a replaced cookie keeps its place")
    func order() throws {
        let bench = CookieBench()
        try bench.receive("a=1; Path=/", "b=2; Path=/x", "c=3; Domain=example.com; Path=/", from: "https://www.example.com/x/y")
        bench.wait(10)
        try bench.receive("d=4; Path=/x", "a=5; Path=/; Max-Age=100", from: "https://www.example.com/x/y")
        #expect(try bench.sent("https://www.example.com/x") == "b=2; d=4; a=5; c=3")
        #expect(bench.jar.cookies.map(\.name) == ["a", "b", "c", "d"])
        #expect(bench.jar.cookies.first?.created == CookieBench.start)
        // Removed and set again, it counts as new.
        bench.wait(10)
        try bench.receive("a=; Path=/; Max-Age=0", "a=6; Path=/")
        #expect(try bench.sent("https://www.example.com/x") == "b=2; d=4; c=3; a=6")
    }

    @Test("Cookies are the same if name, domain, scope and path are equal byte by byte")
    func identity() throws {
        let bench = CookieBench()
        try bench.receive("a=1", "A=2", "a=3; Domain=www.example.com", "a=4; Path=/x", "a=5; Path=/x/", "a=6; Path=/x; HttpOnly", "7", "=8")
        #expect(bench.jar.cookies.map(\.value).sorted() == ["1", "2", "3", "5", "6", "8"])
        // Swift treats these as equal texts.
        try bench.receive("caf\u{E9}=9", "cafe\u{301}=10", from: "https://other.test/")
        #expect(bench.jar.cookies(for: try #require(URL(string: "https://other.test/"))).count == 2)
    }

    @Test("Cookie names and values are sent back byte by byte, whatever their encoding")
    func octets() throws {
        let texts: [[UInt8]] = [
            Array("ä日本".utf8), [0xE4], [0x80, 0xFF, 0xFE], [0xC3, 0xA4, 0xE4], Array("%E4\"'\\".utf8), Array("e\u{301}".utf8),
        ]
        for octets in texts {
            let bench = CookieBench()
            let field = Array("n".utf8) + octets + Array("=v".utf8) + octets
            // Decoded like the head of a response.
            try bench.receive(FieldOctets.latin1(field + Array("; Path=/".utf8)))
            let url = try #require(URL(string: "https://www.example.com/"))
            let header = try #require(CookieField.header(bench.jar.cookies(for: url)))
            #expect((header.isObsText ? header.value.unicodeScalars.map { UInt8($0.value) } : Array(header.value.utf8)) == field)
            #expect(header.isObsText == (FieldOctets.utf8(octets) == nil))
            // Most servers mean text.
            #expect(bench.jar.cookies.first?.value == "v" + (FieldOctets.utf8(octets) ?? FieldOctets.latin1(octets)))
        }
    }

    @Test("A jar gives the cookies for a URL, and removes one or all")
    func removing() throws {
        let bench = CookieBench()
        try bench.receive("a=1", "b=2", "c=3; Domain=example.com")
        let url = try #require(URL(string: "https://www.example.com/"))
        #expect(bench.jar.cookies(for: url).map(\.name) == ["a", "b", "c"])
        bench.jar.remove(Cookie(name: "b", value: "", domain: "www.example.com"))
        bench.jar.remove(Cookie(name: "c", value: "", domain: "www.example.com"))
        #expect(try bench.sent() == "a=1; c=3")
        bench.jar.remove(try #require(bench.jar.cookies(for: url).last))
        #expect(try bench.sent() == "a=1")
        bench.jar.removeAll()
        #expect(try bench.sent() == nil && bench.jar.cookies.isEmpty)
        bench.jar.removeAll()
        try bench.receive("d=4")
        #expect(try bench.sent() == "d=4")
    }

    @Test("Storing an expired cookie only removes the existing one")
    func expiredByHand() throws {
        let bench = CookieBench()
        try bench.receive("a=1")
        bench.jar.store(Cookie(name: "a", value: "2", domain: "www.example.com", expires: CookieBench.start))
        #expect(bench.jar.cookies.isEmpty)
    }

    @Test(
        "A domain keeps at most 180 cookies: expired go first, then insecure, then least recently used ones"
    )
    func domainLimit() throws {
        let bench = CookieBench()
        for index in 0..<90 { try bench.receive("s\(index)=1; Secure", "p\(index)=1") }
        #expect(bench.jar.cookies.count == 180)
        // Secure cookies are kept before it, although it was used.
        try bench.receive("used=1; Path=/used", "short=1; Max-Age=1; Secure")
        _ = try bench.sent("https://www.example.com/used")
        #expect(bench.jar.cookies.count == 180)
        bench.wait(5)
        try bench.receive("new=1; Secure")
        var names = Set(bench.jar.cookies.map(\.name))
        #expect(names.count == 180 && names.isSuperset(of: (0..<90).map { "s\($0)" }) && names.contains("new") && names.contains("used"))
        #expect(!names.contains("p0") && !names.contains("p1") && names.contains("p2"))
        for index in 0..<180 { try bench.receive("t\(index)=1; Secure") }
        names = Set(bench.jar.cookies.map(\.name))
        #expect(names == Set((0..<180).map { "t\($0)" }))
        try bench.receive("late=1")
        #expect(Set(bench.jar.cookies.map(\.name)) == names)
        // Other domains do not count.
        try bench.receive("a=b", from: "https://www.example.org/")
        #expect(bench.jar.cookies.count == 181)
    }

    @Test("Beyond 3,300 cookies the jar keeps the 3,000 most recently used")
    func limitInAll() throws {
        let bench = CookieBench()
        for index in 0..<3300 { try bench.receive("a=\(index)", from: "https://h\(index).test/") }
        #expect(bench.jar.cookies.count == 3300)
        _ = try bench.sent("https://h0.test/")
        try bench.receive("b=1", from: "https://new.test/")
        #expect(bench.jar.cookies.count == 3000)
        #expect(try bench.sent("https://h0.test/") == "a=0" && bench.sent("https://h302.test/") == "a=302")
        #expect(
            try bench.sent("https://h1.test/") == nil && bench.sent("https://h301.test/") == nil && bench.sent("https://new.test/") == "b=1"
        )
    }

    @Test("10,000 cookies of one response, or one cookie of 1 MB, are handled in time")
    func manyAndLarge() throws {
        let start = processorTime()
        let bench = CookieBench()
        let url = try #require(URL(string: "https://www.example.com/"))
        bench.jar.store((0..<10_000).map { "a\($0)=\($0); Path=/" }, from: url)
        #expect(bench.jar.cookies.map(\.name) == (9_820..<10_000).map { "a\($0)" })
        bench.jar.store((0..<10_000).map { "a=\($0); Path=/" }, from: url)
        #expect(bench.jar.cookies.count == 180 && bench.jar.cookies.last?.value == "9999")
        bench.jar.store(["big=" + String(repeating: "x", count: 1 << 20)], from: url)
        #expect(bench.jar.cookies.count == 180)
        for index in 0..<10_000 { bench.jar.store(["b=c"], from: try #require(URL(string: "https://h\(index).test/"))) }
        #expect((3000...3300).contains(bench.jar.cookies.count))
        // Each of these is compared with the secure ones.
        for index in 0..<1000 { try bench.receive("s=1; Secure", from: "https://s\(index).example.com/") }
        bench.jar.store((0..<10_000).map { "s=\($0); Path=/p\($0)" }, from: try #require(URL(string: "http://example.com/")))
        bench.jar.store((0..<1000).map { "s=\($0); Domain=example.com" }, from: try #require(URL(string: "http://example.com/")))
        #expect(!bench.jar.cookies.contains { $0.name == "s" && $0.domain == "example.com" && !$0.isHostOnly })
        #expect(processorTime() - start < 60)
    }

    @Test("A Cookie field has at most 32 KiB, and the last cookies are left out")
    func fieldLimit() throws {
        let bench = CookieBench()
        let large = String(repeating: "x", count: 4000)
        for index in 0..<20 { try bench.receive("a\(index)=\(large)") }
        let field = try #require(try bench.sent())
        #expect(field.utf8.count <= 32_768 && field.hasPrefix("a0=xxx") && field.contains("; a7=") && !field.contains("; a8="))
        #expect(bench.jar.cookies.count == 20)
    }

    @Test("No description, dump or reflection shows a cookie's value")
    func secrets() throws {
        let jar = CookieJar()
        #expect(jar.store(Cookie(name: "SID", value: "hunter2", domain: "example.com", path: "/x", isSecure: true, sameSite: .lax)))
        jar.store(["hunter2"], from: try #require(URL(string: "https://example.org/")))
        let cookies = jar.cookies
        var text = "\(cookies) \(jar) \(String(reflecting: cookies)) \(String(reflecting: jar))"
        dump(cookies, to: &text)
        dump(jar, to: &text)
        #expect(!text.contains("hunter2") && text.contains("SID"))
        #expect("\(cookies[0])" == "Cookie(SID=<redacted>; Host=example.com; Path=/x; Secure; SameSite=lax)")
        #expect("\(cookies[1])" == "Cookie(<redacted>; Host=example.org; Path=/)")
        #expect("\(jar)" == "CookieJar(2 cookies)")
    }

    @Test("Many threads may use one cookie jar")
    func threads() async throws {
        let bench = CookieBench()
        let url = try #require(URL(string: "https://www.example.com/"))
        await onThreads(8) { thread in
            for index in 0..<200 {
                bench.jar.store(["t\(thread)=\(index)", "all=\(thread)"], from: url)
                _ = bench.jar.cookies(for: url)
                if index.isMultiple(of: 50) { bench.jar.remove(Cookie(name: "all", value: "", domain: "www.example.com")) }
            }
        }
        let kept = Dictionary(uniqueKeysWithValues: bench.jar.cookies.map { ($0.name, $0.value) })
        #expect((0..<8).allSatisfy { kept["t\($0)"] == "199" })
    }

    @Test("With random Set-Cookie fields from random hosts, cookies are sent where allowed, once, and in order")
    func random() throws {
        var generator = SeededGenerator(state: 5_8)
        let hosts = ["example.com", "www.example.com", "a.www.example.com", "example.org", "127.0.0.1", "co.uk", "x.co.uk", "localhost"]
        let attributes = [
            "Path=/", "Path=/x", "Path=/x/y", "Domain=example.com", "Domain=www.example.com", "Domain=co.uk", "Secure", "HttpOnly",
            "Max-Age=5",
            "Max-Age=0", "SameSite=None", "Domain=", "Path=", "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ]
        let bench = CookieBench()
        for _ in 0..<3000 {
            let target = { (generator: inout SeededGenerator) in
                "\(Bool.random(using: &generator) ? "https" : "http")://\(hosts.randomElement(using: &generator) ?? "")"
                    + (["/", "/x", "/x/", "/x/y/z", "/xy"].randomElement(using: &generator) ?? "")
            }
            let field =
                (["a", "b", "__Secure-c", "__Host-d", ""].randomElement(using: &generator) ?? "")
                + "=\(Int.random(in: 0..<9, using: &generator))"
                + (0..<Int.random(in: 0..<4, using: &generator)).map { _ in "; " + (attributes.randomElement(using: &generator) ?? "") }
                .joined()
            try bench.receive(field, from: target(&generator))
            bench.wait(1)
            let url = try #require(URL(string: target(&generator)))
            let sent = bench.jar.cookies(for: url)
            #expect(Set(sent.map { "\($0.name) \($0.domain) \($0.isHostOnly) \($0.path)" }).count == sent.count)
            for (cookie, next) in zip(sent, sent.dropFirst()) {
                let (length, other) = (cookie.path.utf8.count, next.path.utf8.count)
                #expect(length > other || (length == other && cookie.created <= next.created))
            }
            for cookie in sent {
                #expect(url.host == cookie.domain || (!cookie.isHostOnly && url.host?.hasSuffix("." + cookie.domain) == true))
                #expect(!cookie.isSecure || url.scheme == "https")
                #expect(!(cookie.expires.map { $0 <= bench.clock.withLock { $0 } } ?? false))
                #expect(cookie.isHostOnly || !["co.uk", "localhost", "127.0.0.1"].contains(cookie.domain))
            }
        }
    }

    @Test("A cookie whose dates are not numbers can be printed", arguments: [Double.nan, .infinity, -.infinity])
    func oddDates(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        let cookie = Cookie(name: "a", value: "b", domain: "a.test", expires: date, created: date)
        var text = "\(cookie)"
        dump(cookie, to: &text)
        #expect(text.contains("a.test"))
    }
}
