/// The most that a request of Firewheel may cost.
struct Limit {
    let client: Client
    let inFlight: Int
    let allocations: Double
    let instructions: Double

    /// Above the measured costs by about 3 % for instructions and 20 % for allocations. Raise a limit only with a reason in the commit, and
    /// lower it when the path becomes cheaper.
    static let all = [
        Limit(client: .chain, inFlight: 1, allocations: 32, instructions: 68_000),
        Limit(client: .chain, inFlight: 64, allocations: 30, instructions: 63_500),
        Limit(client: .async, inFlight: 1, allocations: 31, instructions: 75_000),
        Limit(client: .async, inFlight: 64, allocations: 30, instructions: 70_500),
        Limit(client: .alamofireAsync, inFlight: 1, allocations: 85, instructions: 137_000),
        Limit(client: .alamofireAsync, inFlight: 64, allocations: 83, instructions: 133_000),
    ]

    static func of(_ client: Client, _ inFlight: Int) -> Limit? { all.first { $0.client == client && $0.inFlight == inFlight } }
}
