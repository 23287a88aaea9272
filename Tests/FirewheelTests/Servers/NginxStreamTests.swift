import Firewheel
import Foundation
import Testing

/// Many requests on one connection of HTTP/2 (RFC 9113).
@Suite("nginx: HTTP/2 streams", .needs(.tls), .timeLimit(.minutes(1)))
struct NginxStreamTests {
    private func responses(_ count: Int, from server: TestServer, path: String) async throws -> [DataResponse<Data?>] {
        let session = try server.session()
        let url = try server.url(path)
        let responses = await withTaskGroup(of: DataResponse<Data?>.self) { group in
            for _ in 0..<count { group.addTask { await session.request(url).raw() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        withExtendedLifetime(session) {}
        return responses
    }

    @Test("500 requests at once share one connection")
    func multiplexed() async throws {
        let responses = try await responses(500, from: .tls, path: "/file")
        let expected = numberedLines(1000)
        #expect(responses.count { $0.content == expected } == 500)
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
        #expect(Set(responses.compactMap(\.hop?.localPort)).count == 1)
        #expect(responses.count { $0.hop?.isReusedConnection == false } == 1)
    }

    @Test("A server that takes four streams at a time is sent no more than it takes", .needs(.fewStreams))
    func limited() async throws {
        let responses = try await responses(100, from: .fewStreams, path: "/file")
        let expected = numberedLines(1000)
        #expect(responses.count { $0.content == expected } == 100, "\(responses.compactMap(\.error))")
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
    }

    @Test("Cancelling streams leaves the others and the connection as they are")
    func cancelled() async throws {
        let session = try TestServer.tls.session()
        let url = try TestServer.tls.url("/slow")
        let others = (0..<20).map { _ in session.request(url).serializingData() }
        let victims = try (0..<3).map { _ in session.request(try TestServer.tls.url("/slow/lines")).resume() }
        await onceHeadsAreThere(victims) { $0.cancel() }
        for victim in victims { #expect(await victim.raw().kind == .explicitlyCancelled) }
        var ports: Set<Int?> = []
        for other in others {
            let response = await other.response
            #expect(response.value == numberedLines(1000))
            ports.insert(response.metrics?.transactionMetrics.first?.localPort)
        }
        let after = await session.request(try TestServer.tls.url("/file")).raw()
        ports.insert(after.hop?.localPort)
        #expect(after.content == numberedLines(1000))
        #expect(ports.count == 1 && !ports.contains(nil))
        withExtendedLifetime(session) {}
    }

    @Test("A suspended stream does not hold up the others")
    func suspended() async throws {
        let session = try TestServer.tls.session()
        let held = session.request(try TestServer.tls.url("/slow"))
        let task = held.serializingData()
        await onceHeadsAreThere([held]) { $0.suspend() }
        for _ in 0..<3 {
            let response = await session.request(try TestServer.tls.url("/lines")).raw()
            let isSame = response.content == numberedLines(1 << 20)
            #expect(isSame)
        }
        #expect(held.isSuspended)
        held.resume()
        let response = await task.response
        #expect(response.value == numberedLines(1000))
        withExtendedLifetime(session) {}
    }

    /// On a thread of its own: while other tests keep the threads of Swift's concurrency busy, the body would be over.
    private func onceHeadsAreThere(_ requests: [DataRequest], _ act: @escaping @Sendable (DataRequest) -> Void) async {
        await onThreads(1) { _ in
            while !requests.allSatisfy({ $0.response != nil }) { usleep(1000) }
            requests.forEach(act)
        }
    }
}
