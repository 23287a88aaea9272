import Foundation

/// The cost of a request in allocations and instructions, which do not depend on how busy the machine is.
///
/// Each figure is the difference between a process with n requests and one with 2n, so that setup cancels out. The server answers when all
/// requests in flight have arrived, so that the batch size does not depend on speed. Over TLS it is the tests' nginx, which does not wait,
/// and there are no limits.
struct Check {
    private struct Cost {
        var allocations: [Double] = []
        var instructions: [Double] = []
    }

    private struct Cell: Hashable {
        let client: Client
        let inFlight: Int
    }

    private let requests: Int
    private let wire: Wire
    private let url: String
    private let cells: [Cell]
    private let servers: [Int: ServerProcess]
    private var costs: [Cell: Cost] = [:]
    private let valgrind: Valgrind?

    /// Measures, prints the figures, and throws a ``Failure`` that names those above their limits.
    static func run(_ options: Options) throws {
        var check = try Check(options)
        defer { check.valgrind?.remove() }
        if options.wantsSites { return try check.printSites() }
        for _ in 0..<options.rounds { try check.measure() }
        let over = options.wire == .http ? "" : " over \(options.wire.rawValue)"
        print("What a request costs (GET of 27 bytes\(over)): the lowest of \(options.rounds) rounds, and the highest.\n")
        print(check.table("allocations", \.allocations, \.allocations).markdown)
        if check.valgrind != nil { print("\n" + check.table("instructions", \.instructions, \.instructions).markdown) }
        let excesses = check.excesses
        guard excesses.isEmpty else { throw Failure("above the limit (Check/Limit.swift): " + excesses.joined(separator: "; ")) }
    }

    private init(_ options: Options) throws {
        requests = options.requestsToCount
        wire = options.wire
        url = options.target.url
        let clients = options.clients ?? [.loop, .loopFields, .chain, .async, .alamofireAsync]
        let inFlight = options.inFlight ?? [1, 64]
        cells = inFlight.flatMap { inFlight in clients.map { Cell(client: $0, inFlight: inFlight) } }
        // Long enough that every client waits for its response before it comes.
        let held = wire == .http ? Set(inFlight) : []
        servers = try Dictionary(uniqueKeysWithValues: held.map { ($0, try ServerProcess(hold: $0, pause: 500)) })
        valgrind = try options.countsInstructions ? Valgrind() : nil
        if options.countsInstructions, valgrind == nil { complain("instructions are not counted: valgrind is not installed") }
    }

    private func work(_ cell: Cell, times: Int, _ counting: Work.Counting) -> Work {
        // All in flight make equally many requests, because each waits for the others.
        let share = max(1, requests / cell.inFlight)
        return Work(
            client: cell.client, task: .get, url: servers[cell.inFlight]?.url ?? url, bodyLength: 27, inFlight: cell.inFlight,
            requests: times * share * cell.inFlight, handlerQueue: .own, counting: counting, wire: wire)
    }

    /// The cost of one request, from a run with n requests and one with 2n.
    private func difference(_ cell: Cell, _ counting: Work.Counting, _ figure: (Work) throws -> Int) throws -> Double {
        let (once, twice) = (work(cell, times: 1, counting), work(cell, times: 2, counting))
        return try Double(figure(twice) - figure(once)) / Double(once.requests)
    }

    private mutating func measure() throws {
        for cell in cells {
            let allocations = try difference(cell, .allocations) { try Worker.run($0).allocations }
            costs[cell, default: Cost()].allocations.append(allocations)
            guard let valgrind else { continue }
            costs[cell, default: Cost()].instructions.append(try difference(cell, .nothing, valgrind.instructions))
        }
    }

    /// The lowest of several: disturbances only add, and a change of the program adds to every run.
    private func lowest(_ cell: Cell, _ figures: KeyPath<Cost, [Double]>) -> Double? { costs[cell]?[keyPath: figures].min() }

    /// The cell's figure minus that of a C loop with as many requests in flight.
    private func beyond(_ loop: Client, _ cell: Cell, _ figures: KeyPath<Cost, [Double]>) -> Double? {
        guard let mine = lowest(cell, figures), let its = lowest(Cell(client: loop, inFlight: cell.inFlight), figures) else { return nil }
        return mine - its
    }

    private func table(_ title: String, _ figures: KeyPath<Cost, [Double]>, _ limit: KeyPath<Limit, Double>) -> Table {
        let decimals = title == "allocations" ? 1 : 0
        func text(_ value: Double?) -> String { value.map { figure($0, decimals: decimals) } ?? "–" }
        var table = Table([
            title, "in flight", "a request", "limit", "highest", "beyond the C loop", "beyond it with the same fields",
        ])
        for cell in cells {
            let beyond = cell.client == .loop ? "–" : text(self.beyond(.loop, cell, figures))
            let beyondFields = cell.client == .loop || cell.client == .loopFields ? "–" : text(self.beyond(.loopFields, cell, figures))
            table.add([
                cell.client.name, "\(cell.inFlight)", text(lowest(cell, figures)), text(self.limit(of: cell)?[keyPath: limit]),
                text(costs[cell]?[keyPath: figures].max()), beyond, beyondFields,
            ])
        }
        return table
    }

    private func limit(of cell: Cell) -> Limit? { wire == .http ? Limit.of(cell.client, cell.inFlight) : nil }

    private var excesses: [String] {
        cells.flatMap { cell -> [String] in
            guard let limit = limit(of: cell) else { return [] }
            let figures = [
                ("allocations", lowest(cell, \.allocations), limit.allocations),
                ("instructions", lowest(cell, \.instructions), limit.instructions),
            ]
            return figures.compactMap { name, value, limit in
                guard let value, value > limit else { return nil }
                let what = "\(cell.client.name), \(cell.inFlight) in flight"
                return "\(what): \(figure(value, decimals: 1)) \(name), at most \(figure(limit, decimals: 1))"
            }
        }
    }

    /// Has each client print its allocation sites.
    private func printSites() throws {
        for cell in cells {
            complain("\(cell.client.name), \(cell.inFlight) in flight:")
            _ = try Worker.run(work(cell, times: 1, .sites))
        }
    }
}
