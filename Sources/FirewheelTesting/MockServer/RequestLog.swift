/// The received requests that have not been taken, oldest first, and the total number.
struct RequestLog {
    private(set) var count = 0
    private var waiting: [RecordedRequest] = []
    private var taken = 0

    mutating func add(_ request: RecordedRequest, keep: Bool) {
        count += 1
        if keep { waiting.append(request) }
    }

    mutating func take() -> RecordedRequest? {
        guard taken < waiting.count else { return nil }
        let request = waiting[taken]
        taken += 1
        // Occasional compaction keeps the removal cheap.
        if taken == waiting.count || taken > 1000 {
            waiting.removeFirst(taken)
            taken = 0
        }
        return request
    }
}
