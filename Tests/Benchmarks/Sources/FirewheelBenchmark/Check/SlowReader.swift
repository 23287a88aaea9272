import Foundation

/// A reader that takes 1 MB/s of a body of 1 GiB: the server has to be slowed, and memory stay flat.
enum SlowReader {
    static let seconds = 10.0
    static let bytesPerSecond = 1_000_000
    private static let bodyLength = 1 << 30
    /// The most memory of the process.
    private static let mostMemory = 40_000_000
    /// The most that the server may have sent beyond what was read, in bytes: the client's window, and what both systems hold of a connection.
    private static let mostAhead = 16_000_000

    /// Measures, prints the figures, and throws a ``Failure`` if one is above its limit.
    static func run(_ options: Options) async throws {
        var table = Table(["1 MB/s for 10 s", "peak MB", "MB sent by the server"])
        var excesses: [String] = []
        for client in options.clients ?? [.stream, .streamHandler] {
            guard client.tasks.contains(.slow) else { throw Failure("\(client.name) does not read slowly") }
            let server = try ServerProcess.lineSource()
            let work = Work(
                client: client, task: .slow, url: "\(server.url)\(bodyLength)", bodyLength: bodyLength, inFlight: 1, requests: 1,
                handlerQueue: options.handlerQueue, counting: nil)
            let memory = try Worker.run(work).peakBytes
            guard let sent = Int(String(decoding: try await Target.fetch("\(server.url)sent"), as: UTF8.self)) else {
                throw Failure("the server did not count")
            }
            let text = [memory, sent].map { figure(Double($0) / 1e6, decimals: 1) }
            table.add([client.name] + text)
            if memory > mostMemory { excesses.append("\(client.name): \(text[0]) MB of memory, at most \(mostMemory / 1_000_000)") }
            let most = Int(seconds) * bytesPerSecond + mostAhead
            if sent > most { excesses.append("\(client.name): \(text[1]) MB sent, at most \(most / 1_000_000)") }
        }
        print("A reader of 1 MB/s, in the 10 s until it leaves a body of 1 GiB:\n")
        print(table.markdown)
        guard excesses.isEmpty else { throw Failure(excesses.joined(separator: "; ")) }
    }
}
