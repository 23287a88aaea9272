/// Which of a host's addresses is tried when (Happy Eyeballs, RFC 8305 sections 4 and 5).
struct AddressRace<Address> {
    /// The seconds after which the next address is tried beside those that have not answered (section 8, "Connection Attempt Delay").
    static var delay: Double { 0.25 }

    /// The addresses that were not tried, the next one last.
    private var waiting: [Address]
    private var running = 0
    /// When the next address is tried.
    private var nextStart: MonotonicInstant

    /// - Parameters:
    ///   - addresses: In the order of RFC 6724, as the resolver gives them.
    ///   - isFirstFamily: Whether an address belongs to the family to begin with. From then on the families take turns.
    init(_ addresses: [Address], now: MonotonicInstant, isFirstFamily: (Address) -> Bool) {
        let first = addresses.filter(isFirstFamily)
        let second = addresses.filter { !isFirstFamily($0) }
        var order: [Address] = []
        for index in 0..<max(first.count, second.count) {
            if index < first.count { order.append(first[index]) }
            if index < second.count { order.append(second[index]) }
        }
        waiting = order.reversed()
        nextStart = now
    }

    /// The next address to try now; nil if it is not time, or there is none.
    mutating func next(now: MonotonicInstant) -> Address? {
        guard nextStart <= now, let address = waiting.popLast() else { return nil }
        running += 1
        nextStart = now.advanced(by: Self.delay)
        return address
    }

    /// Handles that an attempt has failed: the next address is tried at once.
    mutating func failed(now: MonotonicInstant) {
        running -= 1
        nextStart = now
    }

    /// When to ask for the next address; nil if all are being tried or were.
    var wakeUp: MonotonicInstant? { waiting.isEmpty ? nil : nextStart }

    /// Whether no address is left.
    var isLost: Bool { waiting.isEmpty && running == 0 }
}
