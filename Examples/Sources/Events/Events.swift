import Firewheel
import FirewheelTesting
import Foundation

/// Reads server-sent events: a live feed that survives lost connections, and an answer word by word, as language models give it.
///
///     swift run --package-path Examples events            # from a server that it starts itself
///     swift run --package-path Examples events URL        # the events of a URL, until it is interrupted
@main
struct Events {
    static func main() async throws {
        if let url = CommandLine.arguments.dropFirst().first {
            for try await event in HTTP.eventSource(url) { print(event.event ?? "message", event.data) }
            return
        }
        let server = try startServer()
        defer { server.shutdown() }
        let session = Session()
        try await follow(session, server)
        try await chat(session, server)
        await watch(session, server)
    }

    /// The server closes the connection after every second event; the feed goes on where it was.
    private static func follow(_ session: Session, _ server: MockServer) async throws {
        print("1. A live feed over several connections")
        for try await event in session.eventSource(server.url("/ticker")) {
            print("   \(event.id ?? "-") \(event.event ?? "message"): \(event.data)")
            if event.id == "6" { break }
        }
    }

    private struct Piece: Decodable {
        struct Choice: Decodable {
            struct Delta: Decodable { let content: String }
            let delta: Delta
        }
        let choices: [Choice]
    }

    /// A chat completion: a POST, whose response is the whole answer, so that the source does not connect again.
    private static func chat(_ session: Session, _ server: MockServer) async throws {
        print("2. An answer in pieces\n   ", terminator: "")
        let answer = session.eventSource(
            server.url("/v1/chat/completions"), method: .post,
            parameters: ["model": "example", "stream": true, "messages": [["role": "user", "content": "What is a firewheel?"]]],
            encoding: .json, reconnection: .never)
        for try await event in answer {
            if event.data == "[DONE]" { break }
            let piece = try JSONDecoder().decode(Piece.self, from: Data(event.data.utf8))
            print(piece.choices.map(\.delta.content).joined(), terminator: "")
        }
        print()
    }

    /// Handlers instead of a loop. The server ends the feed with a status of 204.
    private static func watch(_ session: Session, _ server: MockServer) async {
        print("3. Handlers")
        await withCheckedContinuation { continuation in
            session.eventSource(server.url("/countdown"))
                .onOpen { print("   connected: \($0.statusCode)") }
                .onEvent { print("   \($0.data)") }
                .onClose { error in
                    print("   \(error.map { "failed: \($0)" } ?? "closed")")
                    continuation.resume()
                }
        }
    }

    // MARK: Server

    private static let eventStream = [("Content-Type", "text/event-stream")]

    private static func startServer() throws -> MockServer {
        let server = try MockServer()
        server.exchange("/ticker") { exchange in
            let last = exchange.request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
            try exchange.sendHead(headers: eventStream)
            try exchange.sendChunk(Data("retry: 500\n: connected\n\n".utf8))
            for number in last + 1...last + 2 {
                try exchange.sendChunk(Data("id: \(number)\nevent: tick\ndata: price \(100 + number)\n\n".utf8))
            }
            try exchange.endChunks()
        }
        server.exchange("/v1/chat/completions") { exchange in
            try exchange.readAll()
            try exchange.sendHead(headers: eventStream)
            for word in ["A", " firewheel", " is", " a", " flower", "."] {
                try exchange.sendChunk(Data("data: {\"choices\": [{\"delta\": {\"content\": \"\(word)\"}}]}\n\n".utf8))
            }
            try exchange.sendChunk(Data("data: [DONE]\n\n".utf8))
            try exchange.endChunks()
        }
        server.exchange("/countdown") { exchange in
            if exchange.request.header("Last-Event-ID") != nil { return try exchange.send(.status(204)) }
            try exchange.sendHead(headers: eventStream)
            for number in (1...3).reversed() { try exchange.sendChunk(Data("retry: 500\nid: \(number)\ndata: \(number)\n\n".utf8)) }
            try exchange.endChunks()
        }
        return server
    }
}
