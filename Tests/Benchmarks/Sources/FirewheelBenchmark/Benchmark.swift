import Dispatch
import Foundation

@main
struct Benchmark {
    let options: Options
    let target: Target
    let queue: DispatchQueue

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard !arguments.contains("--help") else { return print(Options.usage) }
        do {
            let options = try Options(Array(arguments))
            let queue: DispatchQueue =
                switch options.handlerQueue {
                case .own: DispatchQueue(label: "benchmark.handlers", attributes: .concurrent)
                case .global: .global()
                }
            let benchmark = Benchmark(options: options, target: try await .probe(options.url), queue: queue)
            switch options.mode {
            case .inFlight(let counts): try await benchmark.compareClients(inFlight: counts)
            case .queued(let counts): try await benchmark.compareQueues(lengths: counts)
            }
        } catch {
            FileHandle.standardError.write(Data("firewheel-benchmark: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Requests a second of each client, at each number in flight.
    private func compareClients(inFlight counts: [Int]) async throws {
        var table = Table("client", "in flight", "median req/s", "min", "max", "µs a request", "ratio to the C loop")
        for count in counts {
            let load = Load(inFlight: count, requests: options.requests(inFlight: count))
            let clients = options.clients.map { (kind: $0, client: client($0)) }
            let seconds = try await alternate(clients.map { Entry(client: $0.client, load: load) }, rounds: options.rounds)
            let rates = seconds.map { $0.map { Double(load.requests) / $0 } }
            let yardstick = clients.firstIndex { $0.kind == .loop }.map { rates[$0] }
            for (index, entry) in clients.enumerated() {
                table.add(
                    entry.client.name, figure(Double(count)),
                    figure(rates[index].median), figure(rates[index].min() ?? 0), figure(rates[index].max() ?? 0),
                    figure(seconds[index].median / Double(load.requests) * 1e6, decimals: 1),
                    yardstick.map { figure(rates[index].medianRatio(to: $0), decimals: 2) } ?? "–"
                )
            }
        }
        describe()
        print(table.markdown)
    }

    /// Time a request when many are submitted at once, which must not grow with how many wait.
    private func compareQueues(lengths: [Int]) async throws {
        // What the session itself lets run at a time by default, so that the C loop meets the server with as many connections.
        let connections = 64
        let loop = Client.curlLoop(url: target.url)
        let queued = Client.queued(target: target, queue: queue)
        let entries = lengths.flatMap { length in
            [loop, queued].map { Entry(client: $0, load: Load(inFlight: connections, requests: length)) }
        }
        let seconds = try await alternate(entries, rounds: options.rounds)
        let costs = zip(entries, seconds).map { entry, seconds in seconds.map { $0 / Double(entry.load.requests) * 1e6 } }

        var table = Table("queued", "median µs a request", "min", "max", "C loop", "ratio to the C loop", "ratio to the first row")
        for (row, length) in lengths.enumerated() {
            let yardstick = costs[2 * row]
            let cost = costs[2 * row + 1]
            table.add(
                figure(Double(length)), figure(cost.median, decimals: 1),
                figure(cost.min() ?? 0, decimals: 1), figure(cost.max() ?? 0, decimals: 1),
                figure(yardstick.median, decimals: 1),
                figure(cost.medianRatio(to: yardstick), decimals: 2), figure(cost.medianRatio(to: costs[1]), decimals: 2)
            )
        }
        describe()
        print(table.markdown)
    }

    private func client(_ kind: Client.Kind) -> Client {
        switch kind {
        case .loop: .curlLoop(url: target.url)
        case .chain: .chain(target: target, queue: queue)
        case .async: .async(target: target)
        }
    }

    private func describe() {
        let handlers = options.handlerQueue == .own ? "a concurrent queue" : "the global queue"
        print("GET \(target.url) (\(target.bodyLength) bytes), \(options.rounds) rounds in alternation, handlers on \(handlers)\n")
    }
}
