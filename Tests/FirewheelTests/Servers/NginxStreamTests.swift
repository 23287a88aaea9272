import Foundation
import Testing

@testable import Firewheel

/// Many requests over HTTP/2 (RFC 9113), on one connection.
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

    @Test("100 concurrent requests share one connection")
    func shared() async throws {
        let responses = try await responses(100, from: .tls, path: "/file")
        #expect(responses.count { $0.content == fileContent } == 100, "\(responses.compactMap(\.error))")
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
        #expect(Set(responses.map(\.hop?.localPort)).count == 1)
        #expect(responses.count { $0.hop?.isReusedConnection == false } == 1)
    }

    @Test("500 concurrent requests use as few connections as the server's limit of 128 streams allows")
    func multiplexed() async throws {
        let responses = try await responses(500, from: .tls, path: "/file")
        #expect(responses.count { $0.content == fileContent } == 500)
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
        let ports = Set(responses.compactMap(\.hop?.localPort))
        #expect(ports.count <= 4)
        #expect(responses.count { $0.hop?.isReusedConnection == false } == ports.count)
    }

    @Test("Open responses share one connection")
    func openTogether() async throws {
        let session = try TestServer.tls.session()
        // Long enough for each to be suspended before its end, also on a busy machine.
        let url = try TestServer.tls.url("/slow/lines")
        var downloads: [DownloadRequest] = []
        var values: [DownloadTask<Data>] = []
        for _ in 0..<4 {
            downloads.append(session.download(url))
            values.append(downloads[downloads.count - 1].serializingData())
            await Self.suspendInBody(downloads[downloads.count - 1])
        }
        #expect(downloads.allSatisfy { $0.isSuspended })
        for download in downloads { download.resume() }
        var ports: Set<Int> = []
        for value in values {
            let response = await value.response
            let isSame = response.value == linesContent
            #expect(isSame)
            ports.insert(try #require(response.metrics?.transactionMetrics.first?.localPort))
        }
        #expect(ports.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("A server's limit of four concurrent streams is respected", .needs(.fewStreams))
    func limited() async throws {
        let responses = try await responses(100, from: .fewStreams, path: "/file")
        #expect(responses.count { $0.content == fileContent } == 100, "\(responses.compactMap(\.error))")
        #expect(responses.allSatisfy { $0.hop?.networkProtocolName == "h2" })
    }

    @Test("Cancelling streams does not disturb the others and the connection")
    func cancelled() async throws {
        let session = try TestServer.tls.session()
        let url = try TestServer.tls.url("/slow")
        let requests = (0..<4).map { _ in session.request(url).suspend() }
        let others = requests.map { $0.serializingData() }
        let victims = try (0..<2).map { _ in session.request(try TestServer.tls.url("/stalled/lines")).suspend() }
        await start(requests + victims) { for victim in victims { victim.cancel() } }
        for victim in victims { #expect(await victim.raw().kind == .explicitlyCancelled) }
        var ports: Set<Int> = []
        for other in others {
            let response = await other.response
            #expect(response.value == fileContent)
            ports.insert(try #require(response.metrics?.transactionMetrics.first?.localPort))
        }
        let after = await session.request(try TestServer.tls.url("/file")).raw()
        #expect(after.content == fileContent)
        #expect(after.hop?.isReusedConnection == true)
        ports.insert(try #require(after.hop?.localPort))
        #expect(ports.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("After a cancelled stream the connection is reused")
    func cancelledAlone() async throws {
        let session = try TestServer.tls.session()
        let download = session.download(try TestServer.tls.url("/big"))
        await Self.suspendInBody(download)
        download.cancel()
        #expect(kind(await download.serializingData().response.error) == .explicitlyCancelled)
        let next = await session.request(try TestServer.tls.url("/file")).raw()
        #expect(next.content == fileContent)
        #expect(next.hop?.isReusedConnection == true)
        withExtendedLifetime(session) {}
    }

    @Test("After a response body over the limit the connection is reused")
    func tooLarge() async throws {
        let session = try TestServer.tls.session(.with { $0.maximumResponseBodySize = 100_000 })
        for _ in 0..<3 {
            #expect(await session.request(try TestServer.tls.url("/big")).raw().kind == .responseBodyTooLarge)
            let next = await session.request(try TestServer.tls.url("/file")).raw()
            #expect(next.content == fileContent)
            #expect(next.hop?.isReusedConnection == true)
        }
    }

    /// nginx does not read the request body of a location with `return`, so a body larger than the window is never sent completely.
    @Test(
        "An upload answered early ends with that response (RFC 9113 section 8.1)",
        arguments: ["/echo-method", "/status/204", "/status/404"], [HTTPMethod.put, .post])
    func answeredEarly(path: String, method: HTTPMethod) async throws {
        let session = try TestServer.tls.session()
        for round in 0..<2 {
            let upload = try URLRequest.upload(pattern(3_000_000), to: TestServer.tls.url(path), method: method, headers: nil)
            let (response, seconds) = await session.request(upload).timed()
            #expect(response.kind == nil && response.statusCode == (Int(path.suffix(3)) ?? 200), "\(round): \(response)")
            #expect(path != "/echo-method" || response.text == method.rawValue)
            #expect(seconds < 20)
        }
        let after = await session.request(try TestServer.tls.url("/file")).raw()
        #expect(after.content == fileContent)
        withExtendedLifetime(session) {}
    }

    @Test("Downloads whose upload is answered early end with that response, beside other requests")
    func answeredEarlyDownloads() async throws {
        let session = try TestServer.tls.session()
        let upload = try URLRequest.upload(pattern(3_000_000), to: TestServer.tls.url("/echo-method"), method: .put, headers: nil)
        let other = session.request(try TestServer.tls.url("/slow/lines")).serializingData()
        for count in [1, 1, 5] {
            let values = (0..<count).map { _ in session.download(upload).serializingData() }
            for value in values { #expect(try await value.value == Data("PUT".utf8)) }
        }
        #expect(try await other.value == linesContent)
        withExtendedLifetime(session) {}
    }

    @Test(
        "A response broken off by the server is an error, also beside others, with and without a length",
        arguments: ["/broken/lines", "/broken/unmeasured"])
    func brokenOff(path: String) async throws {
        let session = try TestServer.tls.session(.with { $0.maximumConnectionsPerHost = 12 })
        let others = (0..<4).map { number in
            Task {
                for _ in 0..<4 {
                    let body = try await session.download(TestServer.tls.url("/lines")).serializingData().value
                    let isSame = body == linesContent
                    #expect(isSame, "\(number): \(body.count) bytes")
                }
            }
        }
        let url = try TestServer.tls.url(path)
        let broken = (0..<8).map { _ in session.download(url).serializingData() }
        for value in broken {
            let response = await value.response
            #expect(response.response?.statusCode == 200)
            #expect(kind(response.error) == .transportFailed(.networkConnectionLost), "\(response)")
        }
        for other in others { try await other.value }
        withExtendedLifetime(session) {}
    }

    @Test("An upload answered early without a length fails or has the whole body, never part of it")
    func answeredEarlyWithoutLength() async throws {
        let whole = try #require(try await TestServer.tls.once("/gzip").content)
        let response = try await TestServer.tls.once("/gzip", method: .put, body: pattern(3_000_000))
        #expect(response.kind == .transportFailed(.networkConnectionLost) || response.content == whole)
    }

    @Test("Data of a response cancelled while suspended never appears in another response")
    func cancelledWhileHeld() async throws {
        try await besideAnother { session in
            let victim = session.download(try TestServer.tls.url("/big"))
            await Self.suspendInBody(victim)
            victim.cancel()
            #expect(kind(await victim.serializingData().response.error) == .explicitlyCancelled)
        }
    }

    @Test("A response that the server ended while it was suspended fails, and its data appears in no other")
    func resetWhileHeld() async throws {
        try await besideAnother { session in
            let victim = session.download(try TestServer.tls.url("/broken/lines"))
            let value = victim.serializingData()
            await Self.suspendInBody(victim)
            // The server ends it after three seconds, which is read with other streams' data.
            let resumption = MonotonicInstant.now().advanced(by: 3.2)
            while MonotonicInstant.now() < resumption {
                #expect(await session.request(try TestServer.tls.url("/file")).raw().content == fileContent)
            }
            #expect(victim.isSuspended)
            victim.resume()
            let response = await value.response
            #expect(kind(response.error) == .transportFailed(.networkConnectionLost), "\(response.value?.count ?? -1) \(response)")
        }
    }

    /// Ends a stream repeatedly while another is open, and then with a suspended response as well.
    private func besideAnother(end: (Session) async throws -> Void) async throws {
        let session = try TestServer.tls.session()
        let other = session.download(try TestServer.tls.url("/big"))
        await Self.suspendInBody(other)
        for round in 0..<3 {
            try await end(session)
            let next = session.download(try TestServer.tls.url("/lines"))
            let value = next.serializingData()
            await Self.suspendInBody(next)
            next.resume()
            let body = try await value.value
            let isSame = body == linesContent
            #expect(isSame, "\(round): \(body.count) bytes")
            #expect(!other.isFinished)
        }
        other.cancel()
        #expect(kind(await other.serializingData().response.error) == .explicitlyCancelled)
        withExtendedLifetime(session) {}
    }

    /// Suspends a download after its head and waits briefly, so that more data arrives than is wanted.
    private static func suspendInBody(_ download: DownloadRequest) async {
        let suspended = Journal<Void>()
        download.onHTTPResponse(on: .global()) { [weak download] _ in
            download?.suspend()
            suspended.add(())
        }
        download.resume()
        _ = try? await suspended.wait(for: 1)
        for _ in 0..<3 { _ = try? await TestServer.tls.once("/file") }
    }

    @Test("A suspended stream does not block the others")
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

    /// Starts suspended requests, and acts once their heads have arrived. On a thread of its own, because other tests may delay Swift's
    /// cooperative threads.
    private func start(_ requests: [DataRequest], act: @escaping @Sendable () -> Void) async {
        await onThreads(1) { _ in
            for request in requests { request.resume() }
            while !requests.allSatisfy({ $0.response != nil || $0.isFinished }) { usleep(1000) }
            act()
        }
    }
}
