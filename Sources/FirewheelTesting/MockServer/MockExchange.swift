import Foundation

/// One exchange of a ``MockServer`` in a test's hands: the body is read and the response sent piece by piece, in any order.
///
/// ```swift
/// server.exchange("/echo") { exchange in
///     try exchange.sendHead()
///     while let piece = try exchange.read() { try exchange.sendChunk(piece) }
///     try exchange.endChunks()
/// }
/// ```
///
/// Usable only in the handler of ``MockServer/exchange(_:method:_:)``, on its thread. Every member that throws does so if the client has
/// disconnected or the server is shut down.
public final class MockExchange {
    /// The request, with what has been read of its body.
    public private(set) var request: RecordedRequest

    private(set) var connection: MockConnection
    /// What follows a complete response; nil before that.
    private(set) var ending: ResponsePlan.Ending?
    private let head: RequestHead
    private var rest: BodyRest

    init(_ connection: MockConnection, head: RequestHead, request: RecordedRequest) {
        self.connection = connection
        self.head = head
        self.request = request
        rest = BodyRest(head.body)
    }

    /// Whether the request's body has not been read to its end.
    var isBodyUnread: Bool { rest != .nothing }

    // MARK: - Reading

    /// Reads what has arrived of the body, and waits if nothing has.
    ///
    /// - Parameter limit: The most bytes to read. Default: no limit.
    /// - Returns: The content without its framing; nil at its end, after which the trailer fields are in ``request``.
    public func read(upTo limit: Int = .max) throws -> Data? {
        let count = try connection.reader.readPiece(of: &rest, into: &request, upTo: max(1, limit))
        return count > 0 ? Data(request.body.suffix(count)) : nil
    }

    /// Reads the body to its end.
    ///
    /// - Returns: All of it, also what was read before.
    @discardableResult
    public func readAll() throws -> Data {
        while try read() != nil {}
        return request.body
    }

    /// Waits for bytes of the client, or its disconnection.
    ///
    /// - Returns: False if neither came within this many seconds.
    public func hasInput(within seconds: TimeInterval) -> Bool { connection.reader.hasInput(before: Deadline(after: seconds)) }

    /// Discards what the client sends until it disconnects.
    ///
    /// - Returns: The number of bytes, framing included.
    @discardableResult
    public func waitForDisconnection() -> Int { connection.reader.discardUntilEnd() }

    // MARK: - Sending

    /// Sends an interim response, such as 100 (RFC 9110 section 15.2).
    public func sendInterim(_ status: Int, headers: [(String, String)] = []) throws {
        try sendBytes(MockResponseHead.interim(status, headers))
    }

    /// Sends a complete response, with its delays and its fault. `Connection: close` is added unless the whole body has been read.
    public func send(_ response: MockResponse) throws {
        let plan = ResponsePlan(response, to: head, isBodyUnread: isBodyUnread)
        try connection.send(plan, of: response)
        ending = plan.ending
    }

    /// Sends the head of a response in chunks.
    ///
    /// - Parameters:
    ///   - status: Default: 200.
    ///   - headers: Names and values, besides `Transfer-Encoding`. Default: none.
    public func sendHead(status: Int = 200, headers: [(String, String)] = []) throws {
        let response = MockResponse(status: status, headers: headers)
        try sendBytes(MockResponseHead.bytes(response, framing: ("Transfer-Encoding", "chunked"), connection: nil))
    }

    /// Sends a chunk of the response. Empty data is left out: it would be the last chunk.
    public func sendChunk(_ data: Data) throws {
        if data.isEmpty { return }
        try sendBytes(Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8))
    }

    /// Ends a response in chunks. The connection stays open if the whole body has been read, and is closed otherwise.
    public func endChunks(trailers: [(String, String)] = []) throws {
        let lines = trailers.map { "\($0.0): \($0.1)\r\n" }.joined()
        ending = isBodyUnread || !head.keepsAlive ? .close : .keep
        if ending == .keep { connection.willBeIdle() }
        try sendBytes(Data("0\r\n\(lines)\r\n".utf8))
    }

    /// Sends bytes as they are.
    public func sendBytes(_ data: Data) throws {
        try connection.outbox.write(data)
        try connection.outbox.flush()
    }
}
