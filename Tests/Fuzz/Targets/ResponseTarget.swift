/// A response gives the same events however it is cut, and a head that is accepted reads the same when it is written again.
func fuzzResponse(_ input: [UInt8]) {
    var source = Source(input)
    let (options, seed) = (source.byte(), source.word())
    let bytes = source.rest()
    let whole = ResponseEvents([bytes[...]], options: options)
    check(whole == ResponseEvents(bytes.indices.map { bytes[$0...$0] }, options: options), "byte by byte it reads as another response")
    check(whole == ResponseEvents(pieces(of: bytes, seed: seed), options: options), "in pieces it reads as another response")
    check(whole.body.count <= bytes.count, "a body that is longer than the input")
    guard let head = whole.heads.last, !whole.hasInterim else { return }
    check((100...999).contains(head.statusCode), "status \(head.statusCode)")
    for field in head.headers {
        let isValue = field.value.unicodeScalars.allSatisfy { $0.value <= 0xFF && !"\r\n\u{0}".unicodeScalars.contains($0) }
        check(isValue, "a value that is no field's")
    }
    // A name that is not a token may contain characters with a meaning in a line.
    guard head.headers.allSatisfy({ $0.name.isHTTPToken }) else { return }
    let fields = head.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    let text = "\(head.httpVersion) \(head.statusCode)\r\n\(fields)\r\n"
    let again = ResponseEvents([text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }[...]], options: options)
    check(again.heads.first == head, "written down, it reads as another head")
}

/// Chunks, as a response's body: what is read is what a plain decoder of strict chunks reads, and a refused one has no complete body.
func fuzzChunks(_ input: [UInt8]) {
    var source = Source(input)
    let seed = source.word()
    let chunks = source.rest()
    let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + chunks
    let whole = ResponseEvents([bytes[...]], options: 0)
    check(whole == ResponseEvents(bytes.indices.map { bytes[$0...$0] }, options: 0), "byte by byte it reads as other chunks")
    check(whole == ResponseEvents(pieces(of: bytes, seed: seed), options: 0), "in pieces it reads as other chunks")
    if let body = strictBody(of: chunks) { check(whole.body == body && whole.isComplete, "strict chunks read as another body") }
    // Any bytes framed as chunks are read back.
    var writer = RequestWriter()
    var output: [UInt8] = []
    guard let target = TargetURI("http://a/") else { return }
    do {
        try writer.writeHead(method: .put, target: target, headers: [:], body: .unknown, to: &output)
        output = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for piece in pieces(of: chunks, seed: seed) { try piece.withUnsafeBytes { try writer.write($0, to: &output) } }
        try writer.end(to: &output)
    } catch {
        check(false, "\(error)")
    }
    let again = ResponseEvents([output[...]], options: 0)
    check(again.body == chunks && again.isComplete, "what was written reads as another body")
}

/// What a reader reports of a response in pieces, independent of the pieces.
private struct ResponseEvents: Equatable {
    var heads: [ResponseHead] = []
    var hasInterim = false
    var body: [UInt8] = []
    var trailers: HTTPHeaders?
    var isReusable: Bool?
    var failure: TransportError?

    var isComplete: Bool { trailers != nil }

    init(_ pieces: [ArraySlice<UInt8>], options: UInt8) {
        var reader = ResponseReader(for: options & 1 == 0 ? .get : .head, wantsInterim: options & 2 != 0)
        feeding: for piece in pieces {
            var rest = piece
            while true {
                let (consumed, event) = rest.withUnsafeBytes { reader.read($0) }
                check((0...rest.count).contains(consumed), "\(consumed) of \(rest.count) bytes were consumed")
                if case .body(let range) = event {
                    body += rest[(rest.startIndex + range.lowerBound)..<(rest.startIndex + range.upperBound)]
                }
                rest = rest.dropFirst(consumed)
                guard take(event, reader) else { break }
            }
            if failure != nil { break feeding }
        }
        if failure == nil, trailers == nil { _ = take(reader.connectionEnded(isClean: true), reader) }
    }

    private mutating func take(_ event: ResponseReader.Event, _ reader: ResponseReader) -> Bool {
        switch event {
        case .needsMore: return false
        case .interim(let head):
            hasInterim = true
            heads.append(head)
        case .head(let head):
            heads.append(head)
        case .upgraded: fatalError("another protocol, which was not asked for")
        case .body: break
        case .end(let end):
            trailers = end.trailers
            isReusable = end.connectionStays
        case .excess:
            isReusable = false
            return false
        case .failed(let error):
            failure = error
            return false
        }
        return true
    }
}

private func pieces(of bytes: [UInt8], seed: UInt64) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var (rest, state) = (bytes[...], seed)
    while !rest.isEmpty {
        let piece = rest.prefix(1 + Int(state & 15))
        state = state >> 4 | state << 60
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return pieces
}

/// The body of chunks without extensions, trailer fields and anything behind them. nil for all others.
private func strictBody(of chunks: [UInt8]) -> [UInt8]? {
    var (rest, body) = (chunks[...], [UInt8]())
    while true {
        guard let end = rest.firstIndex(of: 0x0D), rest[rest.startIndex..<end].allSatisfy(\.isHexDigit),
            let size = Int(String(decoding: rest[rest.startIndex..<end], as: UTF8.self), radix: 16), end - rest.startIndex <= 16
        else { return nil }
        rest = rest[end...]
        guard rest.starts(with: [0x0D, 0x0A]) else { return nil }
        rest = rest.dropFirst(2)
        guard rest.count >= 2, size <= rest.count - 2 else { return nil }
        body += rest.prefix(size)
        rest = rest.dropFirst(size)
        guard rest.starts(with: [0x0D, 0x0A]) else { return nil }
        rest = rest.dropFirst(2)
        if size == 0 { return rest.isEmpty ? body : nil }
    }
}
