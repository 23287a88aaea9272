/// One way to make requests, and how to make a round of them.
struct Client: Sendable {
    enum Kind: String, CaseIterable {
        case loop
        case chain
        case async
    }

    /// As the table calls it.
    let name: String

    /// Makes a round of that many requests, so many at a time, checks every response, and returns the seconds it took.
    let run: @Sendable (_ load: Load) async throws -> Double
}

/// What a round consists of.
struct Load: Sendable {
    let inFlight: Int
    let requests: Int

    /// How many requests each of the `inFlight` sequences makes one after the other.
    var shares: [Int] {
        (0..<inFlight).map { requests / inFlight + ($0 < requests % inFlight ? 1 : 0) }
    }
}
