import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Resume data and partial files that others have changed: the server's bytes or `resumeDataInvalid`, and no other file is read or written.
@Suite("Tampered resume data", .timeLimit(.minutes(5)))
struct ResumeTamperTests {
    @Test("Data with a changed byte, or cut off, is refused, or means the same")
    func damaged() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        var good = 0
        var damaged = (0..<data.count).map { data.prefix($0) }
        for index in 0..<data.count {
            for mask in [0x01, 0x20, 0x80] as [UInt8] {
                var copy = data
                copy[index] ^= mask
                damaged.append(copy)
            }
        }
        for data in damaged {
            let response = await bench.resume(data).end
            guard response.error != nil else {
                good += 1
                #expect(try Data(contentsOf: bench.target) == bench.body)
                continue
            }
            #expect(response.kind == .resumeDataInvalid && response.resumeData == nil)
        }
        // None of them used the partial file, unless it ended with it.
        if good == 0 { try await bench.expectFile(resuming: data) }
        try await bench.expectNothingLeft()
    }

    @Test("Data that is consistent but wrong ends in the server's bytes, and touches no other file")
    func forged() async throws {
        let bench = try ResumeBench()
        let outside = bench.folder.file("outside")
        try Data("precious".utf8).write(to: outside)
        let genuine = try ResumeData(try await bench.lost())
        func forge(_ change: (inout Forged) -> Void) -> Data? {
            var forged = Forged(genuine)
            change(&forged)
            return forged.data
        }
        let ids = [
            "../../outside", outside.path, "../\(bench.partials.lastPathComponent)/\(genuine.partial)", "", ".", "\(genuine.partial)/",
        ]
        for id in ids {
            let response = await bench.resume(try #require(forge { $0.partial = id })).end
            #expect(response.kind == .resumeDataInvalid, "\(id)")
        }
        let wrong = [
            forge { $0.partial = RandomName.make() }, forge { $0.count = 40_001 }, forge { $0.total = 100_001 }, forge { $0.total = nil },
            forge { $0.validator = .entityTag("\"v2\"") }, forge { $0.validator = nil }, forge { $0.count = 0 },
            forge { $0.count = 100_000 },
            forge { $0.validator = .lastModified("Sun, 06 Nov 1994 08:49:11 GMT", date: "Sun, 06 Nov 1994 09:00:00 GMT") },
            forge { $0.count = 39_000 },
        ]
        for data in wrong {
            // Each uses up the partial file, or leaves it.
            for name in bench.partialFiles { try FileManager.default.removeItem(at: bench.partials.appendingPathComponent(name)) }
            try bench.body.prefix(40_000).write(to: bench.partials.appendingPathComponent(genuine.partial))
            let response = await bench.resume(try #require(data)).end
            #expect(response.error == nil)
            #expect(try Data(contentsOf: bench.target) == bench.body)
        }
        #expect(try String(contentsOf: outside, encoding: .utf8) == "precious")
        let other = bench.server.url("/other")
        #expect(await bench.resume(try #require(forge { $0.url = TargetURI(other) })).end.error == nil)
    }

    /// The members of resume data, to be changed.
    private struct Forged {
        var url: TargetURI?
        var validator: ResumeValidator?
        var total: Int64?
        var count: Int64
        var partial: String

        init(_ data: ResumeData) {
            (url, validator, total, count, partial) = (data.url, data.validator, data.total, data.count, data.partial)
        }

        var data: Data? {
            url.flatMap { ResumeData(url: $0, validator: validator, total: total, count: count, partial: partial).encoded() }
        }
    }

    enum Trick: CaseIterable, Sendable {
        case absent, shorter, longer, symbolicLink, hardLink, fifo, directory, foreignOwner, folderIsLink, folderIsOpen, folderIsFile,
            folderIsGone

        /// Whether the download can go on with what there is.
        var isHarmless: Bool { self == .longer }
    }

    @Test("A partial file that is another, or somebody else's, is not used", arguments: Trick.allCases)
    func tricks(_ trick: Trick) async throws {
        let bench = try ResumeBench()
        let outside = bench.folder.file("outside")
        let precious = Data(repeating: 0x2A, count: 40_000)
        try precious.write(to: outside)
        let data = try await bench.lost()
        let (folder, file) = (bench.partials.path, bench.partials.appendingPathComponent(try ResumeData(data).partial).path)
        let elsewhere = bench.folder.file("elsewhere").path
        switch trick {
        case .absent: unlink(file)
        case .shorter: truncate(file, 39_999)
        case .longer:
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(repeating: 0x2A, count: 100_000))
            try handle.close()
        case .symbolicLink:
            unlink(file)
            symlink(outside.path, file)
        case .hardLink:
            unlink(file)
            link(outside.path, file)
        case .fifo:
            unlink(file)
            mkfifo(file, 0o600)
        case .directory:
            unlink(file)
            mkdir(file, 0o700)
        case .foreignOwner:
            // Only the superuser can give files away.
            guard geteuid() == 0 else { return }
            chown(file, 12_345, 12_345)
        case .folderIsLink:
            rename(folder, elsewhere)
            symlink(elsewhere, folder)
        case .folderIsOpen: chmod(folder, 0o777)
        case .folderIsFile:
            rename(folder, elsewhere)
            try Data().write(to: bench.partials)
        case .folderIsGone: try FileManager.default.removeItem(atPath: folder)
        }
        let response = await bench.resume(data).end
        #expect(response.error == nil)
        #expect(try Data(contentsOf: bench.target) == bench.body && Data(contentsOf: outside) == precious)
        #expect(try bench.takeRequest().header("Range") == (trick.isHarmless ? "bytes=39999-" : nil))
        var facts = stat()
        #expect(lstat(bench.target.path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_nlink == 1)
        try await waitUntil("no stray files") { bench.strays.isEmpty }
    }

    @Test("A partial file that is in use is left to whoever uses it, who ends right")
    func inUse() async throws {
        let bench = try ResumeBench()
        let goesOn = DispatchSemaphore(value: 0)
        bench.then { exchange, file in
            try file.answer(exchange, count: 40_000)
            goesOn.wait()
            try exchange.sendBytes(file.body.dropFirst(40_000))
        }
        let running = bench.session.download(bench.server.url("/file"))
        let task = Task { try await running.serializingData().value }
        try await waitUntil("a part") { running.resumeData?.resumeCount == 40_000 }
        let data = try #require(running.resumeData)
        let second = await bench.resume(data).end
        #expect(second.error == nil)
        #expect(try Data(contentsOf: bench.target) == bench.body)
        goesOn.signal()
        #expect(try await task.value == bench.body)
        #expect(try bench.takeRequests(2).allSatisfy { $0.header("Range") == nil })
        withExtendedLifetime(running) {}
    }
}
