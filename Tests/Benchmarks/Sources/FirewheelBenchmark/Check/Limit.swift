/// The most that a request of Firewheel's may cost more than one of the C loop: what libcurl takes itself, and another version of it may take otherwise,
/// is in neither.
struct Limit {
    let client: Client
    let inFlight: Int
    let allocations: Double
    let instructions: Double

    /// A tenth above what was measured when they were set. Whoever raises one says here why; whoever makes the path leaner lowers it.
    static let all = [
        // 2026-11-21, Swift 6.2 and libcurl 7.88, the first: 42 and 92,800; 34.3 and 80,500; 43 and 104,900; 34.4 and 91,100.
        Limit(client: .chain, inFlight: 1, allocations: 46, instructions: 102_000),
        Limit(client: .chain, inFlight: 64, allocations: 38, instructions: 88_500),
        Limit(client: .async, inFlight: 1, allocations: 47, instructions: 115_000),
        Limit(client: .async, inFlight: 64, allocations: 38, instructions: 100_000),
    ]

    static func of(_ client: Client, _ inFlight: Int) -> Limit? { all.first { $0.client == client && $0.inFlight == inFlight } }
}
