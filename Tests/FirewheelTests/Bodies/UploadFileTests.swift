import Foundation
import Testing

@testable import Firewheel

/// The bytes of files as bodies of requests (`UploadFile`, `FileBodyReader`).
@Suite("Files as bodies", .timeLimit(.minutes(5)))
struct UploadFileTests {
    private static func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    }

    private static func file(_ data: Data, in folder: DownloadTests.Folder) throws -> URL {
        let file = folder.file("body \(UUID().uuidString)")
        try data.write(to: file)
        return file
    }

    private static func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test("A file is read in pieces of at most the bytes asked for, and can be repeated", arguments: [0, 1, 65_536, 200_001])
    func whole(count: Int) async throws {
        let folder = try DownloadTests.Folder()
        let content = Self.bytes(count)
        let body = try UploadFile(Self.file(content, in: folder))
        #expect(body.length == Int64(count) && body.isRepeatable && !body.isUsed)
        for asked in [100_000, 65_536, 10_007] {
            let drained = await DrainedBody.of(body, count: asked)
            #expect(drained.data == content && drained.error == nil && drained.pieces.allSatisfy { (1...asked).contains($0.count) })
        }
        #expect(body.isUsed && body.failure == nil)
    }

    @Test("A part of a file has the bytes of its range, whatever they are asked for by")
    func parts() async throws {
        let folder = try DownloadTests.Folder()
        let content = Self.bytes(5_000)
        let file = try Self.file(content, in: folder)
        for _ in 0..<50 {
            let range = [Int.random(in: 0...5_000), Int.random(in: 0...5_000)].sorted()
            let reader = FileBodyReader(file, offset: Int64(range[0]), length: Int64(range[1] - range[0]))
            var read = Data()
            while let data = await reader.piece(upTo: .random(in: 1...3_000)).data { read += data }
            #expect(read == content[range[0]..<range[1]])
            #expect(await reader.piece().isEnd)
            reader.close()
        }
    }

    @Test("A file with another length than when its body was made is an error", arguments: ["", "conten", "content!", "content and more"])
    func changedBefore(now: String) async throws {
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "content")
        let body = try UploadFile(file)
        _ = try folder.file("a", holding: now)
        let drained = await DrainedBody.of(body)
        #expect(drained.pieces.isEmpty && drained.error != nil && body.failure?.kind == .uploadBodyFailed(.lengthMismatch))
        // The failure of one reader is not that of the next.
        _ = try folder.file("a", holding: "another")
        #expect(await DrainedBody.of(body).data == Data("another".utf8) && body.failure == nil)
    }

    @Test("An empty file that grows is an error")
    func emptyGrows() async throws {
        let folder = try DownloadTests.Folder()
        let body = try UploadFile(folder.file("a", holding: ""))
        _ = try folder.file("a", holding: "x")
        #expect(await DrainedBody.of(body).error != nil && body.failure?.kind == .uploadBodyFailed(.lengthMismatch))
    }

    @Test("A file that grows or shrinks while it is read is an error before its last piece", arguments: [true, false])
    func changedMeanwhile(grows: Bool) async throws {
        let folder = try DownloadTests.Folder()
        // Of three pieces, because one is read ahead.
        let file = try Self.file(Self.bytes(150_000), in: folder)
        let body = try UploadFile(file)
        let drained = try await DrainedBody.of(body, count: 60_000) {
            if grows { try Self.append("more", to: file) } else { try Self.bytes(70_000).write(to: file, options: []) }
        }
        #expect(drained.data.count < 150_000 && drained.error != nil && body.failure?.kind == .uploadBodyFailed(.lengthMismatch))
    }

    #if os(Linux)
        @Test("A file that has more bytes than its size says is an error, not an empty body")
        func sizeless() async throws {
            let url = URL(fileURLWithPath: "/proc/self/status")
            #expect(try UploadFile.size(of: url) == 0)
            #expect(Result { try UploadFile(url) }.failure?.asFirewheelError?.kind == .uploadBodyFailed(.lengthMismatch))
            let form = MultipartFormData()
            form.append(url, withName: "status")
            #expect(throws: FirewheelError.self) { try form.encode() }
        }
    #endif

    @Test("A file that is replaced while it is read is read to its end")
    func replacedMeanwhile() async throws {
        let folder = try DownloadTests.Folder()
        let content = Self.bytes(100_000)
        let file = try Self.file(content, in: folder)
        let body = try UploadFile(file)
        let drained = try await DrainedBody.of(body, count: 60_000) {
            try FileManager.default.removeItem(at: file)
            try Data("another".utf8).write(to: file)
        }
        #expect(drained.data == content && drained.error == nil)
    }

    @Test("A part of a file may be followed by more bytes")
    func partGrows() async throws {
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "content")
        let reader = FileBodyReader(file, offset: 0, length: 3)
        #expect(await reader.piece().data == Data("con".utf8))
        #expect(await reader.piece().isEnd)
        reader.close()
    }

    @Test("What is not a readable regular file is an error that names it, and never waits")
    func unsuitable() async throws {
        let folder = try DownloadTests.Folder()
        let (pipe, missing, later) = (folder.file("pipe"), folder.file("missing"), try folder.file("later", holding: "content"))
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let cases: [(URL, String)] = [
            (pipe, "cannot read pipe for the request's body: it is not a regular file"),
            (missing, "cannot read missing for the request's body: no such file or folder"),
            (URL(fileURLWithPath: "/dev/null"), "cannot read null for the request's body: it is not a regular file"),
            (folder.url, "cannot read \(folder.url.lastPathComponent) for the request's body: it is a folder"),
            (
                try #require(URL(string: "https://user:secret@example.com/file?token=secret#secret")),
                "cannot read https://example.com/file for the request's body: it is not the URL of a file"
            ),
        ]
        for (url, text) in cases {
            let error = Result { try UploadFile(url) }.failure?.asFirewheelError
            #expect(error?.kind == .uploadBodyFailed(.fileReadFailed) && error?.description == text, "\(String(describing: error))")
            let reader = FileBodyReader(url, offset: 0, length: 7)
            #expect(await reader.piece().error == .failed(.requestBodyStreamExhausted, text))
            reader.close()
        }
        #expect(throws: FirewheelError.self) { try UploadFile(folder.file("a\0b")) }
        #expect((Result { try UploadFile(missing) }.failure?.asFirewheelError?.underlyingError as? POSIXError)?.code == .ENOENT)
        // Only when it is opened does it turn out that it is something else.
        let body = try UploadFile(later)
        try FileManager.default.removeItem(at: later)
        try #require(mkfifo(later.path, 0o600) == 0)
        #expect(await DrainedBody.of(body).error != nil && body.failure?.kind == .uploadBodyFailed(.fileReadFailed))
    }

    @Test("A range that no file can have is an error")
    func impossible() async throws {
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "content")
        for (offset, length) in [(0, 8), (7, 1), (-1, 1), (.min, 1), (.max, .max), (1, .max)] as [(Int64, Int64)] {
            for isWhole in [true, false] {
                let reader = FileBodyReader(file, offset: offset, length: length, isWhole: isWhole)
                var piece = await reader.piece()
                while piece.data != nil { piece = await reader.piece() }
                #expect(piece.error != nil, "\(offset), \(length)")
                reader.close()
            }
        }
    }

    #if os(Linux)
        private static func isOpen(_ file: URL) -> Bool {
            let folder = "/proc/self/fd"
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let path = file.resolvingSymlinksInPath().path
            return numbers.contains { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path }
        }

        @Test("A closed reader leaves no descriptor, whatever it has done before")
        func closed() async throws {
            let folder = try DownloadTests.Folder()
            let file = try Self.file(Self.bytes(100_000), in: folder)
            let unread = try UploadFile(file).makeReader()
            unread.close()
            #expect(await unread.piece().isEnd && !Self.isOpen(file))

            let begun = try UploadFile(file).makeReader()
            #expect(await begun.piece(upTo: 10).data?.count == 10)
            #expect(Self.isOpen(file))
            begun.close()
            begun.close()
            #expect(await begun.piece().isEnd)
            try await waitUntil("the file is closed") { !Self.isOpen(file) }

            // Closed at the same time as it is read.
            for _ in 0..<50 {
                let reader = try UploadFile(file).makeReader()
                async let piece = reader.piece()
                reader.close()
                #expect(await piece.error == nil)
            }
            try await waitUntil("the file is closed") { !Self.isOpen(file) }

            // Released without being closed.
            var released: (any BodyReader)? = try UploadFile(file).makeReader()
            _ = await released?.piece(upTo: 10)
            released = nil
            try await waitUntil("the file is closed") { !Self.isOpen(file) }
        }
    #endif
}
