import Firewheel
import Foundation
import Testing

/// Ranges (RFC 9110 section 14) and conditions (section 13) of a file served by nginx.
@Suite("nginx: ranges and conditions", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxConditionalTests {
    @Test(
        "A Range request gives 206 with its Content-Range",
        arguments: TestServer.everyProtocol, [("bytes=80-159", 80..<160), ("bytes=7992-", 7992..<8000), ("bytes=-8", 7992..<8000)])
    func range(server: TestServer, range: (field: String, bytes: Range<Int>)) async throws {
        let response = try await server.once("/file", headers: ["Range": range.field])
        #expect(response.statusCode == 206)
        #expect(response.headers["Content-Range"] == "bytes \(range.bytes.lowerBound)-\(range.bytes.upperBound - 1)/8000")
        #expect(response.content == fileContent[range.bytes])
    }

    @Test("Two ranges arrive as multipart/byteranges")
    func twoRanges() async throws {
        let response = try await TestServer.plain.once("/file", headers: ["Range": "bytes=0-63,640-703"])
        #expect(response.statusCode == 206)
        #expect(response.headers["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
        for part in [fileContent[..<64], fileContent[640..<704]] { #expect(response.content?.range(of: part) != nil) }
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

    @Test("If-Range gives the range if the file is unchanged, and otherwise the whole file", arguments: TestServer.everyProtocol)
    func ifRange(server: TestServer) async throws {
        let first = try await server.once("/file")
        let etag = try #require(first.headers["ETag"])
        let same = try await server.once("/file", headers: ["Range": "bytes=0-7", "If-Range": etag])
        #expect(same.statusCode == 206 && same.content == fileContent[..<8])
        let changed = try await server.once("/file", headers: ["Range": "bytes=0-7", "If-Range": "\"another\""])
        #expect(changed.statusCode == 200 && changed.content == fileContent)
    }

    @Test("An unchanged file is 304 without a body", arguments: TestServer.everyProtocol)
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
        #expect(other.statusCode == 200 && other.content == fileContent)
    }

    @Test("A range can be downloaded to a file", arguments: TestServer.everyProtocol)
    func rangeToFile(server: TestServer) async throws {
        let session = try server.session()
        let request = session.download(try server.url("/lines"), headers: ["Range": "bytes=8000-15999"])
        let file = try await request.validate(statusCode: [206]).serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == linesContent[8000..<16000])
        withExtendedLifetime(session) {}
    }
}
