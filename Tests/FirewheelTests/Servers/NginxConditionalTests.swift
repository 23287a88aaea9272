import Firewheel
import Foundation
import Testing

/// Ranges (RFC 9110 section 14) and conditions (section 13), as nginx serves a file.
@Suite("nginx: ranges and conditions", .needs(.plain), .timeLimit(.minutes(1)))
struct NginxConditionalTests {
    private let whole = numberedLines(1000)

    @Test(
        "A range is delivered with its place",
        arguments: TestServer.everyProtocol, [("bytes=80-159", 80..<160), ("bytes=7992-", 7992..<8000), ("bytes=-8", 7992..<8000)])
    func range(server: TestServer, range: (field: String, bytes: Range<Int>)) async throws {
        let response = try await server.once("/file", headers: ["Range": range.field])
        #expect(response.statusCode == 206)
        #expect(response.headers["Content-Range"] == "bytes \(range.bytes.lowerBound)-\(range.bytes.upperBound - 1)/8000")
        #expect(response.content == whole[range.bytes])
    }

    @Test("Two ranges come as multipart/byteranges")
    func twoRanges() async throws {
        let response = try await TestServer.plain.once("/file", headers: ["Range": "bytes=0-7,80-87"])
        #expect(response.statusCode == 206)
        #expect(response.headers["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
        #expect(response.text?.contains("0000000\n") == true && response.text?.contains("0000010\n") == true)
    }

    @Test("A range beyond the end is 416, which validate() refuses")
    func beyondTheEnd() async throws {
        let session = try TestServer.plain.session()
        let response = await session.request(try TestServer.plain.url("/file"), headers: ["Range": "bytes=9000-"]).validate().raw()
        #expect(response.statusCode == 416)
        #expect(response.headers["Content-Range"] == "bytes */8000")
        #expect(response.kind == .responseValidationFailed(.unacceptableStatusCode(416)))
        withExtendedLifetime(session) {}
    }

    @Test("If-Range: the range if the file is the same, all of it if not", arguments: TestServer.everyProtocol)
    func ifRange(server: TestServer) async throws {
        let first = try await server.once("/file")
        let etag = try #require(first.headers["ETag"])
        let same = try await server.once("/file", headers: ["Range": "bytes=0-7", "If-Range": etag])
        #expect(same.statusCode == 206 && same.text == "0000000\n")
        let changed = try await server.once("/file", headers: ["Range": "bytes=0-7", "If-Range": "\"another\""])
        #expect(changed.statusCode == 200 && changed.content == whole)
    }

    @Test("What has not changed is 304 without a body", arguments: TestServer.everyProtocol)
    func notModified(server: TestServer) async throws {
        let first = try await server.once("/file")
        for (condition, validator) in [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")] {
            let value = try #require(first.headers[validator])
            let second = try await server.once("/file", headers: [condition: value])
            #expect(second.statusCode == 304, "\(condition)")
            #expect(second.content == Data())
            #expect(second.headers["ETag"] == first.headers["ETag"])
        }
        let other = try await server.once("/file", headers: ["If-None-Match": "\"another\""])
        #expect(other.statusCode == 200 && other.content == whole)
    }

    @Test("A range goes to a file", arguments: TestServer.everyProtocol)
    func rangeToFile(server: TestServer) async throws {
        let session = try server.session()
        let request = session.download(try server.url("/lines"), headers: ["Range": "bytes=8000-15999"])
        let file = try await request.validate(statusCode: [206]).serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == numberedLines(2000)[8000...])
        withExtendedLifetime(session) {}
    }
}
