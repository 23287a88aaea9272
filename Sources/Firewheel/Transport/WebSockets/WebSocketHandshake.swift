import Foundation

/// The client's side of one opening handshake (RFC 6455 section 4.1).
struct WebSocketHandshake {
    /// What client and server have agreed on.
    struct Agreement: Equatable {
        /// nil if the server has chosen none.
        var subprotocol: String?
        /// nil if messages are not compressed.
        var deflate: PermessageDeflate?
    }

    /// Fields that are the handshake's own.
    private static let ownFields = ["Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions"]
    private static let protocolField = "Sec-WebSocket-Protocol"
    /// Section 1.3.
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Sent as `Sec-WebSocket-Key`: 16 random bytes.
    let key: String
    private let protocols: [String]
    private let offersDeflate: Bool
    private let accept: String

    /// - Parameters:
    ///   - headers: The request's. Its `Sec-WebSocket-Protocol` counts if the offer has no protocols.
    ///   - canCompress: Whether zlib is there.
    /// - Throws: Why the request cannot be sent.
    init(_ offer: WebSocketOffer, headers: HTTPHeaders, canCompress: Bool) throws(TransportError) {
        if let field = headers.first(where: { header in Self.ownFields.contains { header.name.equalsIgnoringASCIICase($0) } }) {
            throw .failed(.badURL, "the header field \(field.name) is the WebSocket handshake's own")
        }
        let named = headers.values(for: Self.protocolField).flatMap { $0.split(separator: ",") }
            .map { String($0.trimmingOptionalWhitespace()) }
        guard named.isEmpty || offer.protocols.isEmpty || named == offer.protocols else {
            throw .failed(.badURL, "the header field \(Self.protocolField) names other protocols than the request's protocols")
        }
        protocols = offer.protocols.isEmpty ? named : offer.protocols
        guard protocols.allSatisfy(\.isHTTPToken) else {
            throw .failed(.badURL, "a WebSocket protocol's name is not a token (RFC 6455 section 4.1)")
        }
        guard Set(protocols).count == protocols.count else { throw .failed(.badURL, "a WebSocket protocol is named twice") }
        offersDeflate = offer.configuration.compresses && canCompress
        var random = WebSocketMaskingKeys()
        var bytes = Data()
        for _ in 0..<4 { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        key = bytes.base64EncodedString()
        do throws(SystemLibraryError) {
            accept = Data(try HashAlgorithm.sha1.hash(Array((key + Self.guid).utf8))).base64EncodedString()
        } catch {
            throw .failed(.resourceUnavailable, "WebSockets need SHA-1: \(error)")
        }
    }

    /// The request's fields with those of the handshake.
    func adding(to headers: HTTPHeaders) -> HTTPHeaders {
        var headers = headers
        headers.update(name: "Upgrade", value: "websocket")
        headers.update(name: "Connection", value: "Upgrade")
        headers.update(name: "Sec-WebSocket-Key", value: key)
        headers.update(name: "Sec-WebSocket-Version", value: "13")
        if !protocols.isEmpty { headers.update(name: Self.protocolField, value: protocols.joined(separator: ", ")) }
        if offersDeflate { headers.update(name: "Sec-WebSocket-Extensions", value: PermessageDeflate.offer) }
        return headers
    }

    /// Checks the head of a 101 (section 4.1, the server's response).
    ///
    /// - Throws: Why the connection is not the WebSocket that was asked for.
    func agreement(by head: ResponseHead) throws(TransportError) -> Agreement {
        let fields = head.headers
        let upgrade = String(fields.values(for: "Upgrade").joined(separator: ",")[...].trimmingOptionalWhitespace())
        guard upgrade.equalsIgnoringASCIICase("websocket") else {
            throw Self.refused("upgrades to another protocol than WebSocket")
        }
        let options = fields.values(for: "Connection").flatMap { $0.split(separator: ",") }
        guard options.contains(where: { String($0.trimmingOptionalWhitespace()).equalsIgnoringASCIICase("upgrade") }) else {
            throw Self.refused("has no Connection: Upgrade")
        }
        // A list of two keys is no answer to one.
        guard fields.values(for: "Sec-WebSocket-Accept").map({ String($0[...].trimmingOptionalWhitespace()) }) == [accept] else {
            throw Self.refused("has a wrong Sec-WebSocket-Accept")
        }
        var agreement = Agreement()
        let chosen = fields.values(for: Self.protocolField)
        if let name = chosen.first {
            guard chosen.count == 1, protocols.contains(name) else { throw Self.refused("chooses a protocol that was not offered") }
            agreement.subprotocol = name
        }
        do throws(PermessageDeflate.Refusal) {
            let values = fields.values(for: "Sec-WebSocket-Extensions")
            agreement.deflate = try PermessageDeflate.accepted(values, isOffered: offersDeflate)
        } catch {
            throw Self.refused("accepts \(error.reason)")
        }
        return agreement
    }

    private static func refused(_ reason: String) -> TransportError {
        .failed(.badServerResponse, "the server's answer to the WebSocket handshake \(reason)")
    }
}
