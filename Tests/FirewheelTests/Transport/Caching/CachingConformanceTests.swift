import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

#if os(Linux)
    /// The rules of `Transport` hold for the exchanges that pass through a cache.
    @Suite("Conformance of the caching transport", .timeLimit(.minutes(10)))
    struct CachingConformanceTests {
        /// Asks for the cache, as a session with one does.
        private final class Asking: Transport {
            private let caching = CachingTransport(
                over: SocketTransport(), cache: HTTPCache(memoryCapacity: 1 << 26), background: CacheBackground(.init()))

            func start(_ request: TransportRequest, receiver: any TransportReceiver) {
                var asked = request
                asked.cacheUse = CacheUse(.useProtocolCachePolicy)
                caching.start(asked, receiver: receiver)
            }

            func cancel(_ id: TransportTaskID) { caching.cancel(id) }
            func pause(_ id: TransportTaskID) { caching.pause(id) }
            func resume(_ id: TransportTaskID) { caching.resume(id) }
            func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { caching.proceed(id, body) }
            func acknowledge(_ id: TransportTaskID, bytes: Int) { caching.acknowledge(id, bytes: bytes) }
            func answer(_ id: TransportTaskID, _ answer: TransportAnswer) { caching.answer(id, answer) }
            func closeIdleConnections() { caching.closeIdleConnections() }
        }

        /// All but the case that there is no cache.
        private static let cases = (TransportConformance.cases + TransportConformance.featureCases).filter {
            $0.name != "Nothing is answered from a cache"
        }

        @Test("The case that is left out exists")
        func leftOut() { #expect(Self.cases.count == TransportConformance.cases.count + TransportConformance.featureCases.count - 1) }

        @Test("Over sockets", arguments: cases.filter { !$0.waits })
        @Sendable func conforms(_ rule: TransportConformance.Case) async throws {
            try await rule.run(within: 240) { Asking() }
        }

        @Test("Over sockets, where a case waits")
        func waiting() async throws { try await atOnce(Self.cases.filter(\.waits), conforms) }
    }
#endif
