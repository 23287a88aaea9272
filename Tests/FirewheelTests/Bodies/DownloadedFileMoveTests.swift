import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Why a downloaded file could not be moved", .timeLimit(.minutes(5)))
struct DownloadedFileMoveTests {
    private typealias Folder = DownloadTests.Folder
    private typealias Move = FirewheelError.DownloadedFileMove

    /// The failed move, and where the file was.
    private func move(
        to destination: URL, _ options: DownloadRequest.Options = [], validator: @escaping @Sendable (URL?) -> Void = { _ in }
    ) async throws -> (Move, URL) {
        let sources = Journal<URL>()
        let session = Session(transport: StubTransport.answering("x"))
        let request = session.download(
            "http://stub.test/",
            to: { source, _ in
                sources.add(source)
                return (destination, options)
            }
        ).validate { _, _, file in
            validator(file)
            return .success(())
        }
        let error = await request.serializingDownloadedFileURL().response.error as? FirewheelError
        withExtendedLifetime(session) {}
        return (try #require(error?.downloadedFileMove), try #require(sources.entries.first))
    }

    @Test("The error has both places, the reason and the system's number")
    func reasons() async throws {
        let folder = try Folder()
        let file = try folder.file("here.txt", holding: "x")
        let fifo = folder.file("fifo")
        try #require(mkfifo(fifo.path, 0o600) == 0)
        let cases: [(URL, DownloadRequest.Options, Move.Reason, POSIXErrorCode)] = [
            (try #require(URL(string: "https://user:hunter2@localhost/a")), [], .notAFileURL, .EINVAL),
            (folder.file("nowhere/a.txt"), [], .folderMissing, .ENOENT),
            (folder.url, [.removePreviousFile], .folderExists, .EISDIR),
            (file, [], .fileExists, .EEXIST),
            (fifo, [.removePreviousFile], .specialFileExists, .EEXIST),
            (file.appendingPathComponent("a.txt"), [], .systemCallFailed, .ENOTDIR),
            (file.appendingPathComponent("a/b.txt"), [.createIntermediateDirectories], .systemCallFailed, .ENOTDIR),
        ]
        for (destination, options, reason, code) in cases {
            let (move, source) = try await move(to: destination, options)
            #expect(move == Move(source: source, destination: destination, reason: reason, systemError: code), "\(reason)")
        }
    }

    @Test("A file that a validation has removed is missing")
    func missing() async throws {
        let (move, source) = try await move(to: try Folder().file("a.txt")) { file in
            if let file { try? FileManager.default.removeItem(at: file) }
        }
        #expect(move.reason == .sourceMissing && move.source == source && move.systemError == .ENOENT)
    }

    @Test("Other errors have no move")
    func others() { #expect(FirewheelError(.downloadedFileMoveFailed).downloadedFileMove == nil) }
}
