#if os(Linux)
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel

    @Suite("Name resolver", .timeLimit(.minutes(5)))
    struct NameResolverTests {
        private func resolve(_ host: String, with resolver: NameResolver = NameResolver()) async -> NameResolver.Answer {
            await withCheckedContinuation { continuation in
                resolver.resolve(.init(host: host)) { continuation.resume(returning: $0) }
            }
        }

        @Test("localhost resolves to loopback addresses")
        func localhost() async throws {
            let addresses = try await resolve("localhost").get()
            #expect(!addresses.isEmpty)
            #expect(Set(addresses).isSubset(of: ["127.0.0.1", "[::1]"]))
            #expect(Set(addresses).count == addresses.count)
        }

        @Test("All addresses of a name are returned in the resolver's order")
        func several() async throws {
            #expect(try await resolve("dual-resolver.test").get() == ["[::1]", "127.0.0.1"])
        }

        @Test("A name that does not exist fails with a reason, which is not cached")
        func unresolvable() async {
            let resolver = NameResolver()
            guard case .failure(let reason) = await resolve("nope.invalid", with: resolver) else {
                Issue.record("a name under .invalid has an address (RFC 2606)")
                return
            }
            #expect(!reason.description.isEmpty)
            #expect(resolver.cached(.init(host: "nope.invalid")) == nil)
        }

        @Test("A resolved host name is cached")
        func cache() async throws {
            let resolver = NameResolver()
            #expect(resolver.cached(.init(host: "localhost")) == nil)
            let addresses = try await resolve("localhost", with: resolver).get()
            #expect(resolver.cached(.init(host: "localhost")) == addresses)
            #expect(NameResolver().cached(.init(host: "localhost")) == nil)
        }

        @Test(
            "Text that is not a host name fails to resolve",
            arguments: ["", " ", "a b", "..", "a\u{1}", String(repeating: "a", count: 5000)])
        func odd(name: String) async {
            if case .success(let addresses) = await resolve(name) {
                // Some systems resolve the empty name to the loopback address.
                #expect(name.isEmpty && addresses.allSatisfy { ["127.0.0.1", "[::1]"].contains($0) })
            }
        }
    }

    /// In processes of their own, to count threads and lookups.
    @Suite("Name resolver under load", .serialized, .timeLimit(.minutes(5)))
    struct NameResolverLoadTests {
        /// Looks up each name and waits for all answers. Returns the maximum number of resolver threads, and the time taken.
        fileprivate static func resolveAll(
            _ names: [String], with resolver: NameResolver
        ) -> (failures: Int, threads: Int, seconds: TimeInterval) {
            let start = MonotonicInstant.now()
            let failures = Gauge()
            let done = DispatchGroup()
            for name in names {
                done.enter()
                resolver.resolve(.init(host: name)) { answer in
                    if case .failure = answer { failures.enter() }
                    done.leave()
                }
            }
            var threads = 0
            while done.wait(timeout: .now() + 0.02) == .timedOut { threads = max(threads, ProcessFacts.resolverThreadCount) }
            return (failures.most, threads, MonotonicInstant.now().seconds(since: start))
        }

        @Test("500 concurrent lookups of one name are made once, on one thread")
        func sameName() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let before = slow_lookup_count()
                let (failures, threads, _) = NameResolverLoadTests.resolveAll(
                    Array(repeating: "slow-3000ms-same.invalid", count: 500), with: NameResolver())
                #expect(failures == 500, "\(failures) failures")
                #expect(threads == 1, "\(threads) threads")
                #expect(slow_lookup_count() == before + 1, "\(slow_lookup_count()) lookups")
                #expect(slow_lookup_count_elsewhere() == 0, "\(slow_lookup_count_elsewhere()) lookups by other threads")
            }
        }

        @Test("Many names are looked up by a few threads, which end when idle")
        func manyNames() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let (failures, threads, seconds) = NameResolverLoadTests.resolveAll(
                    (0..<80).map { "slow-100ms-\($0).invalid" }, with: NameResolver())
                #expect(failures == 80, "\(failures) failures")
                // Eight, and on a busy machine another for each quarter of a second in which none became free.
                #expect(threads >= 2 && threads <= 8 + Int(max(0, seconds - 1.5) * 4), "\(threads) threads in \(seconds) s")
                #expect(slow_lookup_count() == 80, "\(slow_lookup_count()) lookups")
                #expect(await eventually { ProcessFacts.resolverThreadCount == 0 }, "\(ProcessFacts.threadNames)")
                // Threads start again when needed.
                let resolver = NameResolver()
                _ = NameResolverLoadTests.resolveAll(["localhost"], with: resolver)
                #expect(resolver.cached(.init(host: "localhost")) != nil)
            }
        }
    }
#endif
