import Foundation
import Testing

@testable import Firewheel

/// The files of downloads that can be resumed: found again by their id, and by nothing else.
@Suite("Partial files of downloads", .timeLimit(.minutes(5)))
struct PartialFileTests {
    private let folder: DownloadTests.Folder
    private let partials: PartialFolder
    private let id = RandomName.make()

    init() throws {
        folder = try DownloadTests.Folder()
        partials = PartialFolder(in: folder.url.path)
    }

    private func write(_ text: String, to sink: FileSink) async -> FirewheelError? {
        await withCheckedContinuation { done in sink.write(Data(text.utf8)) { done.resume(returning: $0) } }
    }

    private func leave(_ sink: FileSink) async -> Int64? {
        await withCheckedContinuation { done in sink.leave { done.resume(returning: $0) } }
    }

    private func reopen(_ sink: FileSink) async -> POSIXErrorCode? {
        switch await withCheckedContinuation({ done in sink.reopen { done.resume(returning: $0) } }) {
        case .opened: nil
        case .unusable(let code): code
        case .failed(let error): (error.underlyingError as? POSIXError)?.code ?? .EIO
        }
    }

    private func discard(_ sink: FileSink, removesReopened: Bool = false) async {
        await withCheckedContinuation { done in sink.discard(removesReopened: removesReopened) { done.resume() } }
    }

    private func resume(_ sink: FileSink, at offset: Int64) async -> FirewheelError? {
        await withCheckedContinuation { done in sink.resume(at: offset) { done.resume(returning: $0) } }
    }

    private func place(_ sink: FileSink, at url: URL) async -> Result<URL, FirewheelError>? {
        sink.finish(createIfMissing: true) { _, _ in }
        return await withCheckedContinuation { done in
            sink.place(
                { _ in FilePlacement(url: url, createsFolders: false, replacesFile: false) }, while: { true }, commits: { true },
                done: { done.resume(returning: $0) })
        }
    }

    private func left(_ text: String) async -> FileSink.Storage {
        let sink = FileSink(in: folder.url, .partial(id))
        #expect(await write(text, to: sink) == nil)
        let count = await leave(sink)
        #expect(count == Int64(text.utf8.count))
        return .resumed(id, count: count ?? -1)
    }

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: partials.path).sorted()) ?? [] }

    @Test("A partial file is left, reopened, continued where the server says, and placed")
    func continued() async throws {
        let sink = FileSink(in: folder.url, await left("The beginning, and mo"))
        #expect(files == [id] && permissions(partials.path) == 0o700 && permissions(partials.path(id)) == 0o600)
        #expect(await reopen(sink) == nil)
        #expect(await resume(sink, at: 20) == nil)
        #expect(await write("more.", to: sink) == nil)
        let target = folder.file("a")
        #expect(try await place(sink, at: target)?.get() == target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "The beginning, and mmore." && files.isEmpty)
        #expect(await leave(sink) == nil)
    }

    private func permissions(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("A partial file that cannot be placed can be left for resuming, or discarded")
    func unplaced() async throws {
        for isLeft in [true, false] {
            let (sink, taken) = (FileSink(in: folder.url, .partial(id)), try folder.file("taken", holding: "x"))
            #expect(await write("whole", to: sink) == nil)
            guard case .failure? = await place(sink, at: taken) else {
                Issue.record("placed over a file")
                return
            }
            #expect(files == [id])
            if isLeft {
                #expect(await leave(sink) == 5)
                let other = FileSink(in: folder.url, .resumed(id, count: 5))
                #expect(await reopen(other) == nil)
                #expect(await resume(other, at: 5) == nil)
                #expect(try await place(other, at: folder.file("a"))?.get() == folder.file("a"))
            } else {
                await withCheckedContinuation { done in sink.discard { done.resume() } }
            }
            #expect(files.isEmpty)
        }
    }

    @Test("A partial file that is kept without a destination leaves its folder and has no special owner any more")
    func kept() async throws {
        let sink = FileSink(in: folder.url, .partial(id))
        #expect(await write("all", to: sink) == nil)
        sink.finish(createIfMissing: true) { _, _ in }
        let kept = await withCheckedContinuation { done in sink.keep(commits: { true }, done: { done.resume(returning: $0) }) }
        let file = try #require(try kept?.get())
        #expect(try files.isEmpty && String(contentsOf: file.url, encoding: .utf8) == "all")
        file.remove()
        #expect(try folder.contents == ["firewheel-partial-\(geteuid())"])
    }

    @Test("If another file has taken its place, a partial file that was only opened is removed, but not one in use elsewhere")
    func replaced() async throws {
        let storage = await left("old")
        let (sink, other) = (FileSink(in: folder.url, storage), FileSink(in: folder.url, storage))
        #expect(await reopen(sink) == nil)
        #expect(await reopen(other) == .EBUSY)
        await discard(other, removesReopened: true)
        #expect(files == [id])
        await discard(sink, removesReopened: true)
        #expect(files.isEmpty)
        #expect(await reopen(FileSink(in: folder.url, storage)) == .ENOENT)
    }

    @Test("What cannot be locked counts as in use, since nobody knows whether it is")
    func unlockable() {
        #expect(FileLock.isTaken(-1) && !FileLock.take(-1))
    }

    @Test("An error that says nothing about the partial file is no reason to give it up")
    func unknown() async throws {
        let storage = await left("old")
        for code in [.EMFILE, .ENFILE, .ENOMEM, .EIO, .EINTR, .ESTALE] as [POSIXErrorCode] { #expect(!PartialFolder.saysUnusable(code)) }
        for code in [.ENOENT, .EBUSY, .EINVAL, .ELOOP, .EACCES] as [POSIXErrorCode] { #expect(PartialFolder.saysUnusable(code)) }
        #expect(await reopen(FileSink(in: folder.url, storage)) == nil)
    }

    @Test("A partial file that is left while the destination closure runs can be gone on with before that returns")
    func leftInDestination() async throws {
        let (sink, gate, isDone) = (FileSink(in: folder.url, .partial(id)), DispatchSemaphore(value: 0), Journal<Bool>())
        let target = folder.file("a")
        #expect(await write("whole", to: sink) == nil)
        sink.finish(createIfMissing: true) { _, _ in }
        let hasBegun = Journal<Bool>()
        sink.place(
            { _ in
                hasBegun.add(true)
                gate.wait()
                return FilePlacement(url: target, createsFolders: false, replacesFile: false)
            }, while: { true }, commits: { true }, done: { isDone.add($0 == nil) })
        _ = try await hasBegun.wait(for: 1)
        #expect(await leave(sink) == 5)
        let other = FileSink(in: folder.url, .resumed(id, count: 5))
        #expect(await reopen(other) == nil)
        #expect(await resume(other, at: 4) == nil)
        gate.signal()
        #expect(try await isDone.wait(for: 1) == [true])
        #expect(files == [id] && !FileManager.default.fileExists(atPath: target.path))
        #expect(await write("er", to: other) == nil)
        #expect(try await place(other, at: target)?.get() == target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "wholer" && files.isEmpty)
    }

    @Test("A destination that is the partial file's own place gets the file under another name, which no resume data leads to")
    func samePlace() async throws {
        let sink = FileSink(in: folder.url, .partial(id))
        #expect(await write("whole", to: sink) == nil)
        let url = try #require(try await place(sink, at: URL(fileURLWithPath: partials.path(id)))?.get())
        #expect(files.isEmpty && url.deletingLastPathComponent().lastPathComponent == folder.url.lastPathComponent)
        #expect(try String(contentsOf: url, encoding: .utf8) == "whole")
        #expect(await reopen(FileSink(in: folder.url, .resumed(id, count: 5))) == .ENOENT)
    }

    @Test("A refused response leaves the partial file as it was, and so does a discarded sink that wrote nothing")
    func unchanged() async throws {
        let storage = await left("old")
        let sink = FileSink(in: folder.url, storage)
        #expect(await reopen(sink) == nil)
        #expect(await leave(sink) == 3)
        let discarded = FileSink(in: folder.url, storage)
        #expect(await reopen(discarded) == nil)
        await withCheckedContinuation { done in discarded.discard { done.resume() } }
        #expect(try String(contentsOfFile: partials.path(id), encoding: .utf8) == "old")
        // One that wrote removes it: a download that is cancelled for good leaves nothing.
        let writing = FileSink(in: folder.url, storage)
        #expect(await reopen(writing) == nil)
        #expect(await resume(writing, at: 2) == nil)
        await withCheckedContinuation { done in writing.discard { done.resume() } }
        #expect(files.isEmpty)
    }

    @Test("A partial file that is in use cannot be opened again, until it is left")
    func inUse() async throws {
        let storage = await left("old")
        let (first, second) = (FileSink(in: folder.url, storage), FileSink(in: folder.url, storage))
        #expect(await reopen(first) == nil)
        #expect(await reopen(second) == .EBUSY)
        #expect(await resume(second, at: 0)?.kind == .downloadedFileWriteFailed)
        // Also when it is complete, and is still to be placed.
        #expect(await resume(first, at: 3) == nil)
        first.finish(createIfMissing: true) { _, _ in }
        #expect(await reopen(FileSink(in: folder.url, storage)) == .EBUSY)
        #expect(await leave(first) == 3)
        #expect(await reopen(FileSink(in: folder.url, storage)) == nil)
    }

    @Test("Nothing is written to a resumed file before it is known where")
    func unpositioned() async throws {
        let storage = await left("old")
        let sink = FileSink(in: folder.url, storage)
        #expect(await reopen(sink) == nil)
        #expect(await write("x", to: sink)?.kind == .downloadedFileWriteFailed)
        let other = FileSink(in: folder.url, .resumed(RandomName.make(), count: 0))
        #expect(await resume(other, at: 0)?.kind == .downloadedFileWriteFailed)
        #expect(try String(contentsOfFile: partials.path(id), encoding: .utf8) == "old")
    }

    @Test("Only an own, regular, long enough file with one name is reopened, and no id leads out of the folder")
    func foreign() async throws {
        _ = await left("old")
        let outside = try folder.file("outside", holding: "precious")
        func code(_ id: String, count: Int64 = 0) -> POSIXErrorCode? {
            #expect(throws: POSIXError.self) { try partials.reopen(id, count: count) }
            return Result { try partials.reopen(id, count: count) }.error?.code
        }
        #expect(code(id, count: 4) == .EINVAL && code(RandomName.make()) == .ENOENT)
        for path in ["../outside", outside.path, "", ".", "..", id + "/", id.uppercased(), "\(id)\0"] { #expect(code(path) == .EINVAL) }
        let (symbolic, hard, fifo, inner) = (RandomName.make(), RandomName.make(), RandomName.make(), RandomName.make())
        #expect(symlink(outside.path, partials.path(symbolic)) == 0 && link(outside.path, partials.path(hard)) == 0)
        #expect(mkfifo(partials.path(fifo), 0o600) == 0 && mkdir(partials.path(inner), 0o700) == 0)
        #expect(code(symbolic) == .ELOOP && code(hard) == .EINVAL && code(fifo) == .ENXIO && code(inner) == .EISDIR)
        #expect(throws: POSIXError.self) { try partials.create(symbolic) }
        #expect(throws: POSIXError.self) { try partials.create("../new") }
        #expect(try String(contentsOf: outside, encoding: .utf8) == "precious")
    }

    @Test("A folder that others can write to, or that is a link, is not used")
    func sharedFolder() async throws {
        let target = folder.file("target")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        #expect(symlink(target.path, partials.path) == 0)
        #expect(throws: POSIXError.self) { try partials.create(id) }
        #expect(unlink(partials.path) == 0 && mkdir(partials.path, 0o700) == 0)
        for mode in [0o770, 0o702, 0o755, 0o701] as [mode_t] {
            #expect(chmod(partials.path, mode) == 0)
            #expect(throws: POSIXError.self) { try partials.create(id) }
            let sink = FileSink(in: folder.url, .partial(id))
            // The download works, but cannot be resumed.
            #expect(await write("x", to: sink) == nil)
            #expect(await leave(sink) == nil)
        }
        #expect(files.isEmpty && (try? folder.contents.count) == 2)
    }

    #if os(Linux)
        @Test("After a failure each piece is answered with the error, and a resumed file is written again")
        func failed() async throws {
            // RLIMIT_FSIZE is that of a whole process.
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 200)
                let bench = try PartialFileTests()
                let sink = FileSink(in: bench.folder.url, .partial(bench.id))
                #expect(await bench.write("The beginning", to: sink) == nil)
                let usual = ResourceLimit.fileSize.set(15)
                #expect(await bench.write(", and more", to: sink)?.kind == .downloadedFileWriteFailed)
                #expect(await bench.write(" and more", to: sink)?.kind == .downloadedFileWriteFailed)
                ResourceLimit.fileSize.set(usual)
                #expect(await bench.write(" and more", to: sink)?.kind == .downloadedFileWriteFailed)
                sink.finish(createIfMissing: false) { _, _ in }
                #expect(await bench.resume(sink, at: 12) == nil)
                #expect(await bench.write("g, and the end", to: sink) == nil)
                #expect(try await bench.place(sink, at: bench.folder.file("a"))?.get() == bench.folder.file("a"))
                #expect(try String(contentsOf: bench.folder.file("a"), encoding: .utf8) == "The beginning, and the end")
            }
        }

        @Test("A partial file survives its process, and is not cleared as a left-over")
        func killed() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String, id = id as String] in
                ProcessFacts.giveUp(after: 200)
                let sink = FileSink(in: URL(fileURLWithPath: path, isDirectory: true), .partial(id))
                sink.write(Data("half".utf8)) { _ in kill(getpid(), SIGKILL) }
                try await Task.sleep(nanoseconds: 60_000_000_000)
            }
            Leftovers.clear(in: folder.url.path)
            Leftovers.clear(in: partials.path)
            let sink = FileSink(in: folder.url, .resumed(id, count: 4))
            #expect(await reopen(sink) == nil)
            #expect(await resume(sink, at: 3) == nil)
            #expect(await write("f done", to: sink) == nil)
            #expect(try await place(sink, at: folder.file("a"))?.get() == folder.file("a"))
            #expect(try String(contentsOf: folder.file("a"), encoding: .utf8) == "half done")
        }
    #endif
}

extension Result {
    fileprivate var error: POSIXError? {
        if case .failure(let error) = self { return error as? POSIXError }
        return nil
    }
}
