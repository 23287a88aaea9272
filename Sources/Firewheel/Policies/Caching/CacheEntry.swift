import Foundation

/// A stored response with its body.
final class CacheEntry: Sendable {
    let key: String
    let response: StoredResponse
    let body: CacheBody
    /// The name of its files; nil in memory.
    let name: DiskName?
    /// About how many bytes it takes in memory.
    let size: Int

    /// What an entry takes besides its texts and its body.
    private static let overhead = 512

    init(key: String, response: StoredResponse, body: CacheBody, name: DiskName? = nil) {
        self.key = key
        self.response = response
        self.body = body
        self.name = name
        let fields = response.head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
        let selectors = response.selectors.values.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.byteCount ?? 0) + 64 }
        size = Self.overhead + key.utf8.count + fields + selectors + body.count
    }

    /// The entry with another response.
    func replacing(_ response: StoredResponse) -> CacheEntry { CacheEntry(key: key, response: response, body: body, name: name) }
}
