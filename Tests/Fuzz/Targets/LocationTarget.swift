import Foundation

private let bases = [
    "http://a.com/", "https://a.com/b/c?d#e", "http://user:pw@a.com:8080/b/../c", "http://[::1]:81/?", "http://127.0.0.1/%41",
    "https://a.com/b//c;d",
]

/// Following a followed Location again leads to the same target.
func fuzzLocation(_ input: [UInt8]) {
    var source = Source(input)
    let base = bases[Int(source.byte()) % bases.count]
    let status = [301, 302, 303, 307, 308][Int(source.byte()) % 5]
    let location = latin1(source.rest().filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 })
    guard let next = follow(location, from: base, status: status) else { return }
    checkReached(next.target, url: next.url)
    guard let again = follow(next.url, from: base, status: status) else { fatalError("\(next.url) is not followed again") }
    check(again.target.string == next.target.string, "\(next.url) leads to \(again.target), not \(next.target)")
    check((next.url.split(separator: "#", maxSplits: 1).first ?? "") == next.target.string, "\(next.url) and \(next.target)")
}

private func follow(_ location: String, from base: String, status: Int) -> RedirectPolicy.RedirectedRequest? {
    guard let from = TargetURI(base) else { fatalError("a base that is none") }
    let head = ResponseHead(statusCode: status, headers: ["Location": location])
    let decision = RedirectPolicy.decide(
        method: .post, url: base, target: from, headers: ["Cookie": "a"], hasBody: true, head: head, count: 0)
    guard case .follow(let next) = decision else { return nil }
    check(next.headers.isEmpty != next.target.hasSameOrigin(as: from), "\(next.target) gets \(next.headers) from \(base)")
    return next
}

/// A URL text reaches the host that Foundation shows.
func fuzzURL(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    _ = Redaction.possibleURL(text)
    if let target = TargetURI(text) { checkReached(target, url: text) }
    guard let prepared = try? builder.build(.url(text, method: .get, headers: nil, encode: nil, modifier: nil)) else { return }
    checkReached(prepared.target, url: prepared.url)
    check(
        prepared.makeURLRequest()?.url?.host.flatMap(canonical) == prepared.target.origin.host, "\(prepared.url) is shown with another host"
    )
}

private let builder = RequestBuilder(configuration: .default)

private func checkReached(_ target: TargetURI, url: String) {
    let origin = target.origin
    check(target.string.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !target.string.contains("#"), "\(target.string.debugDescription)")
    check(target.string.hasPrefix(origin.isSecure ? "https://" : "http://"), "\(target)")
    check(!origin.host.isEmpty && (1...65535).contains(origin.port), "\(origin)")
    check(TargetURI(target.string)?.string == target.string && TargetURI(target.string)?.origin == origin, "\(target) is not itself")
    check(TargetURI(url)?.string == target.string, "\(url) is not \(target)")
}

private func canonical(_ host: String) -> String? {
    let text = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if text.contains(":") { return HostAddress.ipv6(text.replacing("%", with: "%25").replacing("%2525", with: "%25")) }
    return TargetURI("http://\(text)/")?.origin.host
}
