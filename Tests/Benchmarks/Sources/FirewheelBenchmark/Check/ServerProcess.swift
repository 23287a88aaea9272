import Foundation
import PlainServer

/// A small server in a process of its own, so that its memory and instructions are not counted as the client's.
final class ServerProcess {
    static let option = "--serve"

    let url: String
    private let process = Process()
    /// The server ends when this pipe closes, which it also does when this process ends.
    private let input = Pipe()

    /// A server that answers requests for `/held`, its URL, together.
    ///
    /// - Parameters:
    ///   - hold: How many requests for `/held` wait for one another.
    ///   - pause: Microseconds that they then wait together.
    convenience init(hold: Int, pause: Int) throws {
        try self.init([String(hold), String(pause)], path: "/held")
    }

    /// A server that drops the bodies of requests, and answers with the number of their bytes.
    static func bodySink() throws -> ServerProcess { try ServerProcess([], path: "/") }

    /// A server of lines: `/N`, behind its URL, is N bytes of them, and `/sent` how many it has sent.
    static func lineSource() throws -> ServerProcess { try ServerProcess([lines], path: "/") }

    private static let lines = "lines"

    private init(_ arguments: [String], path: String) throws {
        let output = Pipe()
        process.executableURL = try Worker.executable
        process.arguments = [Self.option] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw Failure("the server did not start") }
        url = "http://127.0.0.1:\(port)\(path)"
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs in the server's process until it ends.
    static func serve(_ arguments: some RandomAccessCollection<String>) throws {
        ManyConnections.raiseDescriptorLimit()
        var port: Int32 = 0
        let listener = plain_server_listen(&port)
        let isLineSource = arguments.first == lines
        let numbers = isLineSource ? [] : arguments.compactMap { Int32($0) }
        guard listener >= 0, isLineSource || numbers.count == arguments.count, [0, 2].contains(numbers.count) else {
            throw Failure("no server")
        }
        try FileHandle.standardOutput.write(contentsOf: Data("\(port)\n".utf8))
        let result =
            if isLineSource {
                line_source_run(listener)
            } else {
                numbers.isEmpty ? body_sink_run(listener) : plain_server_run(listener, numbers[0], numbers[1])
            }
        guard result == 0 else { throw Failure("the server failed") }
    }
}
