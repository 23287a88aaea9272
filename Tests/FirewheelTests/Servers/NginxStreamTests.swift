import Firewheel
import Foundation
import Testing

/// Many requests on one connection of HTTP/2 (RFC 9113).
@Suite("nginx: HTTP/2 streams", .needs(.tls), .timeLimit(.minutes(5)))
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
        #expect(responses.count { $0.content == fileContent } == 500)
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
        #expect(Set(responses.compactMap(\.hop?.localPort)).count == 1)
        #expect(responses.count { $0.hop?.isReusedConnection == false } == 1)
    }

    @Test("A server that takes four streams at a time is sent no more than it takes", .needs(.fewStreams))
    func limited() async throws {
        let responses = try await responses(100, from: .fewStreams, path: "/file")
        #expect(responses.count { $0.content == fileContent } == 100, "\(responses.compactMap(\.error))")
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
    }

    @Test("Cancelling streams leaves the others and the connection as they are")
    func cancelled() async throws {
        let session = try TestServer.tls.session()
        let url = try TestServer.tls.url("/slow")
        let requests = (0..<20).map { _ in session.request(url).suspend() }
        let others = requests.map { $0.serializingData() }
        let victims = try (0..<3).map { _ in session.request(try TestServer.tls.url("/slow/lines")).suspend() }
        await start(requests + victims) { for victim in victims { victim.cancel() } }
        for victim in victims { #expect(await victim.raw().kind == .explicitlyCancelled) }
        var ports: Set<Int?> = []
        for other in others {
            let response = await other.response
            #expect(response.value == fileContent)
            ports.insert(response.metrics?.transactionMetrics.first?.localPort)
        }
        let after = await session.request(try TestServer.tls.url("/file")).raw()
        ports.insert(after.hop?.localPort)
        #expect(after.content == fileContent)
        #expect(ports.count == 1 && !ports.contains(nil))
        withExtendedLifetime(session) {}
    }

    /// nginx does not read the body of a request that it answers with `return`: a longer one than its window takes never goes out.
    @Test(
        "An upload that is answered before it has gone out ends with the answer (RFC 9113 section 8.1), and its connection goes on",
        arguments: ["/echo-method", "/gzip", "/status/204", "/status/404"], [HTTPMethod.put, .post])
    func answeredEarly(path: String, method: HTTPMethod) async throws {
        let session = try TestServer.tls.session()
        let first = await session.request(try TestServer.tls.url("/file")).raw()
        let url = try TestServer.tls.url(path)
        for round in 0..<3 {
            let request = try URLRequest.upload(pattern(3_000_000), to: url, method: method, headers: nil)
            let (response, seconds) = await session.request(request).timed()
            #expect(response.kind == nil && response.statusCode == (Int(path.suffix(3)) ?? 200), "\(round): \(response)")
            #expect(path != "/echo-method" || response.text == method.rawValue)
            #expect(seconds < 10)
        }
        let after = await session.request(try TestServer.tls.url("/file")).raw()
        #expect(after.content == fileContent)
        #expect(after.hop?.localPort == first.hop?.localPort)
        withExtendedLifetime(session) {}
    }

    @Test("A suspended stream does not hold up the others")
    func suspended() async throws {
        let session = try TestServer.tls.session()
        let held = session.request(try TestServer.tls.url("/slow")).suspend()
        let task = held.serializingData()
        await start([held]) { held.suspend() }
        for _ in 0..<3 {
            let response = await session.request(try TestServer.tls.url("/lines")).raw()
            let isSame = response.content == linesContent
            #expect(isSame)
        }
        #expect(held.isSuspended)
        held.resume()
        let response = await task.response
        #expect(response.value == fileContent)
        withExtendedLifetime(session) {}
    }

    /// Starts suspended requests, and acts once the heads of their responses are there: on a thread of its own, since the bodies would be over
    /// while other tests keep the threads of Swift's concurrency busy.
    private func start(_ requests: [DataRequest], act: @escaping @Sendable () -> Void) async {
        await onThreads(1) { _ in
            for request in requests { request.resume() }
            while !requests.allSatisfy({ $0.response != nil || $0.isFinished }) { usleep(1000) }
            act()
        }
    }
}
