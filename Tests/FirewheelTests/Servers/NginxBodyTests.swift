import Firewheel
import Foundation
import Testing

/// Large bodies in both directions.
@Suite("nginx: large bodies", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxBodyTests {
    @Test("The server receives 10 MB completely", arguments: TestServer.everyProtocol)
    func upload(server: TestServer) async throws {
        let body = Data(count: 10_000_000)
        for method in [HTTPMethod.post, .put] {
            let response = try await server.once(
                "/echo-body", method: method, body: body, headers: [.contentType("application/octet-stream")])
            #expect(response.text == "\(method.rawValue) 10000000 application/octet-stream")
        }
    }

    @Test("Ten concurrent uploads of one session succeed", arguments: TestServer.everyProtocol)
    func uploads(server: TestServer) async throws {
        let session = try server.session()
        let url = try server.url("/echo-body")
        let texts = await withTaskGroup(of: String?.self) { group in
            for number in 0..<10 {
                group.addTask { await (try? session.sending(Data(count: 1_000_000 + number), to: url, method: .put))?.raw().text }
            }
            return await group.reduce(into: []) { $0.append($1 ?? "no answer") }
        }
        #expect(Set(texts.map { $0.prefix(11) }) == Set((0..<10).map { "PUT \(1_000_000 + $0)"[...] }))
        withExtendedLifetime(session) {}
    }

    /// The server takes long enough for the client to suspend in the middle.
    private let slowPath = "/slow/lines"

    @Test("8 MiB in memory arrive exactly while suspended and resumed", arguments: TestServer.everyProtocol)
    func suspended(server: TestServer) async throws {
        let session = try server.session()
        let request = session.request(try server.url(slowPath)).suspend()
        let task = request.serializingData()
        let suspensions = await suspendAndResume(request)
        let received = await task.response
        // Compared outside of #expect, which would print the difference.
        let isSame = received.value == linesContent
        #expect(isSame)
        #expect(received.statusCode == 200 && received.headers["Content-Length"] == "8388608")
        #expect(suspensions > 0)
        #expect(received.metrics?.transactionMetrics.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("8 MiB in a file arrive exactly while suspended and resumed", arguments: TestServer.everyProtocol)
    func suspendedDownload(server: TestServer) async throws {
        let session = try server.session()
        let request = session.download(try server.url(slowPath)).suspend()
        let task = request.serializingDownloadedFileURL()
        let suspensions = await suspendAndResume(request)
        let file = try await task.value
        defer { try? FileManager.default.removeItem(at: file) }
        let isSame = try Data(contentsOf: file) == linesContent
        #expect(isSame)
        #expect(suspensions > 0)
        withExtendedLifetime(session) {}
    }

    /// Lets a suspended request proceed in short steps until it has finished.
    ///
    /// - Returns: How often it was suspended after the head of its response.
    private func suspendAndResume(_ request: Request) async -> Int {
        let suspensions = Journal<Bool>()
        await onThreads(1) { _ in
            while !request.isFinished {
                request.resume()
                usleep(1000)
                if request.suspend().isSuspended, request.response != nil { suspensions.add(true) }
                usleep(1000)
            }
        }
        return suspensions.count
    }

    #if os(Linux)
        /// In a process of its own, to measure its peak memory.
        @Test("A 200 MB download needs a fraction of that memory, over HTTP/1.1, TLS and HTTP/2")
        func memory() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                for server in TestServer.everyProtocol {
                    let session = try server.session()
                    let before = try #require(ProcessFacts.peakMemory)
                    // With a limit the server is always ahead of the client.
                    for limit in [nil, 200_000_000] as [Int?] {
                        let request = session.download(try server.url("/big"), headers: ["Range": "bytes=0-199999999"])
                        request.bandwidth(download: limit)
                        let file = try await request.validate(statusCode: [206]).serializingDownloadedFileURL().value
                        defer { try? FileManager.default.removeItem(at: file) }
                        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == 200_000_000)
                    }
                    let after = try #require(ProcessFacts.peakMemory)
                    #expect(after - before < 50_000_000, "\(server): from \(before) to \(after) bytes at most")
                    withExtendedLifetime(session) {}
                }
            }
        }
    #endif
}
