/// The most that a request of Firewheel may cost.
struct Limit {
    /// What is compared with the limit.
    enum Measure {
        /// What it costs more than a request of the C loop. libcurl's own cost, which differs between versions, cancels out.
        case beyondLoop
        /// All that the process does for it.
        case whole
    }

    let client: Client
    let inFlight: Int
    let measure: Measure
    let allocations: Double
    let instructions: Double

    /// A tenth above the measured cost. Raise a limit only with a reason in the commit, and lower it when the path becomes cheaper.
    static let all = [
        Limit(client: .chain, inFlight: 1, measure: .beyondLoop, allocations: 34, instructions: 80_000),
        Limit(client: .chain, inFlight: 64, measure: .beyondLoop, allocations: 31, instructions: 72_000),
        Limit(client: .async, inFlight: 1, measure: .beyondLoop, allocations: 36, instructions: 88_000),
        Limit(client: .async, inFlight: 64, measure: .beyondLoop, allocations: 30, instructions: 80_000),
        Limit(client: .sockets, inFlight: 1, measure: .whole, allocations: 32, instructions: 65_000),
        Limit(client: .sockets, inFlight: 64, measure: .whole, allocations: 30, instructions: 60_000),
        Limit(client: .socketsAsync, inFlight: 1, measure: .whole, allocations: 31, instructions: 72_000),
        Limit(client: .socketsAsync, inFlight: 64, measure: .whole, allocations: 30, instructions: 67_000),
    ]

    static func of(_ client: Client, _ inFlight: Int) -> Limit? { all.first { $0.client == client && $0.inFlight == inFlight } }
}
