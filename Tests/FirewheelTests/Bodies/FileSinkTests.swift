import Foundation
import Testing

@testable import Firewheel

/// The file sink alone, without a request.
@Suite("The file sink of a download", .timeLimit(.minutes(5)))
struct FileSinkTests {
    private func finish(_ sink: FileSink, createIfMissing: Bool = true) async -> (url: URL?, error: FirewheelError?) {
        await withCheckedContinuation { continuation in
            sink.finish(createIfMissing: createIfMissing) { continuation.resume(returning: ($0, $1)) }
        }
    }

    private func place(_ sink: FileSink, at url: URL, isWanted: Bool = true) async -> Result<URL, FirewheelError>? {
        await withCheckedContinuation { continuation in
            sink.place(
                { _ in FilePlacement(url: url, createsFolders: false, replacesFile: false) }, while: { true }, commits: { isWanted },
                done: { continuation.resume(returning: $0) })
        }
    }

    private func discard(_ sink: FileSink) async {
        await withCheckedContinuation { continuation in sink.discard { continuation.resume() } }
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    @Test("A file sink writes its chunks in order and is placed once")
    func written() async throws {
        let folder = try DownloadTests.Folder()
        let (sink, told) = (FileSink(), Journal<Bool>())
        for number in 0..<100 { sink.write(Data("\(number) ".utf8)) { told.add($0 == nil) } }
        let (url, error) = await finish(sink)
        let temporary = try #require(url)
        #expect(error == nil && told.entries == Array(repeating: true, count: 100))
        #expect(FileSink.beginning(of: temporary) == Data((0..<100).map { "\($0) " }.joined().utf8))
        let target = folder.file("a")
        #expect(try await place(sink, at: target)?.get() == target)
        #expect(await place(sink, at: folder.file("b")) == nil)
        await discard(sink)
        #expect(try folder.contents == ["a"] && !exists(temporary))
    }

    @Test("A file sink without a write makes an empty file only if asked to")
    func empty() async throws {
        #expect(await finish(FileSink(), createIfMissing: false).url == nil)
        let sink = FileSink()
        let url = try #require(await finish(sink).url)
        #expect(try Data(contentsOf: url).isEmpty)
        await discard(sink)
        #expect(!exists(url))
    }

    @Test("A discarded file sink leaves no file and ignores later calls")
    func discarded() async throws {
        let folder = try DownloadTests.Folder()
        let sink = FileSink()
        sink.write(Data("x".utf8)) { _ in }
        let temporary = try #require(await finish(sink).url)
        await discard(sink)
        #expect(!exists(temporary))
        sink.write(Data("x".utf8)) { _ in Issue.record("a write after the end") }
        #expect(await place(sink, at: folder.file("a")) == nil)
        #expect(await finish(sink).url == nil)
        let unused = FileSink()
        await discard(unused)
        #expect(await finish(unused).url == nil)
        #expect(try folder.contents.isEmpty)
    }

    @Test("A file sink discarded while the destination closure runs does not move its file")
    func discardedInDestination() async throws {
        let folder = try DownloadTests.Folder()
        let sink = FileSink()
        sink.write(Data("x".utf8)) { _ in }
        let temporary = try #require(await finish(sink).url)
        let target = folder.file("a")
        let result = await withCheckedContinuation { continuation in
            sink.place(
                { _ in
                    sink.discard()
                    return FilePlacement(url: target, createsFolders: false, replacesFile: false)
                }, while: { true }, commits: { true }, done: { continuation.resume(returning: $0) })
        }
        #expect(result == nil && !exists(temporary) && !exists(target))
    }

    @Test("A file sink removes its file when it is no longer wanted")
    func unwanted() async throws {
        let folder = try DownloadTests.Folder()
        let sink = FileSink()
        let temporary = try #require(await finish(sink).url)
        #expect(await place(sink, at: folder.file("a"), isWanted: false) == nil)
        #expect(try folder.contents.isEmpty && !exists(temporary))
    }
}

/// Temporary names must be unique, even without a random device.
@Suite("Names of temporary files")
struct TemporaryNameTests {
    @Test("Temporary names never repeat, and each is a plain file name")
    func unique() async {
        let names = Journal<String>()
        await onThreads(4) { _ in for _ in 0..<2_500 { names.add(TemporaryName.make()) } }
        #expect(Set(names.entries).count == 10_000)
        #expect(names.entries.allSatisfy { $0.utf8.count < 100 && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } })
    }

    @Test("A temporary name that is taken, even by a dangling link, is skipped and not written through")
    func taken() throws {
        let folder = try DownloadTests.Folder()
        _ = try folder.file("0", holding: "kept")
        try FileManager.default.createSymbolicLink(at: folder.file("1"), withDestinationURL: folder.file("nowhere"))
        var number = -1
        let (descriptor, path) = try TemporaryName.open(in: folder.url.path) {
            number += 1
            return "\(number)"
        }
        close(descriptor)
        #expect(path == folder.file("2").path)
        #expect(try String(contentsOf: folder.file("0"), encoding: .utf8) == "kept")
        #expect(try folder.contents == ["0", "1", "2"])
    }

    @Test("If every temporary name is taken, or the folder is missing, opening the file is an error")
    func impossible() throws {
        let folder = try DownloadTests.Folder()
        _ = try folder.file("0", holding: "kept")
        #expect { try TemporaryName.open(in: folder.url.path) { "0" } } throws: { ($0 as? POSIXError)?.code == .EEXIST }
        #expect { try TemporaryName.open(in: folder.file("none").path) { "0" } } throws: { ($0 as? POSIXError)?.code == .ENOENT }
    }

    @Test("If the system does not report the umask, the permissions of new files are found by creating one")
    func probed() throws {
        let folder = try DownloadTests.Folder()
        let sample = try folder.file("sample", holding: "")
        let mode = try #require(try FileManager.default.attributesOfItem(atPath: sample.path)[.posixPermissions] as? NSNumber)
        #expect(FileMode.ofNewFile(probing: folder.url.path) == mode_t(mode.intValue))
        #expect(FileMode.probed(in: folder.url.path) == mode_t(mode.intValue))
        #expect(FileMode.probed(in: folder.file("none").path) == nil)
        #expect(try folder.contents == ["sample"])
    }
}
