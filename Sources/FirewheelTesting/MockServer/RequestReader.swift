import Foundation

/// The client has disconnected, or the server is shut down: the connection ends without a response.
struct ConnectionLost: Error {}

/// What is still to be read of a request's body.
enum BodyRest: Equatable {
    /// This many bytes.
    case length(Int)
    /// The size of the next chunk, and what follows.
    case chunkSize
    /// This many bytes of a chunk, and what follows.
    case chunk(Int)
    /// The line break behind a chunk, and what follows.
    case chunkEnd
    case nothing

    init(_ body: RequestHead.Body) {
        self =
            switch body {
            case .none: .nothing
            case .length(let length): .length(length)
            case .chunked: .chunkSize
            }
    }

    /// What is left after this many of the bytes.
    func after(_ count: Int) -> BodyRest {
        switch self {
        case .length(let missing): missing > count ? .length(missing - count) : .nothing
        case .chunk(let missing): missing > count ? .chunk(missing - count) : .chunkEnd
        case .chunkSize, .chunkEnd, .nothing: self
        }
    }
}

/// Reads requests from a connection. Confined to the connection's thread.
struct RequestReader {
    private static let headLimit = 1 << 20

    private let descriptor: Int32
    private(set) var inbox = Inbox()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Waits for the first byte of the next request.
    mutating func waitForRequest() throws {
        while inbox.isEmpty { try receive() }
    }

    /// Reads a head: everything up to the empty line (RFC 9112 §2.1).
    mutating func readHead() throws -> RequestHead {
        var lines: [String] = []
        var data = Data()
        while true {
            let line = try readLine(limit: Self.headLimit - data.count)
            if line.count == 2 {
                // An empty line before the request line is ignored (RFC 9112 §2.2).
                if lines.isEmpty { continue }
                return try RequestHead(lines: lines, data: data)
            }
            data.append(contentsOf: line)
            lines.append(Self.text(line.dropLast(2)))
        }
    }

    /// Reads the announced body into `request`.
    ///
    /// - Parameter wait: Called before each piece of a body with a content length.
    mutating func readBody(
        _ body: RequestHead.Body, into request: inout RecordedRequest, after wait: (@Sendable (RecordedRequest) -> Void)?
    ) throws {
        switch body {
        case .none: break
        case .length(let length):
            while let wait, inbox.count + request.body.count < length {
                wait(request)
                try receive()
                _ = inbox.move(upTo: length - request.body.count, to: &request.body)
            }
            try read(length - request.body.count, to: &request.body)
        case .chunked:
            var rest = BodyRest(body)
            while try readPiece(of: &rest, into: &request) > 0 {}
        }
    }

    /// Reads what has arrived of a body into `request`, and waits if nothing has.
    ///
    /// - Returns: The number of bytes; 0 at the end of the body.
    mutating func readPiece(of rest: inout BodyRest, into request: inout RecordedRequest, upTo limit: Int = .max) throws -> Int {
        while true {
            switch rest {
            case .nothing: return 0
            case .chunkSize:
                let size = try readChunkSize()
                if size > 0 { request.chunkSizes.append(size) } else { try readTrailers(into: &request) }
                rest = size > 0 ? .chunk(size) : .nothing
            case .chunkEnd:
                guard try readLine(limit: Self.headLimit).count == 2 else { throw MalformedRequest("a chunk longer than its size") }
                rest = .chunkSize
            case .length(let missing), .chunk(let missing):
                let moved = inbox.move(upTo: min(missing, limit), to: &request.body)
                if moved == 0 {
                    try receive()
                    continue
                }
                rest = rest.after(moved)
                return moved
            }
        }
    }

    /// Whether bytes of the client, or its disconnection, come before the deadline.
    func hasInput(before deadline: Deadline) -> Bool {
        while inbox.isEmpty {
            if PlatformSocket.waitForInput([descriptor], milliseconds: deadline.milliseconds) { return true }
            if deadline.remaining <= 0 { return false }
        }
        return true
    }

    /// Discards all input until the client disconnects.
    ///
    /// - Returns: The number of bytes.
    mutating func discardUntilEnd() -> Int {
        var total = inbox.count
        inbox.discard()
        while let count = inbox.receive(from: descriptor), count > 0 {
            total += count
            inbox.discard()
        }
        return total
    }

    /// Waits until the deadline, while watching the client.
    ///
    /// - Parameter untilInput: Returns early when the client sends something (for an idle connection).
    /// - Throws: ``ConnectionLost`` if the client closes its side, or the server is shut down.
    mutating func wait(until deadline: Deadline, untilInput: Bool = false) throws {
        if untilInput, !inbox.isEmpty { return }
        while deadline.remaining > 0 {
            guard PlatformSocket.waitForInput([descriptor], milliseconds: deadline.milliseconds) else { continue }
            // Pipelined requests are buffered, so that the end of the stream is noticed.
            try receive()
            if untilInput { return }
        }
    }

    /// Waits for the client to disconnect, discarding all input.
    mutating func waitForEnd() throws -> Never {
        while true {
            inbox.discard()
            try receive()
        }
    }

    /// Discards pending input, and if `waits`, also what arrives within a second or before the end of the stream.
    ///
    /// Closing a socket with unread bytes sends an RST, which may overtake the response that was just written.
    mutating func drain(waits: Bool) {
        // Limited, because a client may send faster than this reads.
        let deadline = Deadline(after: waits ? 1 : 0.1)
        while deadline.remaining > 0 {
            inbox.discard()
            let received = inbox.receive(from: descriptor, waits: false)
            if received == 0 || received == nil && !waits { return }
            if received == nil { _ = PlatformSocket.waitForInput([descriptor], milliseconds: deadline.milliseconds) }
        }
    }

    // MARK: - Parts

    private mutating func receive() throws {
        guard let count = inbox.receive(from: descriptor), count > 0 else { throw ConnectionLost() }
    }

    /// Reads a line including its CRLF. A bare LF is an error.
    private mutating func readLine(limit: Int) throws -> ArraySlice<UInt8> {
        while true {
            if let line = inbox.takeLine() {
                guard line.count <= limit else { throw MalformedRequest("the head is longer than 1 MiB", status: 431) }
                guard line.count >= 2, line[line.endIndex - 2] == 13 else { throw MalformedRequest("a line that does not end with CRLF") }
                return line
            }
            guard inbox.count <= limit else { throw MalformedRequest("the head is longer than 1 MiB", status: 431) }
            try receive()
        }
    }

    private mutating func read(_ length: Int, to data: inout Data) throws {
        var missing = length
        while missing > 0 {
            let moved = inbox.move(upTo: missing, to: &data)
            missing -= moved
            if moved == 0 { try receive() }
        }
    }

    /// RFC 9112 §7.1.
    private mutating func readChunkSize() throws -> Int {
        let line = try readLine(limit: Self.headLimit).dropLast(2)
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        guard digits.utf8.allSatisfy({ $0 != 43 && $0 != 45 }), let size = Int(digits, radix: 16) else {
            throw MalformedRequest("a chunk size that is no number")
        }
        return size
    }

    private mutating func readTrailers(into request: inout RecordedRequest) throws {
        var total = 0
        while true {
            let line = try readLine(limit: Self.headLimit - total)
            if line.count == 2 { return }
            total += line.count
            request.trailerLines.append(Self.text(line.dropLast(2)))
        }
    }

    /// UTF-8 if valid, otherwise ISO 8859-1: lossless in both cases.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        if text.utf8.count == bytes.count, text.utf8.elementsEqual(bytes) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
