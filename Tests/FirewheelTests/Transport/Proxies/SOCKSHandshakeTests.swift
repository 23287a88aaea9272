import Foundation
import Testing

@testable import Firewheel

/// The client's side of SOCKS 5 (RFC 1928, 1929), 4 and 4a, byte by byte.
@Suite("SOCKS, as bytes in and out")
struct SOCKSHandshakeTests {
    private func handshake(
        _ proxy: String = "socks5h://proxy.test", _ url: String = "https://a.test/", at address: String? = nil
    ) throws -> SOCKSHandshake {
        let origin = try #require(TargetURI(url)).origin
        return try SOCKSHandshake(to: origin, at: address, through: ProxyServer(url: proxy, variable: "all_proxy"))
    }

    /// What comes of bytes, and what was sent meanwhile.
    private func outcome(_ handshake: SOCKSHandshake, _ bytes: [UInt8], cutAt places: [Int] = []) -> (step: TunnelStep, sent: [UInt8]) {
        var handshake = handshake
        var start = 0
        for end in places + [bytes.count] {
            let step = Array(bytes[start..<end]).withUnsafeBytes { handshake.read($0) }
            start = end
            // What follows the reply is the server's.
            if case .connected(let early) = step { return (.connected(early + bytes[end...]), handshake.output) }
            if step != .needsMore { return (step, handshake.output) }
        }
        return (.needsMore, handshake.output)
    }

    private static let reply: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 4, 56]

    @Test("SOCKS 5 sends names and addresses of each type, and the port")
    func destinations() throws {
        let name: [UInt8] = [3, 6] + Array("a.test".utf8)
        let (secure, other): ([UInt8], [UInt8]) = (name + [1, 187], name + [31, 144])
        func check(_ url: String, at address: String? = nil, _ destination: [UInt8]) throws {
            let handshake = try handshake("socks5h://proxy.test", url, at: address)
            #expect(handshake.output == [5, 1, 0])
            let (step, sent) = outcome(handshake, [5, 0] + Self.reply)
            let expected: [UInt8] = [5, 1, 0, 5, 1, 0] + destination
            #expect(step == .connected([]) && sent == expected, "\(url)")
        }
        try check("https://a.test/", secure)
        try check("http://a.test:8080/", other)
        try check("http://127.0.0.2/", [1, 127, 0, 0, 2, 0, 80])
        try check("http://[2001:db8::1]:65535/", [4, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 255, 255])
        let local: [UInt8] = [4, 254, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80]
        try check("http://[fe80::1%25eth0]/", local)
        try check("http://a.test/", at: "fe80::1%eth0", local)
        try check("http://a.test/", at: "[fe80::1%eth0]", local)
        try check("http://a.test/", at: "[fe80::1]", local)
        try check("http://a.test/", at: "10.0.0.1", [1, 10, 0, 0, 1, 0, 80])
    }

    @Test("SOCKS 5 offers a user name and a password if there are, and sends them if the proxy chooses so (RFC 1929)")
    func credentials() throws {
        let handshake = try handshake("socks5h://%C3%A4da:p%3Aa%40s@proxy.test")
        #expect(handshake.output == [5, 2, 0, 2])
        let request: [UInt8] = [5, 1, 0, 3, 6] + Array("a.test".utf8) + [1, 187]
        let credentials: [UInt8] = [1, 4] + Array("\u{E4}da".utf8) + [5] + Array("p:a@s".utf8)
        let offer: [UInt8] = [5, 2, 0, 2]
        let (all, open): ([UInt8], [UInt8]) = (offer + credentials + request, offer + request)
        let (step, sent) = outcome(handshake, [5, 2, 1, 0] + Self.reply)
        #expect(step == .connected([]) && sent == all)
        let (other, plain) = outcome(handshake, [5, 0] + Self.reply)
        #expect(other == .connected([]) && plain == open)
        // The longest that can be sent, and none.
        for (user, password) in [(String(repeating: "u", count: 255), String(repeating: "p", count: 255)), ("u", "")] {
            let handshake = try self.handshake("socks5h://\(user):\(password)@proxy.test")
            let (_, sent) = outcome(handshake, [5, 2])
            let expected: [UInt8] = [1, UInt8(user.count)] + Array(user.utf8) + [UInt8(password.count)] + Array(password.utf8)
            #expect(Array(sent.dropFirst(4)) == expected)
        }
    }

    @Test("SOCKS 4 sends an address, and SOCKS 4a a name behind an address that cannot be", arguments: ["", "ada@"])
    func four(user: String) throws {
        let id: [UInt8] = Array(user.utf8.dropLast()) + [0]
        let name: [UInt8] = Array("a.test".utf8) + [0]
        func check(_ url: String, at address: String? = nil, _ expected: [UInt8]) throws {
            let handshake = try handshake("socks4a://\(user)proxy.test", url, at: address)
            #expect(handshake.output == expected, "\(url)")
            #expect(outcome(handshake, [0, 90, 1, 2, 3, 4, 5, 6]).step == .connected([]))
        }
        try check("https://a.test/", [4, 1, 1, 187, 0, 0, 0, 1] + id + name)
        try check("http://127.0.0.2:81/", [4, 1, 0, 81, 127, 0, 0, 2] + id)
        try check("http://a.test/", at: "10.0.0.1", [4, 1, 0, 80, 10, 0, 0, 1] + id)
        // The proxy would wait for a name.
        for address in ["0.0.0.1", "0.0.0.255"] {
            #expect(throws: TransportError.self) { try handshake("socks4://proxy.test", "http://\(address)/") }
            #expect(throws: TransportError.self) { try handshake("socks4://proxy.test", at: address) }
        }
        try check("http://0.0.0.0/", [4, 1, 0, 80, 0, 0, 0, 0] + id)
        let error = #expect(throws: TransportError.self) { try handshake("socks4a://proxy.test", "http://[2001:db8::1]/") }
        let words = "did not connect to [2001:db8::1]:80: SOCKS 4 has no IPv6 addresses"
        #expect("\(error as Any)".contains(words))
    }

    /// Every way to go wrong, and its words.
    struct Failure {
        let proxy: String
        let bytes: [UInt8]
        let code: URLError.Code
        let words: String

        init(_ proxy: String, _ bytes: [UInt8], _ code: URLError.Code, _ words: String) {
            (self.proxy, self.bytes, self.code, self.words) = (proxy, bytes, code, words)
        }
    }

    /// The replies of RFC 1928 section 6, from 1 on.
    private static let replies = [
        "general failure", "not allowed by its rules", "network unreachable", "host unreachable", "connection refused", "TTL expired",
        "command not supported", "address type not supported",
    ]

    private static let otherFailures: [Failure] = [
        Failure("socks5h://p", [5, 0, 5, 9], .cannotConnectToHost, "unknown SOCKS reply 9"),
        Failure("socks5h://p", [5, 0, 5, 255, 0, 3, 255], .cannotConnectToHost, "unknown SOCKS reply 255"),
        Failure("socks5h://p", [5, 255], .userAuthenticationRequired, "it wants credentials"),
        Failure("socks5h://a:b@p", [5, 255], .userAuthenticationRequired, "it takes neither a user name with a password nor none"),
        Failure("socks5h://a:b@p", [5, 2, 1, 1], .userAuthenticationRequired, "it does not accept the credentials"),
        Failure("socks5h://a:b@p", [5, 2, 5, 255], .userAuthenticationRequired, "it does not accept the credentials"),
        Failure("socks5h://p", [5, 2], .cannotParseResponse, "it chose a way to authenticate that it was not offered (method 2)"),
        Failure("socks5h://a:b@p", [5, 1], .cannotParseResponse, "it chose a way to authenticate that it was not offered (method 1)"),
        Failure("socks5h://p", [4], .cannotParseResponse, "it does not speak SOCKS 5"),
        Failure("socks5h://p", [72, 84, 84, 80, 47, 49], .cannotParseResponse, "it does not speak SOCKS 5"),
        Failure("socks5h://p", [5, 0, 1], .cannotParseResponse, "it does not speak SOCKS 5"),
        Failure("socks5h://p", [5, 0, 5, 0, 0, 2, 1], .cannotParseResponse, "its reply has an address of an unknown type (2)"),
        Failure("socks5h://p", [5, 0, 5, 0, 0, 1, 127, 0, 0, 1, 4, 56, 1], .badServerResponse, "it sent more than its reply"),
        Failure("socks4a://p", [0, 91], .cannotConnectToHost, "request rejected or failed (SOCKS reply 91)"),
        Failure("socks4a://p", [0, 92], .userAuthenticationRequired, "it cannot reach identd on this machine (SOCKS reply 92)"),
        Failure("socks4a://p", [0, 93], .userAuthenticationRequired, "identd on this machine names another user (SOCKS reply 93)"),
        Failure("socks4a://p", [0, 1], .cannotConnectToHost, "unknown SOCKS reply 1"),
        Failure("socks4a://p", [5, 90], .cannotParseResponse, "it does not speak SOCKS 4"),
        Failure("socks4a://p", [0, 90, 0, 0, 0, 0, 0, 0, 22], .badServerResponse, "it sent more than its reply"),
    ]

    static let failures: [Failure] =
        zip(1..., replies).map { code, words in
            Failure("socks5h://p", [5, 0, 5, code], .cannotConnectToHost, "\(words) (SOCKS reply \(code))")
        } + otherFailures

    @Test("Every reply of a proxy that does not connect is told in words, with the names of both")
    func words() throws {
        for failure in Self.failures {
            let step = outcome(try handshake(failure.proxy), failure.bytes).step
            let name = failure.proxy.replacing("a:b@", with: "")
            let expected = "the proxy \(name):1080 of the environment variable all_proxy did not connect to a.test:443: \(failure.words)"
            #expect(step == .failed(.failed(failure.code, expected)), "\(failure.bytes)")
        }
    }

    @Test("The outcome does not depend on how the bytes are cut")
    func cuts() throws {
        let name: [UInt8] = [5, 0, 0, 3, 4, 110, 97, 109, 101, 0, 80]
        let six: [UInt8] = [5, 0, 0, 4] + [UInt8](repeating: 7, count: 18)
        var rows: [(proxy: String, bytes: [UInt8])] = [("socks4a://p", [0, 90, 1, 2, 3, 4, 5, 6])]
        for reply in [Self.reply, name, six] {
            rows.append(("socks5h://p", [5, 0] + reply))
            rows.append(("socks5h://a:b@p", [5, 2, 1, 0] + reply))
        }
        for failure in Self.failures where failure.code != .badServerResponse { rows.append((failure.proxy, failure.bytes)) }
        for (proxy, bytes) in rows {
            let whole = outcome(try handshake(proxy), bytes)
            #expect(whole.step != .needsMore)
            for place in 0..<bytes.count {
                let cut = outcome(try handshake(proxy), bytes, cutAt: [place])
                #expect(cut == whole, "\(bytes) at \(place)")
            }
            #expect(outcome(try handshake(proxy), bytes, cutAt: Array(0..<bytes.count)) == whole)
            // Less of a success is none.
            guard case .connected = whole.step else { continue }
            for count in 0..<bytes.count { #expect(outcome(try handshake(proxy), Array(bytes.prefix(count))).step == .needsMore) }
        }
    }

    @Test("What an http server says first is not lost")
    func early() throws {
        let handshake = try handshake("socks5h://p", "http://a.test/")
        #expect(outcome(handshake, [5, 0] + Self.reply + [1, 2, 3]).step == .connected([1, 2, 3]))
        #expect(outcome(try self.handshake("socks4a://p", "http://a.test/"), [0, 90, 0, 0, 0, 0, 0, 0, 9]).step == .connected([9]))
    }

    @Test("The end of the connection and broken TLS are told with the names of both")
    func ends() throws {
        var handshake = try handshake()
        let names = "the proxy socks5h://proxy.test:1080 of the environment variable all_proxy did not connect to a.test:443: "
        #expect(handshake.connectionEnded(nil) == .failed(.failed(.networkConnectionLost, names + "it closed the connection")))
        #expect(handshake.connectionEnded("reset") == .failed(.failed(.networkConnectionLost, names + "reset")))
        _ = [5].withUnsafeBytes { handshake.read(UnsafeRawBufferPointer(rebasing: $0[..<1])) }
        let words = "it closed the connection in the middle of its reply"
        #expect(handshake.connectionEnded(nil) == .failed(.failed(.networkConnectionLost, names + words)) && handshake.hasBegun)
        // At any byte.
        let bytes: [UInt8] = [5, 2, 1, 0] + Self.reply
        for count in 1..<bytes.count {
            var handshake = try self.handshake("socks5h://a:b@proxy.test")
            #expect(bytes[..<count].withUnsafeBytes { handshake.read($0) } == .needsMore)
            #expect(handshake.connectionEnded(nil) == .failed(.failed(.networkConnectionLost, names + words)), "\(count)")
        }
    }

    @Test("Any bytes end in one of the ways, and the proxy is never sent more than a request")
    func anything() throws {
        var generator = SeededGenerator(state: 1928)
        let likely: [UInt8] = [0, 1, 2, 3, 4, 5, 90, 255]
        for number in 0..<TestDepth.choose(20_000, deep: 400_000) {
            let proxy = ["socks5h://p", "socks5h://a:b@p", "socks4a://p"][number % 3]
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                Bool.random(using: &generator) ? likely.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let whole = outcome(try handshake(proxy, "http://a.test/"), bytes)
            let cut = outcome(try handshake(proxy, "http://a.test/"), bytes, cutAt: [place])
            #expect(whole == cut, "\(bytes) at \(place)")
            #expect(whole.sent.count <= 40)
            if case .failed(let error) = whole.step, case .failed(_, let words) = error {
                #expect(words.contains("did not connect to a.test:80: "))
            }
        }
    }
}
