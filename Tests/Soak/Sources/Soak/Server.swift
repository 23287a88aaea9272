import Foundation

@testable import FirewheelTesting

/// The server of the traffic, in a process with its own threads and memory.
final class ServerProcess {
    static let option = "--serve"

    /// The server over http, https and HTTP/2.
    let urls: [String]
    /// The file of the authority that the server's certificate is from.
    let authority: String
    private let process = Process()
    /// The server ends when this pipe closes, which it also does when this process ends.
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [Self.option]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let lines = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count == 4 else { throw Wrong("the server did not start") }
        (urls, authority) = (Array(lines[..<3]), lines[3])
        // The child's ends would be counted as this process's descriptors.
        try output.fileHandleForReading.close()
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs in the server's process until standard input ends.
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
        let authority = try TestAuthority()
        let identity = try authority.identity(names: ["localhost"], addresses: ["127.0.0.1"])
        let tls = try TLSFront(to: server.port, identity: identity)
        let multiplexed = try HTTP2Front(to: server.port, identity: identity)
        let lines = ["http://127.0.0.1:\(server.port)", tls.url(""), multiplexed.url(""), authority.pemFile.path].map { $0 + "\n" }
        try FileHandle.standardOutput.write(contentsOf: Data(lines.joined().utf8))
        _ = try FileHandle.standardInput.readToEnd()
        tls.stop()
        multiplexed.stop()
        server.shutdown()
    }
}
