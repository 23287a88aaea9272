#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// Large bodies in flat memory. Each in a process of its own, to measure its peak.
    @Suite("Uploads in flat memory", .timeLimit(.minutes(5)))
    struct UploadMemoryTests {
        /// What the process of a test takes by itself is not counted.
        private static let most = 25_000_000

        /// Receives a request with a body of so many bytes, keeps none of them, and answers.
        private static func drain(_ server: HandServer, atLeast count: Int) throws {
            let connection = try server.acceptConnection()
            try server.read(count, from: connection)
            server.answer("taken", on: connection, closing: true)
        }

        private static func upload(_ count: Int, _ make: (Session, String) throws -> UploadRequest) async throws {
            let before = try #require(ProcessFacts.peakMemory)
            let server = try HandServer()
            let session = Session(configuration: .with { $0.expectsContinue = .never })
            async let served: Void = onThreads(1) { _ in try? drain(server, atLeast: count) }
            let text = try await make(session, server.url).serializingString().value
            await served
            #expect(text == "taken")
            let used = try #require(ProcessFacts.peakMemory) - before
            #expect(used < most, "\(used) bytes")
            withExtendedLifetime(session) {}
        }

        /// A file without content on disk.
        private static func makeFile(_ size: Int) throws -> URL {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-\(UUID().uuidString)")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: UInt64(size))
            try handle.close()
            return file
        }

        @Test("A form with a file of 512 MiB (2 GiB in a deep run) takes less than 25 MB")
        func form() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let size = TestDepth.choose(512, deep: 2_048) << 20
                let file = try Self.makeFile(size)
                defer { try? FileManager.default.removeItem(at: file) }
                try await Self.upload(size) { session, url in
                    session.upload(
                        multipartFormData: { form in
                            form.append(Data("a large one".utf8), withName: "title")
                            form.append(file, withName: "file", fileName: "large", mimeType: "application/octet-stream")
                        }, to: url)
                }
            }
        }

        @Test("A file and a stream of 256 MiB take less than 25 MB, also with a limited bandwidth")
        func limited() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let size = 256 << 20
                let file = try Self.makeFile(size)
                defer { try? FileManager.default.removeItem(at: file) }
                try await Self.upload(size) { session, url in session.upload(file, to: url).bandwidth(upload: 400_000_000) }
                try await Self.upload(size) { session, url in
                    guard let stream = InputStream(url: file) else { throw WaitedInVain(what: "a stream") }
                    return session.upload(stream, length: Int64(size), to: url).bandwidth(upload: 400_000_000)
                }
            }
        }

        @Test("A download of 256 MiB with a limited bandwidth takes less than 25 MB")
        func download() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                let count = 256 << 20
                server.exchange("/") { exchange in
                    try exchange.sendBytes(Data("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8))
                    let piece = Data(count: 1 << 20)
                    for _ in 0..<(count / piece.count) { try exchange.sendBytes(piece) }
                }
                let session = Session()
                let before = try #require(ProcessFacts.peakMemory)
                let file = try await session.download(server.url()).bandwidth(download: 400_000_000).serializingDownloadedFileURL().value
                defer { try? FileManager.default.removeItem(at: file) }
                #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == count)
                let used = try #require(ProcessFacts.peakMemory) - before
                #expect(used < Self.most, "\(used) bytes")
            }
        }
    }
#endif
