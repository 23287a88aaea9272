import Foundation
import Testing

@testable import Firewheel

/// Until when the placing of a file can be cancelled.
@Suite("Cancelling while a download is being placed", .timeLimit(.minutes(5)), .eachStorage)
struct PlacementCommitTests {
    private let temporaryFolder: DownloadTests.Folder

    init() throws { temporaryFolder = try DownloadTests.Folder() }

    private func filled() async throws -> (sink: FileSink, temporary: URL) {
        let sink = TestStorage.current.makeSink(in: temporaryFolder.url)
        // More than one chunk of a copy.
        sink.write(Data(repeating: 1, count: 3 << 20)) { _ in }
        let url = await withCheckedContinuation { continuation in
            sink.finish(createIfMissing: true) { url, _ in continuation.resume(returning: url) }
        }
        return (sink, try #require(url))
    }

    /// Expects that a temporary file is gone if it was not placed. A partial one stays, and is removed here.
    private func expectAborted(_ sink: FileSink, _ temporary: URL, _ location: SourceLocation = #_sourceLocation) async {
        #expect(
            FileManager.default.fileExists(atPath: temporary.path) == (TestStorage.current == .partial), sourceLocation: location)
        await withCheckedContinuation { continuation in sink.discard { continuation.resume() } }
        #expect(!FileManager.default.fileExists(atPath: temporary.path), sourceLocation: location)
    }

    private func place(
        _ sink: FileSink, at url: URL, isAwaited: @escaping @Sendable () -> Bool = { true }, commits: @escaping @Sendable () -> Bool,
        asked: Journal<URL> = Journal()
    ) async -> Result<URL, FirewheelError>? {
        await withCheckedContinuation { continuation in
            sink.place(
                { temporary in
                    asked.add(temporary)
                    return FilePlacement(url: url, createsFolders: false, replacesFile: true)
                }, while: isAwaited, commits: commits, done: { continuation.resume(returning: $0) })
        }
    }

    @Test("A cancelled download does not call its destination closure")
    func unawaited() async throws {
        let folder = try DownloadTests.Folder()
        let (sink, temporary) = try await filled()
        let asked = Journal<URL>()
        #expect(await place(sink, at: folder.file("a"), isAwaited: { false }, commits: { true }, asked: asked) == nil)
        #expect(asked.count == 0)
        await expectAborted(sink, temporary)
        #expect(try folder.contents.isEmpty)
    }

    @Test("No folder is created if the download is cancelled before its destination closure returns")
    func unawaitedFolder() async throws {
        let folder = try DownloadTests.Folder()
        let (sink, temporary) = try await filled()
        let target = folder.file("made").appendingPathComponent("a")
        let asked = Journal<URL>()
        let result = await withCheckedContinuation { continuation in
            sink.place(
                { temporary in
                    asked.add(temporary)
                    return FilePlacement(url: target, createsFolders: true, replacesFile: true)
                }, while: { asked.count == 0 }, commits: { true }, done: { continuation.resume(returning: $0) })
        }
        #expect(result == nil && asked.entries == [temporary])
        await expectAborted(sink, temporary)
        #expect(try folder.contents.isEmpty)
    }

    @Test("Within one file system, placing asks whether to commit right before the rename")
    func sameFileSystem() async throws {
        let folder = try DownloadTests.Folder()
        let target = try folder.file("a", holding: "old")
        let (sink, temporary) = try await filled()
        let asked = Journal<Bool>()
        let result = await place(
            sink, at: target,
            commits: {
                asked.add(FileManager.default.fileExists(atPath: temporary.path))
                return false
            })
        #expect(result == nil && asked.entries == [true])
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        await expectAborted(sink, temporary)
    }

    #if os(Linux)
        /// A folder on another file system than the temporary folder.
        private func otherFileSystem() throws -> URL {
            let base = URL(fileURLWithPath: "/dev/shm/firewheel-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
            return base
        }

        private static let hasOther = access("/dev/shm", W_OK) == 0

        @Test("Across file systems, the file is copied first, and placing asks whether to commit before the rename", .enabled(if: hasOther))
        func copied() async throws {
            let base = try otherFileSystem()
            defer { try? FileManager.default.removeItem(at: base) }
            let target = base.appendingPathComponent("a")
            for commits in [false, true] {
                try Data("old".utf8).write(to: target)
                let (sink, temporary) = try await filled()
                let seen = Journal<[String: Int]>()
                let result = await place(
                    sink, at: target,
                    commits: {
                        let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
                        let sizes = names.map { name in
                            let path = base.appendingPathComponent(name).path
                            return (name.hasPrefix(".") ? "copy" : name, (try? Data(contentsOf: URL(fileURLWithPath: path)).count) ?? -1)
                        }
                        seen.add(Dictionary(sizes, uniquingKeysWith: +))
                        return commits
                    })
                #expect(try result?.get() == (commits ? target : nil))
                #expect(seen.entries == [["a": 3, "copy": 3 << 20]])
                #expect(try Data(contentsOf: target).count == (commits ? 3 << 20 : 3))
                if commits {
                    #expect(!FileManager.default.fileExists(atPath: temporary.path))
                } else {
                    await expectAborted(sink, temporary)
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: base.path) == ["a"])
            }
        }

        @Test("A copy to another file system is abandoned when the download is cancelled", .enabled(if: hasOther))
        func abandonedCopy() async throws {
            let base = try otherFileSystem()
            defer { try? FileManager.default.removeItem(at: base) }
            let (sink, temporary) = try await filled()
            let asked = Journal<Bool>()
            // Asked before the destination closure, after it, and before the first chunk of the copy.
            let isAwaited: @Sendable () -> Bool = {
                asked.add(true)
                return asked.count <= 3
            }
            let result = await place(
                sink, at: base.appendingPathComponent("a"), isAwaited: isAwaited,
                commits: {
                    Issue.record("asked for a copy that is not whole")
                    return false
                })
            #expect(result == nil && asked.count == 4)
            await expectAborted(sink, temporary)
            #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
        }
    #endif
}
