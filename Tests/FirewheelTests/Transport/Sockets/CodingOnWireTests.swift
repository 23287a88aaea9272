#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Content codings from the socket to the caller, in memory and in a file.
    @Suite("Content codings on sockets", .timeLimit(.minutes(5)))
    struct CodingOnWireTests {
        private static let framings: [MockResponse.Framing] = [.contentLength, .chunked(size: 7), .untilClose]

        /// The results of a data request and a download.
        private func fetch(
            _ body: [UInt8], _ coding: String, _ framing: MockResponse.Framing, limit: Int? = nil
        ) async throws -> (data: DataResponse<Data?>, download: DownloadResponse<URL>) {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse.data(Data(body)).header("Content-Encoding", coding).framed(framing) }
            let session = Session.onTest(configuration: .with { $0.maximumResponseBodySize = limit })
            let data = await session.request(server.url()).raw()
            let download = await session.download(server.url()).serializingDownloadedFileURL().response
            return (data, download)
        }

        private func content(_ download: DownloadResponse<URL>) throws -> Data? {
            guard let file = download.value else { return nil }
            defer { try? FileManager.default.removeItem(at: file) }
            return try Data(contentsOf: file)
        }

        @Test("Every coding is decoded in every framing, in memory and to a file", arguments: CodingFixtures.all)
        func whole(sample: Sample) async throws {
            for framing in Self.framings {
                let (data, download) = try await fetch(sample.body, sample.coding, framing)
                #expect(data.content == Data(sample.plain), "\(framing): \(data)")
                #expect(try content(download) == Data(sample.plain), "\(framing): \(download)")
            }
        }

        @Test(
            "A body cut within its coding is an error, in memory and to a file, although its framing is whole",
            arguments: CodingFixtures.all)
        func cut(sample: Sample) async throws {
            for (missing, framing) in zip([1, 9, 30], Self.framings) {
                let (data, download) = try await fetch(sample.body.dropLast(missing), sample.coding, framing)
                #expect(data.kind == .transportFailed(.cannotDecodeRawData), "\(missing): \(data)")
                #expect((download.error as? FirewheelError)?.kind == .transportFailed(.cannotDecodeRawData), "\(missing): \(download)")
                #expect(download.value == nil)
            }
        }

        private static let bombs: [(coding: String, body: [UInt8])] = [
            ("gzip, gzip", CodingFixtures.gzipOfGzipOfZeros), ("br, gzip", CodingFixtures.gzipOfBrBomb),
            ("zstd", CodingFixtures.zstdZeros(blocks: 8192)), ("deflate", [UInt8](StoredGzip.zlib(Data(count: 1_000_000)))),
        ]

        @Test("A body that decodes to more than the limit is an error", arguments: 0..<bombs.count)
        func bomb(number: Int) async throws {
            let (coding, body) = Self.bombs[number]
            for framing in Self.framings {
                let (data, download) = try await fetch(body, coding, framing, limit: 100_000)
                #expect(data.kind == .responseBodyTooLarge, "\(data)")
                #expect((data.data?.count ?? 0) <= 100_000)
                #expect((download.error as? FirewheelError)?.kind == .responseBodyTooLarge, "\(download)")
            }
        }
    }
#endif
