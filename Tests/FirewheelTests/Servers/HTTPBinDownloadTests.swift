import Firewheel
import Foundation
import Testing

/// A file gets the same content as memory.
@Suite("httpbin: downloads", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinDownloadTests {
    private let session = Session()

    /// A destination in a folder that does not exist yet.
    private func place() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-\(UUID().uuidString)").appendingPathComponent("file")
    }

    @Test("An image, an encoded body and a chunked stream are downloaded", arguments: ["/image/png", "/gzip", "/brotli", "/stream/50"])
    func bodies(path: String) async throws {
        let url = try TestServer.httpbin.url(path)
        let place = place()
        defer { try? FileManager.default.removeItem(at: place.deletingLastPathComponent()) }
        // By default a download asks for no coding, and the server sends the fields back.
        let headers: HTTPHeaders = [.defaultAcceptEncoding]
        let file = try await session.download(url, headers: headers, to: { _, _ in (place, .createIntermediateDirectories) })
            .validate().serializingDownloadedFileURL().value
        #expect(file == place)
        let memory = try await session.request(url, headers: headers).validate().serializingData().value
        let isSame = try Data(contentsOf: place) == memory
        #expect(isSame)
    }

    @Test("The response to a form is decoded from the downloaded file")
    func form() async throws {
        let download = session.download(try TestServer.httpbin.url("/post"), method: .post, parameters: ["a": "ü"])
        let response = await download.validate().serializingDecodable(HTTPBinEcho<String>.self).response
        #expect(response.value?.form == ["a": "ü"])
        try FileManager.default.removeItem(at: try #require(response.fileURL))
    }

    @Test("A download follows a redirect to its file")
    func redirect() async throws {
        let response = await session.download(try TestServer.httpbin.url("/redirect/2")).validate().serializingString().response
        #expect(response.value?.contains("/get") == true)
        try FileManager.default.removeItem(at: try #require(response.fileURL))
    }

    @Test("A download refused by validation leaves no file at its destination", arguments: [401, 404, 500])
    func refused(status: Int) async throws {
        let place = place()
        let response = await session.download(
            try TestServer.httpbin.url("/status/\(status)"), to: { _, _ in (place, .createIntermediateDirectories) }
        )
        .validate().serializingDownloadedFileURL().response
        #expect((response.error as? FirewheelError)?.kind == .responseValidationFailed(.unacceptableStatusCode(status)))
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test("A download whose body stalls times out and leaves no file")
    func timeout() async throws {
        let session = Session(configuration: .with { $0.timeoutIntervalForRequest = 0.3 })
        let place = place()
        let download = session.download(
            try TestServer.httpbin.url("/drip?numbytes=2&duration=4&delay=0"), to: { _, _ in (place, .createIntermediateDirectories) })
        let response = await download.serializingDownloadedFileURL().response
        #expect((response.error as? FirewheelError)?.kind == .transportFailed(.timedOut))
        #expect(!FileManager.default.fileExists(atPath: place.path))
        withExtendedLifetime(session) {}
    }
}
