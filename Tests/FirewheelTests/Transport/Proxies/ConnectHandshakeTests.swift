import Foundation
import Testing

@testable import Firewheel

/// The client's side of CONNECT, byte by byte.
@Suite("CONNECT, as bytes in and out")
struct ConnectHandshakeTests {
    private func handshake() throws -> ConnectHandshake {
        let origin = try #require(TargetURI("https://a.test/")).origin
        return try ConnectHandshake(to: origin, through: ProxyServer(.http, host: "proxy.test", port: 3128), userAgent: nil)
    }

    private func outcome(_ text: String, cutAt places: [Int]) throws -> TunnelStep? {
        var handshake = try handshake()
        defer {
            if let head = handshake.head, case .proxyConnectFailed(_, let refused, let body, _)? = handshake.refusal {
                #expect(refused == head && !(200..<300).contains(head.statusCode) && body.count <= ConnectHandshake.mostBody)
            }
        }
        let bytes = Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        var start = 0
        for end in places + [bytes.count] {
            let step = Array(bytes[start..<end]).withUnsafeBytes { handshake.read($0) }
            start = end
            if step != .needsMore { return start == bytes.count || step != .connected([]) ? step : nil }
        }
        return handshake.connectionEnded(nil)
    }

    @Test(
        "The outcome does not depend on how the bytes are cut",
        arguments: [
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200\r\n\r\n",
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"a\"\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 502 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n", "HTTP/1.1 500 No\r\n\r\nto the end",
            "HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\nabc", "HTTP/1.1 200 OK\r\nA", "", "garbage\r\n\r\n",
        ])
    func cuts(text: String) throws {
        let whole = try outcome(text, cutAt: [])
        let count = text.unicodeScalars.count
        for place in 0..<count { #expect(try outcome(text, cutAt: [place]) == whole, "\(place)") }
        #expect(try outcome(text, cutAt: Array(0..<count)) == whole)
    }

    @Test("A connection that ends at any byte of a success is an error, and at any byte behind the head of a refusal the refusal")
    func ends() throws {
        let names = "the proxy http://proxy.test:3128 did not connect to a.test:443: it closed the connection"
        let success = "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\nVia: x\r\n\r\n"
        for count in 0..<success.utf8.count {
            let words = count == 0 ? names : names + " in the middle of its response"
            let step = try outcome(String(success.unicodeScalars.prefix(count)), cutAt: [])
            #expect(step == .failed(.failed(.networkConnectionLost, words)), "\(count)")
        }
        let head = "HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\n"
        let refusal = head + "forbidden"
        for count in 0..<refusal.utf8.count {
            let step = try outcome(String(refusal.unicodeScalars.prefix(count)), cutAt: [])
            let isRefused = count >= head.utf8.count
            #expect((step == .refused(stays: false)) == isRefused, "\(count): \(step as Any)")
        }
        #expect(try outcome(refusal, cutAt: []) == .refused(stays: true))
    }

    @Test("Any bytes end in one of the three ways")
    func anything() throws {
        var generator = SeededGenerator(state: 342)
        let pieces = [
            "HTTP/1.1 ", "200", "407", "100", " ", "\r\n", "\n", "A: b", ":", "Content-Length: 3", "Transfer-Encoding: chunked", "3", "abc",
            "0", "\u{0}", "\u{FF}",
        ]
        for _ in 0..<TestDepth.choose(5_000, deep: 100_000) {
            let text = (0..<Int.random(in: 0...14, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let count = text.unicodeScalars.count
            let place = Int.random(in: 0...count, using: &generator)
            guard case .failed(let error) = try outcome(text, cutAt: [place]) else { continue }
            guard case .failed(_, let words) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(words.contains("the proxy http://proxy.test:3128 did not connect to a.test:443: "))
        }
    }
}
