import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Downloads from a server: the place of the file, its content, and no leftovers.
@Suite("Downloads", .timeLimit(.minutes(5)))
struct DownloadTests {
    /// A folder for one test with its content.
    final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("t2-\(UUID().uuidString)")
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func file(_ name: String) -> URL { url.appendingPathComponent(name) }

        func file(_ name: String, holding text: String) throws -> URL {
            try Data(text.utf8).write(to: file(name))
            return file(name)
        }

        var contents: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
    }

    private func text(_ url: URL) -> String? { (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) } }
    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    @Test("Without a destination a download's file is in the temporary folder and belongs to the caller")
    func temporary() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("content"))
        let session = Session()
        let response = await session.download(server.url("/a.txt")).serializingDownloadedFileURL().response
        let file = try #require(response.value)
        #expect(file == response.fileURL && file == response.temporaryURL && response.destinationURL == nil)
        #expect(file.lastPathComponent.hasPrefix("Firewheel_") && text(file) == "content")
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }

    @Test("A download is moved to its destination, whose closure gets the temporary file and the response")
    func destination() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("content", headers: [("X-Name", "b.txt")]))
        let folder = try Folder()
        let target = folder.file("b.txt")
        let seen = Journal<String>()
        let session = Session()
        let request = session.download(
            server.url(),
            to: { temporary, response in
                seen.add("\(FileManager.default.fileExists(atPath: temporary.path)) \(response.value(forHTTPHeaderField: "X-Name") ?? "")")
                return (target, [])
            })
        let response = await request.serializingDownloadedFileURL().response
        #expect(seen.entries == ["true b.txt"])
        #expect(response.value == target && response.fileURL == target && response.destinationURL == target && request.fileURL == target)
        #expect(try text(target) == "content" && !exists(#require(response.temporaryURL)))
        withExtendedLifetime(session) {}
    }

    @Test("createIntermediateDirectories makes missing folders; without it they are an error, and no file is left")
    func intermediateDirectories() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("content") }
        let folder = try Folder()
        let target = folder.file("a").appendingPathComponent("b/c.txt")
        let temporary = Journal<URL>()
        let session = Session()
        func download(_ options: DownloadRequest.Options) async -> DownloadResponse<URL> {
            let request = session.download(
                server.url(),
                to: { url, _ in
                    temporary.add(url)
                    return (target, options)
                })
            return await request.serializingDownloadedFileURL().response
        }
        let failed = await download([])
        #expect(kind(failed.error) == .downloadedFileMoveFailed && failed.fileURL == nil)
        #expect((failed.error as? FirewheelError)?.underlyingError != nil)
        #expect(try folder.contents.isEmpty && !exists(temporary.entries[0]))
        let made = await download([.createIntermediateDirectories])
        #expect(made.value == target && text(target) == "content")
        withExtendedLifetime(session) {}
    }

    @Test("removePreviousFile replaces a file; without it an existing file is kept, and the download is an error")
    func previousFile() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("new") }
        let folder = try Folder()
        let target = try folder.file("a.txt", holding: "old")
        let session = Session()
        let refused = await session.download(server.url(), to: { _, _ in (target, []) }).serializingDownloadedFileURL().response
        #expect(kind(refused.error) == .downloadedFileMoveFailed && refused.fileURL == nil && text(target) == "old")
        let replaced = await session.download(server.url(), to: { _, _ in (target, [.removePreviousFile]) })
            .serializingDownloadedFileURL().response
        #expect(replaced.value == target && text(target) == "new")
        #expect(try folder.contents == ["a.txt"])
        withExtendedLifetime(session) {}
    }

    /// The previous file is removed only when the new one is complete.
    @Test("A destination that cannot be written is an error, and leaves no temporary file")
    func unwritable() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("new") }
        let folder = try Folder()
        // A file in place of a folder, where not even root can write.
        let target = try folder.file("file", holding: "x").appendingPathComponent("below.txt")
        let temporary = Journal<URL>()
        let session = Session()
        let all: [DownloadRequest.Options] = [[], [.createIntermediateDirectories], [.createIntermediateDirectories, .removePreviousFile]]
        for options in all {
            let request = session.download(
                server.url(),
                to: { url, _ in
                    temporary.add(url)
                    return (target, options)
                })
            let error = await request.serializingDownloadedFileURL().response.error as? FirewheelError
            #expect(error?.kind == .downloadedFileMoveFailed && error?.underlyingError != nil)
        }
        #expect(temporary.count == 3 && temporary.entries.allSatisfy { !exists($0) })
        #expect(text(folder.file("file")) == "x")
        withExtendedLifetime(session) {}
    }

    @Test("A download that cannot be moved to its destination keeps the previous file")
    func failedMove() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("new"))
        let folder = try Folder()
        let target = try folder.file("a.txt", holding: "old")
        let session = Session()
        let request = session.download(
            server.url(),
            to: { temporary, _ in
                // The move fails, as when the destination's disk is full or the temporary folder was cleaned.
                try? FileManager.default.removeItem(at: temporary)
                return (target, [.removePreviousFile])
            })
        let error = await request.serializingDownloadedFileURL().response.error
        #expect(kind(error) == .downloadedFileMoveFailed && text(target) == "old")
        withExtendedLifetime(session) {}
    }

    @Test("A download refused by validation keeps the previous file and leaves no temporary one")
    func refused() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("not found", status: 404) }
        let folder = try Folder()
        let target = try folder.file("a.txt", holding: "old")
        let temporary = Journal<URL?>()
        let session = Session()
        let request = session.download(server.url(), to: { _, _ in (target, [.removePreviousFile]) })
            .validate { _, _, url in
                temporary.add(url)
                return .success(())
            }
            .validate()
        let response = await request.serializingDownloadedFileURL().response
        #expect(kind(response.error) == .responseValidationFailed(.unacceptableStatusCode(404)) && response.fileURL == nil)
        #expect((response.error as? FirewheelError)?.responseData == Data("not found".utf8))
        #expect(try text(target) == "old" && !exists(#require(temporary.entries[0])))
        withExtendedLifetime(session) {}
    }

    @Test("A download with an empty body is an empty file")
    func empty() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text(""), .status(204))
        let session = Session()
        for _ in 0..<2 {
            let file = try await session.download(server.url()).serializingDownloadedFileURL().value
            #expect(try Data(contentsOf: file).isEmpty)
            try FileManager.default.removeItem(at: file)
        }
        withExtendedLifetime(session) {}
    }

    @Test("A download follows redirects, and their bodies are not in its file")
    func redirect() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/from") { _ in
            var response = MockResponse.redirect(to: "/to")
            response.body = Data("this way".utf8)
            return response
        }
        server.route("/to") { _ in .text("the file") }
        let session = Session()
        let response = await session.download(server.url("/from")).serializingString().response
        #expect(response.value == "the file" && response.metrics?.redirectCount == 1)
        try FileManager.default.removeItem(at: try #require(response.fileURL))
        withExtendedLifetime(session) {}
    }
}
