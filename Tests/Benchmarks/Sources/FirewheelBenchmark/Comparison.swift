import Foundation

/// One measurement of every client that supports it.
struct Column {
    let title: String
    let task: Work.Task
    /// The client that the ratios are relative to.
    let yardstick: Client
    let inFlight: Int
    let requests: Int
}

/// Clients side by side, and the results as tables.
struct Comparison {
    let columns: [Column]
    let clients: [Client]
    /// By column, for each client that can do its work.
    private var rounds: [[Client: Rounds]]

    /// Measures all of them in alternation.
    init(_ options: Options, columns: [Column], clients: [Client], url: String, bodyLength: Int, upload: URL?) throws {
        self.columns = columns
        self.clients = clients
        rounds = columns.map { _ in [:] }
        let entries = columns.indices.flatMap { column in
            clients.filter { $0.tasks.contains(columns[column].task) }.map { (column: column, client: $0) }
        }
        let works = entries.map { entry in
            let column = columns[entry.column]
            return Work(
                client: entry.client, task: column.task, url: url, bodyLength: bodyLength, inFlight: column.inFlight,
                requests: column.requests, handlerQueue: options.handlerQueue, counting: nil, wire: options.wire, fresh: options.fresh,
                upload: upload)
        }
        for (entry, measured) in zip(entries, try alternate(works, rounds: options.rounds)) {
            rounds[entry.column][entry.client] = measured
        }
    }

    /// Requests per second of each client, for a person watching the run.
    func speeds(_ unit: String, perRequest: Double) -> Table {
        table(columns.map { "\($0.title), \(unit)" }) { client, column in
            [
                cell(column, client) {
                    $0.values { perRequest * Double(columns[column].requests) / $0.seconds }
                } show: {
                    figure($0)
                }
            ]
        }
    }

    /// The processor time of a request in each client's process, in microseconds.
    var processorTimes: Table {
        table(columns.flatMap { ["\($0.title), user µs", "system µs"] }) { client, column in
            [\Measurement.userSeconds, \.systemSeconds].map { part in
                cell(column, client) {
                    $0.values { 1e6 * $0[keyPath: part] / Double(columns[column].requests) }
                } show: {
                    figure($0, decimals: 1)
                }
            }
        }
    }

    /// The TLS connections of each client in a round, and how many of them resumed a TLS session, as the server tells.
    var connections: Table {
        table(columns.flatMap { ["\($0.title), connections", "resumed"] }) { client, column in
            [\ConnectionCount.all, \.resumed].map { part in
                cell(column, client) {
                    $0.compactMap { $0?.connections.map { Double($0[keyPath: part]) } }
                } show: {
                    figure($0)
                }
            }
        }
    }

    /// Each client's speed relative to the baseline's, with what `extra` adds to each column.
    func ratios(_ extra: Extra?) -> Table {
        table(columns.flatMap { column in [column.title] + (extra.map { [$0.title] } ?? []) }) { client, column in
            let speed = cell(column, client) { mine in
                rounds[column][columns[column].yardstick].map { mine.ratios(to: $0) } ?? []
            } show: {
                figure($0, decimals: 2)
            }
            return [speed] + (extra.map { [self.extra($0, column, client)] } ?? [])
        }
    }

    /// The time of a request in each column as a multiple of that in the first.
    func growth(of client: Client) -> Table {
        var table = Table([client.name] + columns.map(\.title))
        let first = rounds[0][client] ?? []
        let cells = columns.indices.map { column in
            cell(column, client) {
                let growth = Double(columns[0].requests) / Double(columns[column].requests)
                return first.ratios(to: $0).map { $0 * growth }
            } show: {
                figure($0, decimals: 2)
            }
        }
        table.add(["time a request, to the first column's"] + cells)
        return table
    }

    enum Extra {
        /// The share of processor time outside JSONDecoder.
        case outsideDecoder
        case peakMemory

        var title: String {
            switch self {
            case .outsideDecoder: "outside JSONDecoder"
            case .peakMemory: "peak MiB"
            }
        }
    }

    private func extra(_ extra: Extra, _ column: Int, _ client: Client) -> String {
        switch extra {
        case .outsideDecoder:
            guard client != .decoder, let decoder = rounds[column][.decoder] else { return "–" }
            return cell(column, client) {
                $0.ratios(to: decoder, of: \.processorSeconds).map { 100 * (1 - $0) }
            } show: {
                "\(figure($0)) %"
            }
        case .peakMemory:
            return cell(column, client) {
                $0.values { Double($0.peakBytes) / 1_048_576 }
            } show: {
                figure($0)
            }
        }
    }

    /// The median of `values`, and in parentheses the lowest and highest if they print differently.
    private func cell(_ column: Int, _ client: Client, _ values: (Rounds) -> [Double], show: (Double) -> String) -> String {
        guard let rounds = rounds[column][client] else { return "–" }
        guard rounds.contains(where: { $0 != nil }) else { return "failed" }
        let values = values(rounds)
        guard let median = values.median, let lowest = values.min(), let highest = values.max() else { return "–" }
        let range = [lowest, highest].map(show)
        let spread = range[0] == range[1] ? "" : " (\(range[0])–\(range[1]))"
        let failed = rounds.count { $0 == nil }
        return show(median) + spread + (failed > 0 ? ", \(failed) of \(rounds.count) failed" : "")
    }

    private func table(_ titles: [String], cells: (Client, Int) -> [String]) -> Table {
        var table = Table(["client"] + titles)
        for client in clients { table.add([client.name] + columns.indices.flatMap { cells(client, $0) }) }
        return table
    }
}
