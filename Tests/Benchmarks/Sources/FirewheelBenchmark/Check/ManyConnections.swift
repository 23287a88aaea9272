import Foundation

/// So many connections in flight at once, against a server that answers when it has all their requests: what one takes of memory.
enum ManyConnections {
    /// The most memory that a connection with its request may take, in bytes.
    private static let most = 40_000

    /// Measures, prints the figures, and throws a ``Failure`` if a client of Firewheel's takes more, or more threads, than it may.
    static func run(_ count: Int, _ options: Options) throws {
        let allowed = raiseDescriptorLimit()
        guard allowed >= count + 100 else { throw Failure("this process may have \(allowed) descriptors: too few (ulimit -Hn)") }
        var table = Table(["\(count) connections", "kB each", "threads", "of them loops"])
        var excesses: [String] = []
        for client in options.clients ?? [.loop, .chain, .async] {
            // A second in which they all wait, to look at them.
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

    /// Lets this process have as many as the system allows it, and returns how many: every connection takes one, here and in the server.
    @discardableResult
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
