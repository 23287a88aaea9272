import FirewheelTesting
import Foundation

/// The server that the traffic meets, in a process of its own, which has threads and memory of its own.
final class ServerProcess {
    static let option = "--serve"

    let url: String
    private let process = Process()
    /// The server ends when this does: also when this process does.
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [Self.option]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        url = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard url.hasPrefix("http") else { throw Wrong("the server did not start") }
        // The child's ends are not needed here; these descriptors would be counted.
        try output.fileHandleForReading.close()
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// In the server's process: serves until standard input ends.
    static func serve() throws {
        let server = try MockServer(recordsRequests: false)
        let large = Data(repeating: UInt8(ascii: "x"), count: Traffic.largeLength)
        let objects = "[" + (0..<100).map { #"{"id":\#($0),"name":"Person \#($0)","active":true}"# }.joined(separator: ",") + "]"
        server.route("/text/*") { .text($0.path) }
        server.route("/objects") { _ in .json(objects) }
        server.route("/large") { _ in .data(large) }
        server.route("/chunked") { _ in MockResponse.data(large).framed(.chunked(size: 10_000)) }
        server.route("/slow") { _ in MockResponse.data(large.prefix(200_000)).throttled(bytes: 20_000, every: 0.005) }
        server.route("/pause") { _ in MockResponse.text("pause").delayed(head: 0.3) }
        server.route("/silence") { _ in .failure(.noAnswer) }
        server.route("/redirect") { _ in .redirect(to: "/text/redirected") }
        server.route("/circle") { _ in .redirect(to: "/circle") }
        server.route("/missing") { _ in .text("missing", status: 404) }
        server.route("/echo") { .data($0.body) }
        for (path, fault) in Traffic.faults { server.route(path) { _ in MockResponse.text("some text").failing(fault) } }
        try FileHandle.standardOutput.write(contentsOf: Data("http://127.0.0.1:\(server.port)\n".utf8))
        _ = try FileHandle.standardInput.readToEnd()
        server.shutdown()
    }
}
