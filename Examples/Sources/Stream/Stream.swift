import Firewheel
import FirewheelTesting
import Foundation

/// Reads responses as they arrive: a live log line by line, measurements as values, and a conversation in which both sides take turns.
///
///     swift run --package-path Examples stream            # from a server that it starts itself
///     swift run --package-path Examples stream URL        # the lines of a URL
@main
struct Stream {
    static func main() async throws {
        if let url = CommandLine.arguments.dropFirst().first {
            for try await line in HTTP.streamRequest(url).validate().streamTask().streamingLines() { print(line) }
            return
        }
        let server = try startServer()
        defer { server.shutdown() }
        let session = Session()
        try await readLog(session, server)
        try await readMeasurements(session, server)
        try await talk(session, server)
        await watch(session, server)
    }

    /// Leaving the loop ends the transfer of a log that never ends.
    private static func readLog(_ session: Session, _ server: MockServer) async throws {
        print("1. The first lines of a log without end")
        for try await line in session.streamRequest(server.url("/log")).validate().streamTask().streamingLines() {
            print("   \(line)")
            if line.hasSuffix("3") { break }
        }
    }

    struct Measurement: Codable, Sendable {
        let place: String
        let celsius: Double
    }

    private static func readMeasurements(_ session: Session, _ server: MockServer) async throws {
        print("2. Values, each from a line of JSON")
        let task = session.streamRequest(server.url("/measurements")).validate().streamTask()
        for try await measurement in task.streamingDecodables(Measurement.self) {
            print("   \(measurement.place): \(measurement.celsius) °C")
        }
        print("   \(task.request.trailers["Count"] ?? "no") of them, says the trailer")
    }

    /// Each question is sent when the last answer has been read.
    private static func talk(_ session: Session, _ server: MockServer) async throws {
        print("3. Full duplex")
        var questions = ["how are you?", "and the weather?", "good bye"][...]
        let (body, ask) = AsyncStream.makeStream(of: Data.self)
        let conversation = session.streamRequest(server.url("/talk"), uploading: body)
        ask.yield(Data("hello".utf8))
        for try await answer in conversation.streamTask().streamingStrings() {
            print("   \(answer)")
            if let question = questions.popFirst() { ask.yield(Data(question.utf8)) } else { ask.finish() }
        }
    }

    /// A handler instead of a loop.
    private static func watch(_ session: Session, _ server: MockServer) async {
        print("4. The same values in a handler")
        await withCheckedContinuation { continuation in
            session.streamRequest(server.url("/measurements")).validate()
                .responseStreamDecodable(of: Measurement.self) { stream in
                    switch stream.event {
                    case .stream(let result): print("   \(result.map(\.place))")
                    case .complete(let completion):
                        print("   \(completion.error.map { "failed: \($0)" } ?? "complete")")
                        continuation.resume()
                    }
                }
        }
    }

    private static func startServer() throws -> MockServer {
        let server = try MockServer()
        server.exchange("/log") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/plain")])
            for number in 1... { try exchange.sendChunk(Data("line \(number)\n".utf8)) }
        }
        server.exchange("/measurements") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "application/x-ndjson"), ("Trailer", "Count")])
            let places = [("Oslo", 4.5), ("Nairobi", 22), ("Lima", 18.5)]
            for (place, celsius) in places {
                try exchange.sendChunk(JSONEncoder().encode(Measurement(place: place, celsius: celsius)) + Data("\n".utf8))
            }
            try exchange.endChunks(trailers: [("Count", "\(places.count)")])
        }
        server.exchange("/talk") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/plain")])
            while let question = try exchange.read() {
                try exchange.sendChunk(Data("you said: ".utf8) + question)
            }
            try exchange.endChunks()
        }
        return server
    }
}
