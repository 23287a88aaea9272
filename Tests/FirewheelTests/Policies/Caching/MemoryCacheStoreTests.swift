import Foundation
import Testing

@testable import Firewheel

/// The store of a cache in memory: sizes, the order in which entries go, and very many of them.
@Suite("The store in memory")
struct MemoryCacheStoreTests {
    private func request(_ number: Int, _ headers: HTTPHeaders = [:]) throws -> CacheRequest {
        CacheRequest(method: .get, target: try #require(TargetURI("http://cache.test/\(1_000_000 + number)")), headers: headers)
    }

    private func entry(_ request: CacheRequest, bytes: Int = 100, varyingBy names: Set<String> = []) -> CacheEntry {
        let response = StoredResponse(
            ResponseHead(statusCode: 200), of: request, varyingBy: names, requestTime: 0, responseTime: 0, clientLifetime: nil)
        return CacheEntry(key: request.key, response: response, body: .data(Data(count: bytes)))
    }

    @Test("entries go that were not used for the longest time, and the capacity is kept")
    func leastRecentlyUsed() throws {
        let size = entry(try request(0)).size
        var store = MemoryCacheStore(capacity: size * 20)
        for number in 0..<20 { store.store(entry(try request(number)), for: try request(number)) }
        #expect(store.entry(for: try request(0)) != nil)
        store.store(entry(try request(20)), for: try request(20))
        store.store(entry(try request(21)), for: try request(21))
        #expect(store.peek(for: try request(0)) != nil)
        for number in [1, 2] { #expect(store.peek(for: try request(number)) == nil) }
        #expect(store.count == 20 && store.evictionCount == 2 && store.size <= store.capacity)
    }

    @Test("an entry larger than a tenth of the capacity is not stored, and removes the one that it replaces")
    func entryLimit() throws {
        var store = MemoryCacheStore(capacity: 20_000)
        store.store(entry(try request(1), bytes: 10), for: try request(1))
        store.store(entry(try request(1), bytes: 2_000), for: try request(1))
        #expect(store.count == 0 && store.size == 0)
        store.store(entry(try request(1), bytes: 1_000), for: try request(1))
        #expect(store.count == 1)
        var none = MemoryCacheStore(capacity: -1)
        none.store(entry(try request(1), bytes: 0), for: try request(1))
        #expect(none.count == 0)
    }

    @Test("random operations keep the sums right")
    func random() throws {
        let size = entry(try request(0)).size
        var store = MemoryCacheStore(capacity: size * 12)
        var mostTaken = 0
        for _ in 0..<10_000 {
            let request = try request(Int.random(in: 0..<30), ["X": "\(Int.random(in: 0..<3))"])
            switch Int.random(in: 0..<10) {
            case 0..<4: store.store(entry(request, bytes: Int.random(in: 0...200), varyingBy: Bool.random() ? ["x"] : []), for: request)
            case 4..<8: _ = store.entry(for: request)
            case 8: store.removeAll(of: request.key)
            default: if let found = store.peek(for: request) { store.replace(found, by: entry(request, bytes: 5)) }
            }
            mostTaken = max(mostTaken, store.size)
        }
        #expect(mostTaken <= store.capacity)
        let entries = try #require(store.entries(part: 0))
        #expect(store.count == entries.count && store.entries(part: 1) == nil)
        let sizes = entries.map { CacheEntry(key: $0.key, response: $0.response, body: .data(Data(count: $0.bodyCount))).size }
        #expect(store.size == sizes.reduce(0, +))
    }

    @Test("100,000 entries, and a Vary of 1,000 fields")
    func many() throws {
        var store = MemoryCacheStore(capacity: 1 << 30)
        for number in 0..<100_000 {
            let request = try request(number)
            store.store(entry(request, bytes: 1), for: request)
        }
        #expect(store.count == 100_000)
        for number in 0..<1_000 { #expect(store.entry(for: try request(number * 100)) != nil) }
        let names = Set((0..<1_000).map { "x-\($0)" })
        let headers = HTTPHeaders((0..<500).map { HTTPHeader(name: "X-\($0)", value: "\($0)") })
        let varying = try request(-1, headers)
        store.store(entry(varying, varyingBy: names), for: varying)
        let other = try request(-1, ["X-1": "1"])
        #expect(store.peek(for: varying) != nil && store.peek(for: other) == nil)
    }

    @Test("storing and removing over and over takes no more memory, and an entry that grows makes room")
    func bounded() throws {
        var store = MemoryCacheStore(capacity: 10_000)
        for number in 0..<2_000 {
            let request = try request(number % 2)
            store.store(entry(request), for: request)
            store.removeAll(of: request.key)
        }
        #expect(store.usesCount < 200)
        for number in 0..<20 { store.store(entry(try request(number), bytes: 0), for: try request(number)) }
        let last = try #require(store.peek(for: try request(19)))
        store.replace(last, by: CacheEntry(key: last.key, response: last.response, body: .data(Data(count: 900))))
        #expect(store.size <= store.capacity)
    }

    @Test("the variants of one URL are limited")
    func variants() throws {
        var store = MemoryCacheStore(capacity: 1 << 30)
        for number in 0..<200 {
            let request = try request(1, ["X": "\(number)"])
            store.store(entry(request, varyingBy: ["x"]), for: request)
        }
        #expect(store.count == 64)
        let (first, last) = (try request(1, ["X": "0"]), try request(1, ["X": "199"]))
        #expect(store.peek(for: last) != nil && store.peek(for: first) == nil)
    }

    @Test("what was under way at an invalidation is not stored, also if there were many")
    func invalidations() {
        var invalidations = CacheInvalidations()
        let start = invalidations.number
        invalidations.add("a")
        #expect(invalidations.concern("a", since: start) && !invalidations.concern("b", since: start))
        #expect(!invalidations.concern("a", since: invalidations.number))
        for number in 0..<100 { invalidations.add("\(number)") }
        #expect(invalidations.concern("b", since: start))
        let late = invalidations.number
        #expect(!invalidations.concern("b", since: late))
        invalidations.addAll()
        #expect(invalidations.concern("b", since: late) && !invalidations.concern("b", since: invalidations.number))
    }
}
