import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// gzip (RFC 1952) around stored blocks (RFC 1951 section 3.2.4), which needs no compression.
enum StoredGzip {
    static func encode(_ data: Data) -> Data {
        Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + deflate(data) + littleEndian(crc32(data))
            + littleEndian(UInt32(truncatingIfNeeded: data.count))
    }

    /// Raw deflate.
    static func deflate(_ data: Data) -> Data {
        var out = Data()
        var rest = data[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            out.append(rest.isEmpty ? 1 : 0)
            withUnsafeBytes(of: length.littleEndian) { out.append(contentsOf: $0) }
            withUnsafeBytes(of: (~length).littleEndian) { out.append(contentsOf: $0) }
            out.append(block)
        } while !rest.isEmpty
        return out
    }

    /// zlib (RFC 1950), which is what HTTP calls deflate.
    static func zlib(_ data: Data) -> Data {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return Data([0x78, 0x01]) + deflate(data) + Data(littleEndian(high << 16 | low).reversed())
    }

    private static func littleEndian(_ value: UInt32) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    private static func crc32(_ data: Data) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in data {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}

@Suite("Content codings", .eachTransport, .timeLimit(.minutes(5)))
struct ContentCodingTests {
    private func fetch(_ body: Data, coding: String, framing: MockResponse.Framing = .contentLength, headers: HTTPHeaders? = nil)
        async throws -> DataResponse<Data?>
    {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.data(body).header("Content-Encoding", coding).framed(framing))
        return await once { $0.request(server.url(), headers: headers) }.response
    }

    @Test("gzip is decoded in every framing, and the response head stays as it was sent", arguments: [0, 1, 70_000])
    func gzip(size: Int) async throws {
        let plain = pattern(size)
        let encoded = StoredGzip.encode(plain)
        for framing in [MockResponse.Framing.contentLength, .chunked(size: 1000), .untilClose] {
            let response = try await fetch(encoded, coding: "gzip", framing: framing)
            #expect(response.content == plain)
            #expect(response.headers["Content-Encoding"] == "gzip")
            let hop = response.metrics?.transactionMetrics.first
            #expect(hop?.countOfResponseBodyBytesReceived == Int64(encoded.count), "\(framing)")
            #expect(hop?.countOfResponseBodyBytesAfterDecoding == Int64(size))
        }
    }

    @Test("deflate is decoded in zlib and raw form, and coding names in any case (RFC 9110 section 8.4.1)")
    func deflate() async throws {
        let plain = pattern(5_000)
        #expect(try await fetch(StoredGzip.zlib(plain), coding: "deflate").content == plain)
        #expect(try await fetch(StoredGzip.deflate(plain), coding: "deflate").content == plain)
        #expect(try await fetch(StoredGzip.encode(plain), coding: "GZip").content == plain)
        #expect(try await fetch(StoredGzip.encode(plain), coding: "x-gzip").content == plain)
    }

    @Test("Several content codings are decoded in reverse order (RFC 9110 section 8.4)")
    func two() async throws {
        let plain = pattern(5_000)
        #expect(try await fetch(StoredGzip.encode(StoredGzip.zlib(plain)), coding: "deflate, gzip").content == plain)
    }

    @Test("The identity coding leaves the body unchanged")
    func identity() async throws {
        let plain = pattern(5_000)
        #expect(try await fetch(plain, coding: "identity").content == plain)
    }

    @Test("A content coding is decoded even if the request did not offer it")
    func notOffered() async throws {
        let plain = pattern(500)
        #expect(try await fetch(StoredGzip.encode(plain), coding: "gzip", headers: ["Accept-Encoding": "identity"]).content == plain)
    }

    @Test("A body that is invalid in its content coding is an error")
    func garbage() async throws {
        let response = try await fetch(Data("this is no gzip at all".utf8), coding: "gzip")
        #expect(response.kind == .transportFailed(.cannotDecodeRawData))
        #expect(response.content == nil)
        var broken = StoredGzip.encode(pattern(5_000))
        broken[20] ^= 0xFF
        #expect(try await fetch(broken, coding: "gzip").kind == .transportFailed(.cannotDecodeRawData))
    }

    @Test("A body that continues after the end of its content coding is an error that says so")
    func goesOn() async throws {
        let response = try await fetch(StoredGzip.encode(pattern(500)) + Data("junkjunk".utf8), coding: "gzip")
        #expect(response.kind == .transportFailed(.cannotDecodeRawData))
        #expect(response.error.map { "\($0)" }?.contains("behind the end") == true, "\(response)")
        #expect(response.content == nil)
    }

    #if os(Linux)
        @Test("zstd is decoded (RFC 8878)")
        func zstd() async throws {
            // A frame of one raw block, without compression.
            let plain = Data("hello zstd".utf8)
            let frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, UInt8(plain.count), UInt8(plain.count << 3 | 1), 0, 0]) + plain
            #expect(try await fetch(frame, coding: "zstd").content == plain)
        }

        @Test("A truncated gzip body is an error")
        func endsEarly() async throws {
            let plain = pattern(500)
            let response = try await fetch(StoredGzip.encode(plain).prefix(300), coding: "gzip")
            #expect(response.kind == .transportFailed(.cannotDecodeRawData))
        }
    #endif

    @Test(
        "A body with a content coding that nobody knows is passed on as it is (Fetch, Go, URLSession)",
        arguments: ["aws-chunked", "utf-8", "UTF-8", "binary", "8bit", "rot13", "gzip, aws-chunked", "utf-8, gzip", "compress"])
    func unknown(coding: String) async throws {
        for framing in [MockResponse.Framing.contentLength, .chunked] {
            let response = try await fetch(StoredGzip.encode(pattern(100)), coding: coding, framing: framing)
            #expect(response.error == nil && response.content == StoredGzip.encode(pattern(100)))
            #expect(response.headers["Content-Encoding"] == coding)
        }
    }

    @Test("The body limit counts decoded bytes")
    func limit() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in MockResponse.data(StoredGzip.encode(Data(count: 10_000))).header("Content-Encoding", "gzip") }
        let exact = Session.onTest(configuration: .with { $0.maximumResponseBodySize = 10_000 })
        #expect(await exact.request(server.url()).raw().content == Data(count: 10_000))
        let over = Session.onTest(configuration: .with { $0.maximumResponseBodySize = 9_999 })
        #expect(await over.request(server.url()).raw().kind == .responseBodyTooLarge)
    }
}
