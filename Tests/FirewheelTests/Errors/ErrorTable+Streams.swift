import Firewheel
import FirewheelTesting
import Foundation

extension ErrorTable {
    /// The error with which a stream of a few lines ends.
    private static func stream(
        _ name: String, _ lines: String = "one\ntwo\nthree\n", _ read: @escaping @Sendable (DataStreamTask) async throws -> Void
    ) -> Failure {
        Failure(name) {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/") { _ in MockResponse(body: Data(lines.utf8)) }
            do {
                try await read(Session.onTest().streamRequest(server.url()).streamTask())
                return nil
            } catch {
                return error
            }
        }
    }

    /// The error with which an event source ends that gets this response.
    private static func events(_ name: String, _ response: MockResponse, maximumEventSize: Int = 100) -> Failure {
        Failure(name) {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/") { _ in response }
            do {
                for try await _ in Session.onTest().eventSource(server.url(), maximumEventSize: maximumEventSize) {}
                return nil
            } catch {
                return error
            }
        }
    }

    /// Responses that are handed over as they arrive.
    static let streams: [Failure] = [
        stream("A line of a stream is too long") { for try await _ in $0.streamingLines(maximumLength: 4) {} },
        stream("A line of a stream is not JSON", "1\n[\n") { for try await _ in $0.streamingDecodables(Int.self) {} },
        stream("A line of a stream is not of the expected type", "{\"id\": 1}\n{\"id\": \"2\"}\n") {
            for try await _ in $0.streamingDecodables([String: Int].self) {}
        },
        stream("A handler of a stream throws") { task in
            task.request.responseStreamLines(queue: .global()) { stream in if stream.value != nil { throw LockedKeyChain() } }
            for try await _ in task.streamingLines() {}
        },
        events(
            "An event of an event source is too large",
            .data(Data("data: one\n\ndata: three\n\n".utf8), headers: [("Content-Type", "text/event-stream")]), maximumEventSize: 4),
        events("The response of an event source is no event stream", .text("<p>", headers: [("Content-Type", "text/html")])),
        events("The response of an event source has another status than 200", .text("", status: 206)),
    ]
}
