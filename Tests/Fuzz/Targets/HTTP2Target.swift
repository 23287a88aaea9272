import Foundation

/// Frames give the same events however they are cut, each request ends once, and a whole response has the length that it says.
func fuzzHTTP2(_ input: [UInt8]) {
    var source = Source(input)
    let (options, seed) = (source.byte(), source.word())
    // Either the bytes of the connection, or frames whose lengths are right.
    let bytes = options & 1 == 0 ? source.rest() : frames(from: &source)
    let whole = HTTP2Run([bytes[...]], options: options)
    check(
        whole.requests == HTTP2Run(bytes.indices.map { bytes[$0...$0] }, options: options).requests, "byte by byte it reads as other events"
    )
    check(whole.requests == HTTP2Run(pieces(of: bytes, seed: seed), options: options).requests, "in pieces it reads as other events")
    for request in whole.requests {
        check(request.end != nil, "a request has no end")
        guard request.end == .complete, let head = request.heads.last, let length = head.headers["content-length"] else { continue }
        let isBodyless = request.isHead || head.statusCode == 204 || head.statusCode == 304
        check(
            isBodyless ? request.body.isEmpty : Int64(request.body.count) == Int64(length.trimmingCharacters(in: .whitespaces)),
            "a short body")
    }
    check(whole.requests.reduce(0) { $0 + $1.body.count } <= bytes.count, "bodies that are longer than the input")
    check(whole.outputSize <= 20 * bytes.count + 100_000, "\(whole.outputSize) bytes in answer to \(bytes.count)")
}

/// Frames of a kind, flags, a stream and a length of one byte each.
private func frames(from source: inout Source) -> [UInt8] {
    var bytes: [UInt8] = []
    while !source.isEmpty {
        let (kind, flags, stream, count) = (source.byte(), source.byte(), source.byte(), source.byte())
        bytes += [0, 0, count, kind % 11, flags, 0, 0, 0, stream % 8]
        for _ in 0..<count { bytes.append(source.byte()) }
    }
    return bytes
}

private func pieces(of bytes: [UInt8], seed: UInt64) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var (rest, state) = (bytes[...], seed)
    while !rest.isEmpty {
        let piece = rest.prefix(1 + Int(state & 31))
        state = state >> 5 | state << 59
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return pieces
}

/// Two requests on a connection whose server sends pieces.
private struct HTTP2Run {
    final class Request: HTTP2StreamOwner, Equatable {
        let isHead: Bool
        var heads: [ResponseHead] = []
        var body: [UInt8] = []
        var trailers: HTTPHeaders?
        var end: HTTP2StreamEnd?

        init(isHead: Bool) { self.isHead = isHead }

        static func == (left: Request, right: Request) -> Bool {
            // How much of a body that is too long is passed on depends on the pieces.
            left.heads == right.heads && left.trailers == right.trailers && left.end == right.end
                && (left.end != .complete || left.body == right.body)
        }

        func received(_ event: HTTP2StreamEvent, on stream: HTTP2Stream) {
            check(end == nil, "an event behind the end")
            switch event {
            case .interim(let head), .head(let head): heads.append(head)
            case .body(let bytes): body += bytes
            case .end(let trailers): self.trailers = trailers
            case .closed(let end): self.end = end
            case .bodyWanted, .bodySent: break
            }
        }
    }

    let requests: [Request]
    let outputSize: Int

    init(_ pieces: [ArraySlice<UInt8>], options: UInt8) {
        let requests = [Request(isHead: options & 2 != 0), Request(isHead: false)]
        self.requests = requests
        guard case .success(let library) = HTTP2Library.system, let codec = HTTP2Codec(library), let target = TargetURI("https://a/") else {
            fatalError("libnghttp2 is missing")
        }
        let now = MonotonicInstant(nanoseconds: 1)
        do {
            _ = try codec.submit(method: requests[0].isHead ? .head : .get, target: target, headers: [:], owner: requests[0])
            if let stream = try codec.submit(method: .put, target: target, headers: [:], body: .known(70_000), owner: requests[1]) {
                try codec.send(Data(count: 70_000), on: stream)
                try codec.endBody(of: stream)
            }
        } catch {
            check(false, "\(error)")
        }
        var output: [UInt8] = []
        func send() {
            codec.takeOutput(to: &output, least: .max)
            codec.deliverEvents()
        }
        send()
        // The server's SETTINGS, and its answer to this side's.
        [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0].withUnsafeBytes { codec.receive($0, at: now) }
        send()
        // What is sent between could change the meaning of what follows.
        for piece in pieces { piece.withUnsafeBytes { codec.receive($0, at: now) } }
        send()
        codec.connectionEnded(isReset: options & 4 != 0)
        outputSize = output.count
    }
}
