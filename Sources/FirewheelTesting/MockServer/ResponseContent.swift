import Foundation

/// A response's body in its framing (RFC 9112 §6).
struct ResponseContent {
    /// The field that declares the framing; nil if there is none to add.
    let framingField: (name: String, value: String)?
    /// The bytes to send after the head.
    let wire: Data
    /// Whether the body is delimited by the end of the connection.
    let endsAtClose: Bool
    let isChunked: Bool
    /// The chunk sizes as sent, for finding a position to cut.
    private let chunks: [Int]

    init(_ response: MockResponse, to request: RequestHead) {
        let success = (200..<300).contains(response.status)
        let hasNoContent = response.status / 100 == 1 || [204, 304].contains(response.status) || (request.method == "CONNECT" && success)
        let sendsBody = !hasNoContent && request.method != "HEAD"
        let isDeclared =
            MockResponseHead.declares("content-length", response) || MockResponseHead.declares("transfer-encoding", response)

        switch Self.framing(response) {
        case .contentLength:
            var length = response.body.count
            if case .bodyShorter(let count) = response.fault { length &+= max(0, count) }
            framingField = isDeclared || hasNoContent ? nil : ("Content-Length", String(length))
            (wire, chunks, isChunked) = (sendsBody ? response.body : Data(), [], false)
            endsAtClose = false
        case .chunked(let sizes):
            framingField = isDeclared || hasNoContent ? nil : ("Transfer-Encoding", "chunked")
            chunks = sendsBody ? Self.chunks(of: response.body.count, sizes: sizes) : []
            wire = sendsBody ? Self.encode(response, chunks) : Data()
            (isChunked, endsAtClose) = (true, false)
        case .untilClose:
            (framingField, chunks, isChunked) = (nil, [], false)
            wire = sendsBody ? response.body : Data()
            endsAtClose = sendsBody
        case .none:
            (framingField, wire, chunks, isChunked) = (nil, Data(), [], false)
            endsAtClose = sendsBody && !isDeclared
        }
    }

    /// The bytes to send if they must end after this many bytes of content. In chunked framing this is within a chunk, before its line
    /// break.
    func cut(after count: Int) -> Data {
        let count = max(0, count)
        guard !chunks.isEmpty else { return wire.prefix(count) }
        var content = 0
        var position = 0
        for size in chunks {
            let sizeLine = String(size, radix: 16).utf8.count + 2
            if count <= content + size { return wire.prefix(position + sizeLine + count - content) }
            content += size
            position += sizeLine + size + 2
        }
        return wire.prefix(max(0, position - 2))
    }

    /// The framing, which some faults override.
    private static func framing(_ response: MockResponse) -> MockResponse.Framing {
        switch response.fault {
        case .bodyShorter, .bodyLonger: return .contentLength
        case .cutChunk, .badChunk, .missingFinalChunk:
            if case .chunked = response.framing { return response.framing }
            return .chunked
        case .endlessBody:
            if case .chunked = response.framing { return response.framing }
            return .untilClose
        default: return response.framing
        }
    }

    private static func chunks(of length: Int, sizes: [Int]) -> [Int] {
        let sizes = sizes.filter { $0 > 0 }
        var rest = length
        var chunks: [Int] = []
        while rest > 0 {
            let size = min(rest, chunks.count < sizes.count ? sizes[chunks.count] : sizes.last ?? rest)
            chunks.append(size)
            rest -= size
        }
        return chunks
    }

    private static func encode(_ response: MockResponse, _ chunks: [Int]) -> Data {
        var wire = Data(capacity: response.body.count + chunks.count * 8 + 64)
        var rest = response.body[...]
        for size in chunks {
            wire.append(contentsOf: "\(String(size, radix: 16))\r\n".utf8)
            wire.append(rest.prefix(size))
            wire.append(contentsOf: "\r\n".utf8)
            rest = rest.dropFirst(size)
        }
        switch response.fault {
        case .missingFinalChunk, .endlessBody: return wire
        case .badChunk: return wire + Data("no hex\r\n".utf8)
        default: break
        }
        wire.append(contentsOf: "0\r\n".utf8)
        for (name, value) in response.trailers { wire.append(contentsOf: "\(name): \(value)\r\n".utf8) }
        wire.append(contentsOf: "\r\n".utf8)
        return wire
    }
}
