import Foundation

/// Memory per connection, with many connections in flight at once to a server that answers when all requests have arrived.
enum ManyConnections {
    /// The maximum memory of a connection with its request, in bytes.
    private static let most = 40_000

    /// Measures, prints the figures, and throws a ``Failure`` if a Firewheel client uses more memory or threads than allowed.
    static func run(_ count: Int, _ options: Options) throws {
        let allowed = raiseDescriptorLimit()
        guard allowed >= count + 100 else { throw Failure("this process may have \(allowed) descriptors: too few (ulimit -Hn)") }
        var table = Table(["\(count) connections", "kB each", "threads", "of them loops"])
        var excesses: [String] = []
        for client in options.clients ?? [.loop, .chain, .async] {
            // The server waits a second while all requests are held, so that they can be measured.
            let server = try ServerProcess(hold: count, pause: 1_000_000)
            let work = Work(
                client: client, task: .held, url: server.url, bodyLength: 27, inFlight: count, requests: count,
                handlerQueue: options.handlerQueue, counting: nil)
            guard let growth = try Worker.run(work).growth else { throw Failure("\(client.name): nothing was measured") }
            let each = Double(growth.bytes) / Double(count)
            let kilobytes = figure(each / 1000, decimals: 1)
            table.add([client.name, kilobytes, "\(growth.threads)", "\(growth.loopThreads)"])
            guard client != .loop else { continue }
            if each > Double(most) { excesses.append("\(client.name): \(kilobytes) kB a connection, at most \(most / 1000)") }
            if growth.loopThreads != 1 { excesses.append("\(client.name): \(growth.loopThreads) loop threads, not one") }
        }
        print("All succeeded, all in flight at once. Memory that the process took more than before, and its threads, at most:\n")
        print(table.markdown)
        guard excesses.isEmpty else { throw Failure(excesses.joined(separator: "; ")) }
    }

    /// Raises the descriptor limit as far as allowed and returns it: every connection takes one descriptor here and in the server.
    @discardableResult
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
