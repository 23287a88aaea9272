import Foundation

/// Asks an HTTP proxy to connect to a server (CONNECT, RFC 9110 section 9.3.6).
struct ConnectHandshake: TunnelHandshake {
    /// The most bytes of a refusal's body that are kept.
    static let mostBody = 65_536

    private let proxy: ProxyServer
    private let place: String
    private let isSecure: Bool
    private var reader = ResponseReader(for: .connect)
    private var body = Data()
    private let isAuthorized: Bool
    private(set) var head: ResponseHead?

    let output: [UInt8]

    /// - Parameters:
    ///   - place: How messages name the server. Default: nil, by its host and port.
    ///   - userAgent: The request's, which some proxies want to know; nil for none.
    ///   - authorization: The field with the credentials. Default: nil, none.
    init(
        to origin: TargetURI.Origin, through proxy: ProxyServer, named place: String? = nil, userAgent: HTTPHeader?,
        authorization: HTTPHeader? = nil
    ) throws(RequestWriter.Problem) {
        self.proxy = proxy
        isSecure = origin.isSecure
        var target: [UInt8] = []
        target.appendConnectTarget(origin)
        self.place = place ?? String(decoding: target, as: UTF8.self)
        var request: [UInt8] = []
        request.append("CONNECT ")
        request.append(contentsOf: target)
        request.append(" HTTP/1.1\r\nHost: ")
        request.append(contentsOf: target)
        request.append("\r\n")
        isAuthorized = authorization != nil
        if let authorization { try request.append(field: authorization) }
        if let userAgent { try request.append(field: userAgent) }
        request.append("\r\n")
        output = request
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer) -> TunnelStep {
        var position = 0
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let (consumed, event) = reader.read(rest)
            position += consumed
            switch event {
            case .needsMore: return .needsMore
            // Nothing else than a tunnel was asked for.
            case .interim, .upgraded: break
            case .head(let head):
                self.head = head
                guard (200..<300).contains(head.statusCode) else { break }
                // In TLS the client speaks first.
                guard position == bytes.count || !isSecure else {
                    return fail(.badServerResponse, "it sent more than the head of its response to CONNECT")
                }
                return .connected([UInt8](bytes[position...]))
            case .body(let range):
                body.append(contentsOf: rest[range].prefix(Self.mostBody - body.count))
                if body.count == Self.mostBody { return .refused(stays: false) }
            case .end(let end): return .refused(stays: end.connectionStays)
            case .excess: return .refused(stays: false)
            case .failed(let error): return ended(described(error))
            }
        }
    }

    var hasBegun: Bool { reader.hasBegun }

    func violated(_ error: TransportError) -> TunnelStep { ended(described(error)) }

    func connectionEnded(_ words: String?) -> TunnelStep {
        let reason = words ?? (reader.hasBegun ? "it closed the connection in the middle of its response" : "it closed the connection")
        return ended(.failed(.networkConnectionLost, unable(reason)))
    }

    /// A refusal counts although its body is not complete.
    private func ended(_ error: TransportError) -> TunnelStep { refusal == nil ? .failed(error) : .refused(stays: false) }

    var refusal: TransportError? {
        guard let head, !(200..<300).contains(head.statusCode) else { return nil }
        var words = "the proxy \(proxy) refused to connect to \(place) with status \(head.statusCode)"
        if head.statusCode == 407 {
            if isAuthorized { words += ", and does not accept the credentials" }
            if let wanted = Challenge.wanted(by: head.headers.values(for: "Proxy-Authenticate")) { words += ": it asks for \(wanted)" }
        }
        return .proxyConnectFailed(proxy: TargetURI(of: proxy.origin), head, body, words)
    }

    /// What has gone wrong, with the names of both.
    private func unable(_ words: String) -> String { "the proxy \(proxy) did not connect to \(place): \(words)" }

    private func fail(_ code: URLError.Code, _ words: String) -> TunnelStep { .failed(.failed(code, unable(words))) }

    private func described(_ error: TransportError) -> TransportError {
        guard case .failed(let code, let words) = error else { return error }
        // The reader takes the proxy for a server.
        return .failed(code, unable(words.hasPrefix("the server ") ? "it \(words.dropFirst(11))" : words))
    }
}
