import Foundation
import PlainServer

/// A small server in a process of its own, so that its memory and instructions are not counted as the client's.
final class ServerProcess {
    static let option = "--serve"

    /// The URL of the held path.
    let url: String
    private let process = Process()
    /// The server ends when this pipe closes, which it also does when this process ends.
    private let input = Pipe()

    /// - Parameters:
    ///   - hold: How many requests for `/held` wait for one another.
    ///   - pause: Microseconds that they then wait together.
    init(hold: Int, pause: Int) throws {
        let output = Pipe()
        process.executableURL = try Worker.executable
        process.arguments = [Self.option, String(hold), String(pause)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw Failure("the server did not start") }
        url = "http://127.0.0.1:\(port)/held"
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs in the server's process until it ends.
    static func serve(hold: String, pause: String) throws {
        ManyConnections.raiseDescriptorLimit()
        var port: Int32 = 0
        let listener = plain_server_listen(&port)
        guard listener >= 0, let hold = Int32(hold), let pause = Int32(pause) else { throw Failure("no server") }
        try FileHandle.standardOutput.write(contentsOf: Data("\(port)\n".utf8))
        guard plain_server_run(listener, hold, pause) == 0 else { throw Failure("the server failed") }
    }
}
