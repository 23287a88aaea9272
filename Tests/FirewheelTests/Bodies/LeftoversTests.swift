import Foundation
import Testing

@testable import Firewheel

/// What a process that died left in the temporary folder is cleared, and nothing else.
@Suite("Left-overs of downloads", .timeLimit(.minutes(5)))
struct LeftoversTests {
    private static let id = String(repeating: "0a", count: 16)
    private static let other = String(repeating: "f", count: 32)

    @Test("The files of a process that died are removed, except those that it gave to its caller")
    func dead() throws {
        let folder = try DownloadTests.Folder()
        _ = try folder.file("Firewheel_\(Self.id).lock", holding: "2\n12\n")
        for number in [1, 2, 3, 12] { _ = try folder.file("Firewheel_\(Self.id)-\(number).tmp", holding: "x") }
        Leftovers.clear(in: folder.url.path)
        #expect(try folder.contents == ["Firewheel_\(Self.id)-12.tmp", "Firewheel_\(Self.id)-2.tmp"])
        Leftovers.clear(in: folder.url.path)
        #expect(try folder.contents.count == 2)
    }

    @Test("Nothing is removed that is in use, without a lock's file, or not exactly of our making")
    func foreign() throws {
        let folder = try DownloadTests.Folder()
        let (id, other) = (Self.id, Self.other)
        // Of a living process: the lock belongs to the open file, also within one process.
        let living = try folder.file("Firewheel_\(other).lock", holding: "")
        let descriptor = open(living.path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(FileLock.take(descriptor))
        var kept = ["Firewheel_\(other)-1.tmp", "Firewheel_\(String(repeating: "1", count: 32))-1.tmp"]
        _ = try folder.file("Firewheel_\(id).lock", holding: "")
        kept += [
            "Firewheel_\(id)-0.tmp", "Firewheel_\(id)-01.tmp", "Firewheel_\(id)-+1.tmp", "Firewheel_\(id)--1.tmp", "Firewheel_\(id)-.tmp",
            "Firewheel_\(id)-1.tmp.tmp", "Firewheel_\(id)-1.txt", "Firewheel_\(id)-9223372036854775808.tmp", "firewheel_\(id)-1.tmp",
            "Firewheel_\(id)-1", "xFirewheel_\(id)-1.tmp", "Firewheel_\(id.uppercased()).lock", "Firewheel_\(id)0.lock", "Firewheel_.lock",
            "Firewheel_\(id)-\u{661}.tmp",
        ]
        for name in kept { _ = try folder.file(name, holding: "x") }
        kept.append(living.lastPathComponent)
        // Neither links, nor directories, nor files with another name.
        let outside = try folder.file("outside", holding: "x")
        try FileManager.default.createSymbolicLink(atPath: folder.file("Firewheel_\(id)-4.tmp").path, withDestinationPath: outside.path)
        try FileManager.default.createDirectory(at: folder.file("Firewheel_\(id)-5.tmp"), withIntermediateDirectories: false)
        #expect(link(outside.path, folder.file("Firewheel_\(id)-6.tmp").path) == 0)
        let linked = "Firewheel_\(String(repeating: "2", count: 32)).lock"
        try FileManager.default.createSymbolicLink(atPath: folder.file(linked).path, withDestinationPath: outside.path)
        kept += ["outside", "Firewheel_\(id)-4.tmp", "Firewheel_\(id)-5.tmp", "Firewheel_\(id)-6.tmp", linked]
        _ = try folder.file("Firewheel_\(id)-7.tmp", holding: "x")
        Leftovers.clear(in: folder.url.path)
        #expect(try folder.contents == kept.sorted())
        #expect(try String(contentsOf: outside, encoding: .utf8) == "x")
    }

    @Test("If it cannot be read which files are the caller's, none is removed")
    func unreadable() throws {
        let folder = try DownloadTests.Folder()
        let lock = folder.file("Firewheel_\(Self.id).lock")
        #expect(FileManager.default.createFile(atPath: lock.path, contents: nil))
        #expect(truncate(lock.path, (16 << 20) + 1) == 0)
        _ = try folder.file("Firewheel_\(Self.id)-1.tmp", holding: "x")
        Leftovers.clear(in: folder.url.path)
        #expect(try folder.contents.count == 2)
    }

    @Test("The lock lasts as long as one of its files is the library's, and notes those that are not")
    func lease() throws {
        let folder = try DownloadTests.Folder()
        func lock() throws -> URL? { try folder.contents.first { $0.hasSuffix(".lock") }.map(folder.file) }
        var files = try (0..<4).map { _ in try TemporaryLease.of(folder.url.path).makeFile().0 }
        let path = try #require(try lock())
        let descriptor = open(path.path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(!FileLock.take(descriptor))
        Leftovers.clear(in: folder.url.path)
        #expect(try folder.contents.count == 5)
        files[0].claim()
        files[0].claim()
        files[1].didMove()
        #expect(try String(contentsOf: path, encoding: .utf8) == "1\n2\n")
        unlink(files[2].url.path)
        files[2].didMove()
        files.removeFirst(3)
        #expect(try lock() == path && String(contentsOf: path, encoding: .utf8) == "1\n2\n")
        files[0].remove()
        #expect(try lock() == nil && folder.contents.count == 2)
        // The lock of a file without a name protects nothing.
        #expect(!FileLock.take(descriptor))
    }

    @Test("A lock's file that somebody removed is no reason to remove others")
    func removedLock() throws {
        let folder = try DownloadTests.Folder()
        let (file, _) = try TemporaryLease.of(folder.url.path).makeFile()
        for name in try folder.contents where name.hasSuffix(".lock") { unlink(folder.file(name).path) }
        Leftovers.clear(in: folder.url.path)
        #expect(try folder.contents == [file.url.lastPathComponent])
        file.remove()
        #expect(try folder.contents == [])
    }

    #if os(Linux)
        /// The folder's name is passed to the process in the exit test.
        @Test("After a process was killed in a download, the next one clears its file, and not that of the caller")
        func killed() async throws {
            let folder = try DownloadTests.Folder()
            let path = folder.url.path
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                ProcessFacts.giveUp(after: 200)
                let (claimed, _) = try TemporaryLease.of(path).makeFile()
                let sink = FileSink(in: URL(fileURLWithPath: path, isDirectory: true))
                claimed.claim()
                sink.write(Data("half".utf8)) { _ in kill(getpid(), SIGKILL) }
                try await Task.sleep(nanoseconds: 60_000_000_000)
            }
            #expect(try folder.contents.count == 3)
            Leftovers.clear(in: path)
            let rest = try folder.contents
            #expect(rest.count == 1 && rest[0].hasSuffix("-1.tmp"))
        }

        @Test(
            "After a process was killed while it copied, there is no part of a file under its name, and the copy is cleared",
            .enabled(if: access("/dev/shm", W_OK) == 0), arguments: [false, true])
        func killedCopy(isPartial: Bool) async throws {
            let base = "/dev/shm/t2-\(UUID().uuidString)"
            let folder = try DownloadTests.Folder()
            let path = folder.url.path
            try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: base) }
            await #expect(processExitsWith: .signal(SIGKILL)) { [base = base as String, path = path as String, isPartial] in
                ProcessFacts.giveUp(after: 200)
                let storage = isPartial ? TestStorage.partial : .temporary
                let (sink, asked) = (storage.makeSink(in: URL(fileURLWithPath: path, isDirectory: true)), Journal<Void>())
                sink.write(Data(count: 3 << 20)) { _ in }
                sink.finish(createIfMissing: true) { _, _ in }
                let target = URL(fileURLWithPath: base + "/a")
                let isAwaited: @Sendable () -> Bool = {
                    asked.add(())
                    // Before the last piece.
                    if asked.count == 5 { kill(getpid(), SIGKILL) }
                    return true
                }
                sink.place(
                    { _ in FilePlacement(url: target, createsFolders: false, replacesFile: true) }, while: isAwaited, commits: { true },
                    done: { _ in })
                try await Task.sleep(nanoseconds: 60_000_000_000)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: base)
            #expect(left.count == 1 && left[0].hasPrefix(".Firewheel_") && left[0].hasSuffix(".copy"))
            try Data().write(to: URL(fileURLWithPath: base + "/.Firewheel_x.copy"))
            Leftovers.clearCopies(in: base)
            #expect(try FileManager.default.contentsOfDirectory(atPath: base) == [".Firewheel_x.copy"])
        }
    #endif
}
