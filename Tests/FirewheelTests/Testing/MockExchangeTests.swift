import Foundation
import Testing

@testable import FirewheelTesting

/// Exchanges in a handler's own hands, over raw sockets.
@Suite("MockExchange", .timeLimit(.minutes(5)))
struct MockExchangeTests {
    let server: MockServer

    init() throws { server = try MockServer() }

    private func connect() throws -> RawConnection { try RawConnection(port: server.port) }

    private func post(_ fields: String, to path: String = "/") -> String { "POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

    @Test("A handler reads and answers a body piece by piece, and the connection is used again")
    func echo() async throws {
        server.exchange("/") { exchange in
            try exchange.sendHead(status: 201, headers: [("X-One", "1")])
            while let piece = try exchange.read() { try exchange.sendChunk(piece) }
            try exchange.sendChunk(Data())
            try exchange.endChunks(trailers: exchange.request.trailerLines.isEmpty ? [] : [("X-Sum", "2")])
        }
        let connection = try connect()
        for _ in 0..<2 {
            connection.send(post("Transfer-Encoding: chunked\r\n"))
            #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 201 Created\r\nX-One: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in ["a", "bc"] {
                connection.send("\(piece.utf8.count)\r\n\(piece)\r\n")
                #expect(connection.read(through: "\(piece)\r\n") == "\(piece.utf8.count)\r\n\(piece)\r\n")
            }
            connection.send("0\r\nX-Sum: 1\r\n\r\n")
            #expect(connection.read(through: "\r\n\r\n") == "0\r\nX-Sum: 2\r\n\r\n")
        }
        let requests = try await server.takeRequests(2)
        #expect(requests.map(\.bodyText) == ["abc", "abc"])
        #expect(requests.map(\.chunkSizes) == [[1, 2], [1, 2]])
        #expect(requests.map(\.trailerLines) == [["X-Sum: 1"], ["X-Sum: 1"]])
        #expect(requests.map(\.sequenceNumber) == [0, 1])
        server.closeIdleConnections()
        #expect(connection.readToEnd().end == .closed)
    }

    @Test("A handler reads a body in parts as large as it wants, in every framing")
    func parts() async throws {
        server.exchange("/") { exchange in
            var pieces: [String] = []
            while let piece = try exchange.read(upTo: 4) { pieces.append(String(decoding: piece, as: UTF8.self)) }
            try exchange.send(.text(pieces.joined() + (pieces.allSatisfy { $0.count <= 4 } ? "" : " in parts too long")))
        }
        let connection = try connect()
        #expect(connection.exchange(post("Content-Length: 10\r\n") + "0123456789").body == "0123456789")
        let chunks = "A\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n"
        #expect(connection.exchange(post("Transfer-Encoding: chunked\r\n") + chunks).body == "0123456789x")
        #expect(connection.exchange(post("")).body == "")
    }

    @Test("A handler decides when a client that expects a 100 gets it")
    func consent() async throws {
        server.exchange("/") { exchange in
            let isQuiet = !exchange.hasInput(within: 0.05)
            try exchange.sendInterim(103, headers: [("Link", "</a>")])
            try exchange.sendInterim(100)
            let isThere = exchange.hasInput(within: 10)
            try exchange.readAll()
            try exchange.send(.text("\(isQuiet) \(isThere) \(exchange.request.bodyText)"))
        }
        let connection = try connect()
        connection.send(post("Content-Length: 4\r\nExpect: 100-continue\r\n"))
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        connection.send("body")
        #expect(connection.readResponse().body == "true true body")
    }

    @Test("A response before the body is read closes the connection, and a handler sees what comes until then")
    func early() async throws {
        let counts = Guarded<[Int]>([])
        server.exchange("/") { exchange in
            try exchange.send(.text("no", status: 413))
            let count = exchange.waitForDisconnection()
            counts.change { $0.append(count) }
        }
        let connection = try connect()
        let (head, body) = connection.exchange(post("Content-Length: 100\r\n"))
        #expect(head.contains("Connection: close\r\n") && body == "no")
        connection.send("some bytes")
        connection.finishSending()
        #expect(connection.readToEnd().end == .closed)
        #expect(try await counts.wait(timeout: 10) { $0.isEmpty ? nil : $0 } == [10])
        #expect(try await server.takeRequest().body.isEmpty)
    }

    @Test("A handler that throws, or sends no complete response, closes the connection")
    func incomplete() async throws {
        struct Failure: Error {}
        server.exchange("/throws") { exchange in
            try exchange.sendBytes(Data("HTTP/1.1 ".utf8))
            throw Failure()
        }
        server.exchange("/half") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("x".utf8))
        }
        for (path, text) in [
            ("/throws", "HTTP/1.1 "), ("/half", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"),
        ] {
            let connection = try connect()
            connection.send(post("", to: path))
            let (seen, end) = connection.readToEnd()
            #expect(seen == text && end == .closed)
        }
        #expect(await server.waitForRequests(2))
    }

    @Test("A malformed chunk gets a 400 from a handler that reads it")
    func malformed() async throws {
        server.exchange("/") { exchange in
            try exchange.readAll()
            try exchange.send(.text("x"))
        }
        let (head, _) = try connect().exchange(post("Transfer-Encoding: chunked\r\n") + "no size\r\n")
        #expect(head.hasPrefix("HTTP/1.1 400 "))
    }

    @Test("A request counts when its handler is called, and can be taken when that has returned")
    func count() async throws {
        server.exchange("/") { [weak server] exchange in
            try exchange.readAll()
            #expect(server?.requestCount == 1)
            #expect(server?.waitForRequests(1, timeout: 0) == true)
            #expect(throws: MockServerError.noRequest) { try server?.takeRequest(timeout: 0.01) }
            try exchange.send(.text("x"))
        }
        #expect(try connect().exchange(post("Content-Length: 2\r\n") + "ab").body == "x")
        #expect(try await server.takeRequest().bodyText == "ab")
        #expect(server.requestCount == 1)
    }

    @Test("A shutdown ends a handler that waits for its client")
    func shutdown() async throws {
        let isWaiting = Guarded(false)
        server.exchange("/") { exchange in
            isWaiting.change { $0 = true }
            try exchange.readAll()
        }
        let connection = try connect()
        connection.send(post("Content-Length: 5\r\n"))
        #expect(try await isWaiting.wait(timeout: 10) { $0 ? true : nil } == true)
        server.shutdown()
        #expect(server.leftovers == (0, 0))
        #expect(connection.readToEnd().text.isEmpty)
    }
}
