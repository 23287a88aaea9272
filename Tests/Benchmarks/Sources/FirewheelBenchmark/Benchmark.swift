import Foundation

@main
struct Benchmark {
    /// Not async, because an async main ends the main thread, which valgrind does not support.
    static func main() {
        Task.detached {
            await run()
            exit(0)
        }
        while true { pause() }
    }

    private static func run() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard !arguments.contains("--help") else { return print(Options.usage) }
        do {
            if arguments.count == 2, arguments[0] == Worker.option {
                try await Worker.serve(arguments[1])
            } else if arguments.first == ServerProcess.option {
                try ServerProcess.serve(arguments.dropFirst())
            } else {
                let options = try Options(arguments)
                if options.usesTestAuthority { try Wire.trustTestAuthority() }
                switch options.mode {
                case .check: try Check.run(options)
                case .checkJSON: try await JSONCheck.run(options)
                case .slowReader: try await SlowReader.run(options)
                case .connections(let count): try ManyConnections.run(count, options)
                default: try await run(options)
                }
            }
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let upload = if case .upload = options.mode { try Upload() } else { Upload?.none }
        let lines = if case .lines = options.mode { try ServerProcess.lineSource() } else { ServerProcess?.none }
        let (url, bodyLength) =
            if let upload {
                (upload.url, Upload.length)
            } else if let lines {
                ("\(lines.url)\(Lines.count * Lines.length)", Lines.count * Lines.length)
            } else {
                (options.target.url, try await options.target.bodyLength())
            }
        let columns = options.columns
        let (clients, missing) = options.clients(for: columns.map(\.task))
        missing.forEach(complain)
        guard !clients.isEmpty else { throw Failure("none of these clients does this") }
        let comparison = try Comparison(
            options, columns: columns, clients: clients, url: url, bodyLength: bodyLength, upload: upload?.file)

        let handlers = options.handlerQueue == .own ? "a concurrent queue" : "the global queue"
        print(
            "\(upload == nil ? "GET" : "PUT") \(url) (\(figure(Double(bodyLength))) bytes), \(options.rounds) rounds in alternation, handlers on \(handlers)."
        )
        if let fresh = options.fresh { print(fresh.description) }
        print("Medians (lowest–highest). Of this run and this machine only:\n")
        if case .lines = options.mode {
            print(comparison.speeds("lines/s", perRequest: Double(Lines.count)).markdown)
        } else if options.isLarge {
            print(comparison.speeds("MiB/s", perRequest: Double(bodyLength) / 1_048_576).markdown)
        } else {
            print(comparison.speeds("req/s", perRequest: 1).markdown)
        }
        if options.showsProcessorTime {
            print("\nProcessor time of a request in the client's process:\n\n\(comparison.processorTimes.markdown)")
        }
        if case .get = options.mode, options.wire != .http {
            print("\nConnections that a round opened, and how many of them resumed a TLS session:\n\n\(comparison.connections.markdown)")
        }
        print("\nSpeed as a part of \(yardsticks(columns)) in the same round:\n")
        switch options.mode {
        case .get: print(comparison.ratios(nil).markdown)
        case .json: print(comparison.ratios(.outsideDecoder).markdown)
        case .large, .lines, .upload: print(comparison.ratios(.peakMemory).markdown)
        case .check, .checkJSON, .connections, .slowReader: break
        case .queued: print(comparison.ratios(nil).markdown + "\n\n" + comparison.growth(of: .chain).markdown)
        }
    }

    private static func yardsticks(_ columns: [Column]) -> String {
        let used = Client.allCases.filter { client in columns.contains { $0.yardstick == client } }
        return used.map { "that of \($0.name)" }.joined(separator: " (to a file: ") + (used.count > 1 ? ")" : "")
    }
}
