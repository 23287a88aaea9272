/// The most that a request of Firewheel's may cost more than one of the C loop: what libcurl takes itself, and another version of it may take otherwise,
/// is in neither.
struct Limit {
    let client: Client
    let inFlight: Int
    let allocations: Double
    let instructions: Double

    /// A tenth above what was measured when they were set. Whoever raises one says here why; whoever makes the path leaner lowers it.
    static let all = [
        // 2026-11-21, Swift 6.3 and libcurl 7.88: 34.0 and 83,200; 28.6 and 71,600; 35.0 and 95,500; 28.0 and 82,300.
        Limit(client: .chain, inFlight: 1, allocations: 38, instructions: 92_000),
        Limit(client: .chain, inFlight: 64, allocations: 32, instructions: 79_000),
        Limit(client: .async, inFlight: 1, allocations: 39, instructions: 105_000),
        Limit(client: .async, inFlight: 64, allocations: 32, instructions: 91_000),
    ]

    static func of(_ client: Client, _ inFlight: Int) -> Limit? { all.first { $0.client == client && $0.inFlight == inFlight } }
}
