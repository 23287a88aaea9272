/// Why the last responses were not stored that were refused.
struct CacheRefusals: Sendable {
    private var reasons: [String: CacheStorability.Reason] = [:]
    private var order = Fifo<String>()

    /// The most URLs that are remembered.
    private static let most = 256

    mutating func add(_ key: String, _ reason: CacheStorability.Reason) {
        // A key that was removed may be in the order twice, and then goes earlier.
        if reasons.updateValue(reason, forKey: key) == nil { order.append(key) }
        if order.count > Self.most, let oldest = order.popFirst() { reasons[oldest] = nil }
    }

    mutating func remove(_ key: String) { reasons[key] = nil }

    func reason(for key: String) -> CacheStorability.Reason? { reasons[key] }
}
