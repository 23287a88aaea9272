/// The most that a request of Firewheel's may cost more than one of the C loop: what libcurl takes itself, and another version of it may take otherwise,
/// is in neither.
struct Limit {
    let client: Client
    let inFlight: Int
    let allocations: Double
    let instructions: Double

    /// A tenth above what was measured when they were set. Whoever raises one says here why; whoever makes the path leaner lowers it.
    static let all = [
        // 2026-11-21, Swift 6.3 and libcurl 7.88: 33.0 and 82,000; 27.7 and 69,500; 32.0 and 87,000; 26.5 and 75,500.
        Limit(client: .chain, inFlight: 1, allocations: 37, instructions: 90_000),
        Limit(client: .chain, inFlight: 64, allocations: 31, instructions: 77_000),
        Limit(client: .async, inFlight: 1, allocations: 36, instructions: 96_000),
        Limit(client: .async, inFlight: 64, allocations: 30, instructions: 84_000),
    ]

    static func of(_ client: Client, _ inFlight: Int) -> Limit? { all.first { $0.client == client && $0.inFlight == inFlight } }
}
