/// The last invalidations, so that a response that was requested before one is not stored after it.
struct CacheInvalidations: Sendable {
    /// The number of the last invalidation.
    private(set) var number: UInt64 = 0
    /// The last invalidated URLs with their numbers, the latest last.
    private var recent: [(key: String, number: UInt64)] = []
    /// Responses requested before this number are not stored: nothing is known about their URLs any more.
    private var floor: UInt64 = 0

    private static let most = 64

    mutating func add(_ key: String) {
        number += 1
        recent.removeAll { $0.key == key }
        recent.append((key, number))
        if recent.count > Self.most { floor = recent.removeFirst().number }
    }

    mutating func addAll() {
        number += 1
        floor = number
        recent = []
    }

    /// Whether a URL may have been invalidated since an invalidation number.
    func concern(_ key: String, since number: UInt64) -> Bool {
        number < floor || recent.contains { $0.key == key && $0.number > number }
    }
}
