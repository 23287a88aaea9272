/// The received requests that have not been taken, oldest first, and the total number.
struct RequestLog {
    private(set) var count = 0
    private var waiting: [RecordedRequest] = []
    private var taken = 0

    mutating func add(_ request: RecordedRequest, keep: Bool) {
        begin()
        end(request, keep: keep)
    }

    /// Counts a request that ``end(_:keep:)`` adds when its handler has returned.
    mutating func begin() { count += 1 }

    mutating func end(_ request: RecordedRequest, keep: Bool) {
        if keep { waiting.append(request) }
    }

    /// - Returns: The oldest requests, in order; nil if there are fewer than wanted.
    mutating func take(_ wanted: Int) -> [RecordedRequest]? {
        guard wanted <= waiting.count - taken else { return nil }
        let requests = Array(waiting[taken..<taken + wanted])
        taken += wanted
        // Removing taken requests only occasionally keeps the cost low for any number of requests.
        if taken == waiting.count || taken > 1000 {
            waiting.removeFirst(taken)
            taken = 0
        }
        return requests
    }
}
