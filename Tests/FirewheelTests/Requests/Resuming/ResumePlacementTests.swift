import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A download that is complete, but cannot be written: a clear error, and nothing has to be downloaded again.
@Suite("Downloads that cannot be written", .timeLimit(.minutes(5)))
struct ResumePlacementTests {
    enum Obstacle: CaseIterable, Sendable {
        case folderInTheWay, noFolder, exists, fileAsFolder, notWritable

        /// What the error says besides the destination.
        var words: String? {
            switch self {
            case .folderInTheWay: "a folder is there"
            case .noFolder: ".createIntermediateDirectories"
            case .exists: ".removePreviousFile"
            case .fileAsFolder: "not a folder"
            case .notWritable: nil
            }
        }

        func make(in folder: URL) throws -> URL {
            let target = folder.appendingPathComponent("movie.mp4")
            switch self {
            case .folderInTheWay: try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
            case .noFolder: return folder.appendingPathComponent("missing").appendingPathComponent("movie.mp4")
            case .exists: try Data("old".utf8).write(to: target)
            case .fileAsFolder:
                try Data("old".utf8).write(to: target)
                return target.appendingPathComponent("movie.mp4")
            case .notWritable:
                // Not even the superuser creates files there.
                #if os(Linux)
                    if geteuid() == 0 { return URL(fileURLWithPath: "/proc/movie.mp4") }
                #endif
                chmod(folder.path, 0o500)
            }
            return target
        }
    }

    @Test("The error names the destination and what helps, and another destination needs no second download", arguments: Obstacle.allCases)
    func obstacle(_ obstacle: Obstacle) async throws {
        let bench = try ResumeBench()
        let place = bench.folder.file("place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        defer { chmod(place.path, 0o700) }
        let target = try obstacle.make(in: place)
        let before = try FileManager.default.contentsOfDirectory(atPath: place.path)
        let response = await bench.session.download(bench.server.url("/file"), to: { _, _ in (target, []) }).end
        #expect(response.kind == .downloadedFileMoveFailed && response.fileURL == nil)
        let text = "\(try #require(response.error))"
        #expect(
            text.contains("movie.mp4 in \(target.deletingLastPathComponent().path)") && (obstacle.words.map { text.contains($0) } ?? true),
            "\(text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == before)
        let data = try #require(response.resumeData)
        #expect((response.error as? FirewheelError)?.resumeData == data && data.resumeCount == 100_000)
        try await bench.expectNothingLeft(partials: 1)
        _ = try bench.takeRequest()
        try await bench.expectFile(resuming: data)
        #expect(try bench.takeRequest().header("Range") == "bytes=99999-")
    }

    @Test("A file that the caller keeps where it is cannot be reached by resume data, which was saved while it came")
    func keptInPlace() async throws {
        let (bench, goesOn) = (try ResumeBench(), DispatchSemaphore(value: 0))
        bench.then { exchange, file in
            try file.answer(exchange, count: 40_000)
            goesOn.wait()
            try exchange.sendBytes(file.body.dropFirst(40_000))
        }
        let request = bench.session.download(bench.server.url("/file"), to: { url, _ in (url, []) })
        let task = Task { await request.end }
        try await waitUntil("a part") { request.resumeData?.resumeCount == 40_000 }
        let data = try #require(request.resumeData)
        goesOn.signal()
        let response = await task.value
        let file = try #require(response.value)
        #expect(response.destinationURL == file && response.resumeData == nil)
        // Files are removed on another thread.
        try await waitUntil("no other files") { bench.partialFiles.isEmpty && bench.strays == [file.lastPathComponent] }
        let again = await bench.resume(data).end
        #expect(again.value == bench.target)
        #expect(try Data(contentsOf: file) == bench.body && Data(contentsOf: bench.target) == bench.body)
        #expect(try bench.takeRequests(2)[1].header("Range") == nil)
    }

    @Test("A download that cannot be resumed leaves nothing")
    func notResumable() async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(1000), validator: .none))
        let target = try Obstacle.noFolder.make(in: bench.folder.url)
        let response = await bench.session.download(bench.server.url("/file"), to: { _, _ in (target, []) }).end
        #expect(response.kind == .downloadedFileMoveFailed && response.resumeData == nil)
        try await bench.expectNothingLeft()
    }

    #if os(Linux)
        @Test("A full disk is an error that names the folder, and what fits on it is kept", arguments: [false, true])
        func full(isResumed: Bool) async throws {
            // RLIMIT_FSIZE is that of a whole process.
            await #expect(processExitsWith: .success) { [isResumed] in
                ProcessFacts.giveUp(after: 240)
                let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(1_000_000)))
                let request = isResumed ? bench.resume(try await bench.lost(after: 300_000)) : bench.download()
                let usual = ResourceLimit.fileSize.set(500_000)
                let response = await request.end
                ResourceLimit.fileSize.set(usual)
                #expect(response.kind == .downloadedFileWriteFailed)
                let text = "\(try #require(response.error))"
                #expect(text.contains(bench.temporary.path) && text.contains("SessionConfiguration.temporaryDirectory"), "\(text)")
                let data = try #require(response.resumeData)
                let count = try #require(data.resumeCount)
                #expect(count <= 500_000 && count >= (isResumed ? 299_999 : 2))
                try await bench.expectNothingLeft(partials: 1)
                try await bench.expectFile(resuming: data)
            }
        }
    #endif
}
