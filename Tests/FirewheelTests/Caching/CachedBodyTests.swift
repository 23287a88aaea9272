import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Bodies from the cache go the same way as those from the network: to files, to streams with back-pressure, behind held heads.
@Suite("Bodies from the cache", .timeLimit(.minutes(5)))
struct CachedBodyTests {
    private static let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 % 251) })

    /// A server with a large body, in pieces for requests that want them.
    private static func serve(_ request: TransportRequest, _ control: String = "max-age=60") -> [StubTransport.Step] {
        let head = ResponseHead(
            statusCode: 200, headers: ["Cache-Control": control, "Content-Length": "\(body.count)", "ETag": "\"1\""])
        guard request.delivery == .chunks else { return [.response(head), .finish(body: body)] }
        return [.response(head), .chunk(body.prefix(200_000)), .chunk(body.dropFirst(200_000)), .finish()]
    }

    private func bench(_ control: String = "max-age=60") -> CacheBench {
        CacheBench(capacity: 10_000_000) { request, _ in Self.serve(request, control) }
    }

    @Test("a download is placed as ever, and stores what it gets")
    func download() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bench = bench()
        for (number, source) in [ResponseSource.network, .cache(age: 0)].enumerated() {
            let file = folder.appendingPathComponent("\(number)")
            let response = await bench.session.download(
                "http://cache.test/a", to: { _, _ in (file, [.createIntermediateDirectories]) }
            ).serializingDownloadedFileURL().response
            #expect(response.source == source && response.value == file)
            #expect(try Data(contentsOf: file) == Self.body)
        }
        #expect(bench.count == 1)
    }

    @Test("a stream is read from the cache, and stores what it gets")
    func stream() async throws {
        let bench = bench()
        for _ in 0..<2 {
            var received = Data()
            for try await piece in bench.session.streamRequest("http://cache.test/a").streamTask().streamingData() { received += piece }
            #expect(received == Self.body)
        }
        #expect(bench.count == 1 && bench.cache.statistics.hitCount == 1)
    }

    @Test("a newer response that is not stored makes the stored one useless", arguments: ["no-store", "max-age=60"])
    func superseded(_ control: String) async throws {
        let bench = CacheBench(capacity: 1_000_000) { _, number in
            if number == 1 { return .of("old", ["Cache-Control": "max-age=60"]) }
            let head = ResponseHead(statusCode: 200, headers: ["Cache-Control": control])
            // Together more than a tenth of the capacity, which the head does not say.
            return [.response(head), .chunk(Self.body.prefix(60_000)), .chunk(Self.body.prefix(60_000)), .finish()]
        }
        _ = await bench.get()
        let newer = await bench.session.download(
            "http://cache.test/a", requestModifier: { $0.cachePolicy = .reloadIgnoringLocalCacheData }
        ).serializingData().response
        #expect(newer.value?.count == 120_000 && newer.source == .network)
        #expect(await bench.get().source == .network && bench.count == 3)
    }

    @Test("a stream that is not read holds the cache up")
    func backPressure() async throws {
        let journal = Journal<TransportEvent>()
        let receiver = Receiver(journal)
        let bench = bench()
        _ = await bench.get()
        let transport = CachingTransport(over: bench.stub, cache: bench.cache, background: CacheBackground(.init()))
        var request = try Self.request(.chunks)
        request.receiveWindow = 100_000
        transport.start(request, receiver: receiver)
        // The head, and pieces of 65,536 bytes up to the first one beyond the window.
        _ = try await journal.wait(for: 3)
        transport.pause(request.id)
        transport.acknowledge(request.id, bytes: 131_072)
        #expect(journal.count == 3)
        transport.resume(request.id)
        _ = try await journal.wait(for: 5)
        transport.acknowledge(request.id, bytes: .max)
        _ = try await journal.wait(for: 7)
        transport.acknowledge(request.id, bytes: .max)
        _ = try await journal.wait(for: 9)
        transport.acknowledge(request.id, bytes: .max)
        _ = try await journal.wait(for: 10)
        #expect(journal.entries.compactMap(\.piece).reduce(Data(), +) == Self.body)
        #expect(journal.entries.last?.isEnd == true)
    }

    @Test("a held head waits for the decision", arguments: [TransportRequest.HeldBody.deliver, .discard])
    func heldHead(_ decision: TransportRequest.HeldBody) async throws {
        let journal = Journal<TransportEvent>()
        let bench = bench()
        _ = await bench.get()
        let transport = CachingTransport(over: bench.stub, cache: bench.cache, background: CacheBackground(.init()))
        var request = try Self.request(.whole)
        request.heldHeads = .all
        transport.start(request, receiver: Receiver(journal))
        _ = try await journal.wait(for: 1)
        transport.proceed(request.id, decision)
        _ = try await journal.wait(for: 2)
        guard case .finished(let result) = journal.entries[1].kind else { throw WaitedInVain(what: "the end") }
        #expect(result.error == nil && result.body == (decision == .deliver ? Self.body : nil))
    }

    @Test("a cancelled exchange gets no more events, and the release of the transport ends the others")
    func endings() async throws {
        let (cancelled, released) = (Journal<TransportEvent>(), Journal<TransportEvent>())
        let bench = bench()
        _ = await bench.get()
        var transport: CachingTransport? = CachingTransport(over: bench.stub, cache: bench.cache, background: CacheBackground(.init()))
        for (number, journal) in [cancelled, released].enumerated() {
            var request = try Self.request(.chunks)
            request.id = TransportTaskID(request: UInt64(number + 10))
            request.receiveWindow = 1
            transport?.start(request, receiver: Receiver(journal))
            _ = try await journal.wait(for: 2)
        }
        transport?.cancel(TransportTaskID(request: 10))
        transport?.acknowledge(TransportTaskID(request: 10), bytes: .max)
        transport = nil
        _ = try await released.wait(for: 3)
        guard case .finished(let result) = released.entries[2].kind else { throw WaitedInVain(what: "the end") }
        #expect(result.error == .failed(.cancelled, "the transport was released"))
        #expect(cancelled.count == 2)
    }

    @Test("the deadline ends an exchange that waits")
    func deadline() async throws {
        let journal = Journal<TransportEvent>()
        let bench = bench()
        _ = await bench.get()
        let transport = CachingTransport(over: bench.stub, cache: bench.cache, background: CacheBackground(.init()))
        var request = try Self.request(.chunks)
        request.receiveWindow = 1
        request.deadline = .now().advanced(by: 0.05)
        transport.start(request, receiver: Receiver(journal))
        try await waitUntil("the end") { journal.entries.last?.isEnd == true }
        guard case .finished(let result) = journal.entries.last?.kind else { throw WaitedInVain(what: "the end") }
        #expect(result.error == .failed(.timedOut, TimeoutWords.resource))
    }

    @Test("maximumResponseBodySize applies to stored bodies")
    func tooLarge() async throws {
        let bench = CacheBench(capacity: 10_000_000, configuration: .with { $0.maximumResponseBodySize = 100 }) { request, _ in
            Self.serve(request)
        }
        var configuration = SessionConfiguration()
        configuration.cache = bench.cache
        let session = Session(configuration: configuration, transport: bench.stub)
        _ = await session.request("http://cache.test/a").serializingData().response
        #expect(bench.cache.entries.count == 1)
        let response = await bench.get()
        #expect((response.error as? FirewheelError)?.kind == .responseBodyTooLarge && response.source.isCached)
        #expect(bench.count == 1)
    }

    @Test("a body larger than a tenth of the capacity is delivered and not stored")
    func notStored() async throws {
        let bench = CacheBench(capacity: 1_000_000) { request, _ in
            var steps = Self.serve(request)
            steps[0] = .response(ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=60"]))
            return steps
        }
        #expect(await bench.get().value == Self.body)
        var received = Data()
        for try await piece in bench.session.streamRequest("http://cache.test/a").streamTask().streamingData() { received += piece }
        #expect(received == Self.body && bench.cache.entries.isEmpty)
    }

    @Test("a stream that is cancelled midway stores nothing")
    func cancelledStream() async throws {
        let bench = CacheBench(capacity: 10_000_000) { request, _ in
            let head = ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=60"])
            return request.target.string.hasSuffix("/a") ? [.response(head), .chunk(Data(count: 10)), .wait] : .of([:])
        }
        let request = bench.session.streamRequest("http://cache.test/a")
        for try await _ in request.streamTask().streamingData() { break }
        request.cancel()
        let id = try #require(bench.stub.requests.first?.id)
        bench.stub.send([.finish()], to: id)
        // The stub plays one script after the other.
        #expect(await bench.get("http://cache.test/b").error == nil)
        #expect(!bench.cache.entries.contains { $0.url.path == "/a" })
    }

    @Test("a redirect whose body does not end is followed all the same, and not stored")
    func slowRedirect() async throws {
        let bench = CacheBench { request, _ in
            guard request.target.string.hasSuffix("/a") else { return .of("two", [:]) }
            // The head is held, so that the script stands still until the client has decided.
            return [.response(ResponseHead(statusCode: 301, headers: ["Location": "/b", "Cache-Control": "max-age=60"])), .wait]
        }
        #expect(await bench.get().value == Data("two".utf8))
        #expect(!bench.cache.entries.contains { $0.url.path == "/a" })
    }

    private static func request(_ delivery: TransportRequest.Delivery) throws -> TransportRequest {
        let target = try #require(TargetURI("http://cache.test/a"))
        var headers = HTTPHeaders.default
        headers.update(name: "Accept-Encoding", value: "identity")
        var request = TransportRequest(id: TransportTaskID(request: 1), method: .get, target: target, headers: headers, delivery: delivery)
        request.cacheUse = CacheUse(.useProtocolCachePolicy)
        return request
    }

    final class Receiver: TransportReceiver {
        private let journal: Journal<TransportEvent>

        init(_ journal: Journal<TransportEvent>) { self.journal = journal }

        func receive(_ events: [TransportEvent]) {
            for event in events { journal.add(event) }
        }
    }
}

extension TransportEvent {
    fileprivate var piece: Data? {
        if case .chunk(let piece) = kind { return piece }
        return nil
    }

    var isEnd: Bool {
        if case .finished = kind { return true }
        return false
    }
}
