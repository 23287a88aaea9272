import Firewheel
import FirewheelTesting

/// A first look at Firewheel over a real socket: decoded values, a server's error, a reused connection, a download and a waterfall.
///
///     swift run --package-path Examples quickstart          # against a server that it starts itself
///     swift run --package-path Examples quickstart URL      # the waterfall of your URL
@main
struct Quickstart {
    struct User: Decodable, Sendable {
        let name: String
        let languages: [String]
    }

    /// The body of the server's error response.
    struct Problem: Decodable {
        let message: String
    }

    static func main() async throws {
        if let url = CommandLine.arguments.dropFirst().first { return try await look(at: url) }
        let server = try UserServer()
        defer { server.shutdown() }
        try await value(server)
        try await handler(server)
        await problem(server)
        try await download(server)
    }

    /// async/await: the value, or a thrown error.
    static func value(_ server: UserServer) async throws {
        print("1. A decoded value, awaited")
        let user = try await HTTP.get(server.url("/users/1")).validate().serializingDecodable(User.self).value
        print("   \(user.name) speaks \(user.languages.joined(separator: " and "))\n")
    }

    /// The chain with a completion handler and a custom serializer. The connection of the first request is reused.
    static func handler(_ server: UserServer) async throws {
        print("2. The chain with a handler, and a serializer of one's own: the connection is reused")
        let words = DataResponseSerializer<[Substring]> { _, _, data, error in
            if let error { return .failure(error) }
            return .success(String(decoding: data ?? Data(), as: UTF8.self).split(separator: " "))
        }
        let response = await withCheckedContinuation { continuation in
            HTTP.request(server.url("/motto"))
                .validate()
                .response(queue: .global(), responseSerializer: words) { continuation.resume(returning: $0) }
        }
        print("   \(try response.result.get().count) words, \(response.timeline.totalDuration < 1 ? "in less than a second" : "slowly")")
        print(indented(response.metrics?.waterfall(width: 77) ?? "no metrics") + "\n")
    }

    /// A 404: the error names the request, and contains the server's own message.
    static func problem(_ server: UserServer) async {
        print("3. A 404, with what the server says of it")
        do {
            _ = try await HTTP.get(server.url("/users/0")).validate().serializingDecodable(User.self).value
        } catch let error as FirewheelError {
            print("   \(error)")
            print("   the server: \((try? error.decodeResponse(as: Problem.self))?.message ?? "nothing")\n")
        } catch {
            print("   \(error)\n")
        }
    }

    static func download(_ server: UserServer) async throws {
        print("4. A download to a file")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-quickstart-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let url = try await HTTP.download(server.url("/motto"), to: { _, _ in (file, []) })
            .validate()
            .serializingDownloadedFileURL()
            .value
        print("   \(try Data(contentsOf: url).count) bytes")
    }

    /// Any URL: its status, and where the time went.
    static func look(at url: String) async throws {
        let response = await HTTP.get(url).serializingData().response
        if let error = response.error { throw error }
        print("status \(response.statusCode ?? 0), \(response.data?.count ?? 0) bytes")
        print(response.metrics?.waterfall() ?? "no metrics")
    }

    static func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "   \($0)" }.joined(separator: "\n")
    }
}

/// The example's own server on the loopback interface, so that it needs no network.
struct UserServer {
    private let server: MockServer

    init() throws {
        server = try MockServer()
        server.route("/users/1") { _ in .json(#"{"name": "Ada", "languages": ["Swift", "C"]}"#) }
        server.route("/users/0") { _ in .json(#"{"message": "no user has the number 0"}"#, status: 404) }
        server.route("/motto") { _ in .text("that brain of mine is something more than merely mortal").delayed(head: 0.02) }
    }

    func url(_ path: String) -> String { server.url(path) }

    func shutdown() {
        server.shutdown()
    }
}
