/// How much more a request of Firewheel may cost than one of the C loop. libcurl's own cost, which differs between versions, cancels out.
struct Limit {
    let client: Client
    let inFlight: Int
    let allocations: Double
    let instructions: Double

    /// A tenth above the measured cost. Raise a limit only with a reason in the commit, and lower it when the path becomes cheaper.
    static let all = [
        Limit(client: .chain, inFlight: 1, allocations: 37, instructions: 90_000),
        Limit(client: .chain, inFlight: 64, allocations: 31, instructions: 77_000),
        Limit(client: .async, inFlight: 1, allocations: 36, instructions: 96_000),
        Limit(client: .async, inFlight: 64, allocations: 30, instructions: 84_000),
    ]

    static func of(_ client: Client, _ inFlight: Int) -> Limit? { all.first { $0.client == client && $0.inFlight == inFlight } }
}
