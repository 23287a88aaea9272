import Foundation

/// A SOCKS proxy's bytes have the same outcome however they are cut, and the end of the connection at any byte has one.
func fuzzSOCKS(_ input: [UInt8]) {
    var source = Source(input)
    let kinds = ["socks5h://p", "socks5h://a:b@p", "socks4a://p", "socks4a://a@p"]
    // In TLS, where the client speaks first, it matters what comes together with a success.
    let servers = ["http://a.test/", "http://127.0.0.1/", "http://[2001:db8::1]/"]
    guard let proxy = try? ProxyServer(url: kinds[Int(source.byte()) % kinds.count], variable: "all_proxy"),
        let server = TargetURI(servers[Int(source.byte()) % servers.count])?.origin
    else { fatalError("a proxy or a server that is none") }
    let bytes = source.rest()
    guard let handshake = try? SOCKSHandshake(to: server, at: nil, through: proxy) else { return }
    let whole = outcome(of: handshake, [bytes[...]])
    check(whole == outcome(of: handshake, bytes.indices.map { bytes[$0...$0] }), "byte by byte it has another outcome")
    check(whole.sent.count <= 48, "\(whole.sent.count) bytes were sent")
    checkWords(whole.step, "the proxy \(proxy) did not connect to ")
}

/// The same for an HTTP proxy's response to CONNECT.
func fuzzConnect(_ input: [UInt8]) {
    let bytes = input
    guard let proxy = try? ProxyServer(url: "http://proxy.test:3128"), let server = TargetURI("http://a/")?.origin,
        let handshake = try? ConnectHandshake(to: server, through: proxy, userAgent: nil)
    else { fatalError("a handshake that is none") }
    let whole = outcome(of: handshake, [bytes[...]])
    check(whole == outcome(of: handshake, bytes.indices.map { bytes[$0...$0] }), "byte by byte it has another outcome")
    check(whole.sent == handshake.output, "more than the request was sent")
    checkWords(whole.step, "the proxy \(proxy) did not connect to ")
    guard case .refused = whole.step else { return }
    guard case .proxyConnectFailed(_, let head, let body, _)? = whole.refusal else { fatalError("a refusal without a reason") }
    check(!(200..<300).contains(head.statusCode) && body.count <= ConnectHandshake.mostBody, "\(head.statusCode), \(body.count) bytes")
}

/// An environment variable is the URL of a proxy that reads the same when it is written again, or an error without the credentials. Its
/// exceptions are read whatever they are.
func fuzzProxyVariable(_ input: [UInt8]) {
    var source = Source(input)
    let (url, exceptions) = (source.text(), source.text())
    let read = ProxyExceptions(exceptions)
    for server in ["http://a/", "http://10.0.0.1:81/", "https://[::1]/"] {
        guard let origin = TargetURI(server)?.origin else { fatalError("a server that is none") }
        check(!exceptions.isEmpty || !read.contains(origin), "\(server) is an exception of nothing")
        check(exceptions != "*" || read.contains(origin), "\(server) is none of all")
    }
    guard let proxy = try? ProxyServer(url: url, variable: "http_proxy") else { return }
    check((1...65_535).contains(proxy.origin.port) && !proxy.origin.host.isEmpty, "\(proxy)")
    check(proxy.kind != .socks4 && proxy.kind != .socks4a || proxy.password.isEmpty, "SOCKS 4 with a password")
    let again = try? ProxyServer(url: "\(proxy.kind.rawValue)://\(proxy.origin.bracketedHost):\(proxy.origin.port)")
    check(again?.origin == proxy.origin && again?.kind == proxy.kind, "\(url.debugDescription) is \(proxy), and not read again")
}

private struct TunnelOutcome: Equatable {
    var step: TunnelStep
    var sent: [UInt8]
    var refusal: TransportError?
}

private func outcome(of handshake: some TunnelHandshake, _ pieces: [ArraySlice<UInt8>]) -> TunnelOutcome {
    var handshake = handshake
    for (number, piece) in pieces.enumerated() {
        let ended = handshake.connectionEnded(nil)
        check(ended != .needsMore, "the end of the connection is none")
        if case .connected = ended { fatalError("connected at the end of the connection") }
        let step = piece.withUnsafeBytes { handshake.read($0) }
        if step == .needsMore { continue }
        let rest = pieces[(number + 1)...].flatMap { $0 }
        // What follows a success is the server's. What follows a refusal decides whether the connection stays, if it has come by then.
        guard case .connected(let early) = step else {
            var step = step
            if case .refused = step { step = .refused(stays: false) }
            return TunnelOutcome(step: step, sent: handshake.output, refusal: handshake.refusal)
        }
        return TunnelOutcome(step: .connected(early + rest), sent: handshake.output)
    }
    return TunnelOutcome(step: handshake.connectionEnded(nil), sent: handshake.output, refusal: handshake.refusal)
}

private func checkWords(_ step: TunnelStep, _ beginning: String) {
    guard case .failed(let error) = step else { return }
    guard case .failed(_, let words) = error else { fatalError("\(error)") }
    check(words.hasPrefix(beginning), words)
}
