/// Elements that wait for the same connections, which lead to several hosts: first-in first-out for each host, and the hosts take turns.
struct HostTurns<Element> {
    private var lines: [TargetURI.Origin: Fifo<Element>] = [:]
    /// The hosts with elements, each once.
    private var turns = Fifo<TargetURI.Origin>()
    private(set) var count = 0

    mutating func append(_ element: Element, to host: TargetURI.Origin) {
        if lines[host] == nil { turns.append(host) }
        lines[host, default: Fifo()].append(element)
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard let host = turns.popFirst(), let element = lines[host]?.popFirst() else { return nil }
        count -= 1
        if lines[host]?.isEmpty ?? true { lines[host] = nil } else { turns.append(host) }
        return element
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        for host in Array(lines.keys) {
            lines[host]?.removeAll(where: isUnwanted)
            if lines[host]?.isEmpty ?? true { lines[host] = nil }
        }
        turns.removeAll { lines[$0] == nil }
        count = lines.values.reduce(0) { $0 + $1.count }
    }
}
