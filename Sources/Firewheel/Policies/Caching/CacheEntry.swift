import Foundation

/// A stored response with its body.
final class CacheEntry: Sendable {
    let key: String
    let response: StoredResponse
    let body: Data
    /// About how many bytes it takes.
    let size: Int

    /// What an entry takes besides its texts and its body.
    private static let overhead = 512

    init(key: String, response: StoredResponse, body: Data) {
        self.key = key
        self.response = response
        self.body = body
        let fields = response.head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
        let selectors = response.selectors.values.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.count ?? 0) + 64 }
        size = Self.overhead + key.utf8.count + fields + selectors + body.count
    }
}
