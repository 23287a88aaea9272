#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// A process that is killed in the middle of a download, and another one that goes on with what it saved.
    @Suite("Downloads of a process that is killed", .timeLimit(.minutes(5)))
    struct ResumeKillTests {
        /// Where the process finds what it needs. It is one text, since an exit test passes only such values.
        private static func plan(_ bench: ResumeBench) -> String {
            [bench.server.url("/file"), bench.temporary.path, bench.folder.file("saved").path].joined(separator: "\n")
        }

        /// A download of a process that is to be killed, resumed from what an earlier one saved.
        private struct Victim {
            let session: Session
            let request: DownloadRequest
            let file: String
            let saved: URL

            init(_ plan: String) throws {
                ProcessFacts.giveUp(after: 240)
                let parts = plan.split(separator: "\n").map(String.init)
                file = parts[0]
                saved = URL(fileURLWithPath: parts[2])
                session = Session(
                    configuration: .with { $0.temporaryDirectory = URL(fileURLWithPath: parts[1], isDirectory: true) })
                if let data = try? Data(contentsOf: saved) {
                    request = session.download(resumingWith: data)
                } else {
                    request = session.download(file)
                }
                request.resume()
            }

            func save() throws { try request.resumeData?.write(to: saved, options: .atomic) }

            func wait(for count: Int64) async throws {
                try await waitUntil("\(count) bytes") { request.resumeData?.resumeCount == count }
            }
        }

        @Test(
            "What was saved is good, however much was downloaded after that",
            arguments: [(1, 1), (1, 60_000), (40_000, 40_000), (40_000, 99_999), (70_000, 70_001), (99_999, 100_000)])
        func savedAndKilled(_ saved: Int, _ killed: Int) async throws {
            let bench = try ResumeBench()
            let file = bench.folder.file("saved").path
            bench.then { exchange, served in
                try served.answer(exchange, count: saved)
                while !FileManager.default.fileExists(atPath: file) { usleep(1000) }
                try exchange.sendBytes(served.body[saved..<killed])
                if killed < served.body.count { exchange.waitForDisconnection() }
            }
            await #expect(processExitsWith: .signal(SIGKILL)) { [plan = Self.plan(bench) as String, saved, killed] in
                let victim = try Victim(plan)
                try await victim.wait(for: Int64(saved))
                try victim.save()
                // At the end, the file is no longer a partial one.
                if killed < 100_000 { try await victim.wait(for: Int64(killed)) }
                kill(getpid(), SIGKILL)
            }
            _ = try bench.takeRequest()
            let data = try Data(contentsOf: bench.folder.file("saved"))
            #expect(data.resumeCount == Int64(saved))
            try await bench.expectTarget(resuming: data)
            if killed < 100_000 { #expect(ServedFile.start(try bench.takeRequest()) == (saved > 1 ? saved - 1 : nil)) }
        }

        @Test("Killed again and again, at any instant, while it saves as often as it can")
        func anyInstant() async throws {
            let bench = try ResumeBench()
            let slow: ResumeBench.Answer = { exchange, file in
                let start = file.start(of: exchange.request) ?? 0
                try file.answer(exchange, count: 0)
                for piece in stride(from: start, to: file.body.count, by: 1000) {
                    try exchange.sendBytes(file.body[piece..<min(file.body.count, piece + 1000)])
                    usleep(1000)
                }
            }
            for _ in 0..<4 {
                bench.then(slow)
                await #expect(processExitsWith: .signal(SIGKILL)) { [plan = Self.plan(bench) as String] in
                    let victim = try Victim(plan)
                    let end = DispatchTime.now() + .milliseconds(.random(in: 5...50))
                    while DispatchTime.now() < end {
                        try victim.save()
                        usleep(100)
                    }
                    kill(getpid(), SIGKILL)
                }
            }
            if let data = try? Data(contentsOf: bench.folder.file("saved")) { try await bench.expectTarget(resuming: data) }
        }

        @Test("The temporary file of a download that cannot be resumed is cleared by the next process, and a partial file is not")
        func leftovers() async throws {
            let bench = try ResumeBench()
            bench.then { exchange, file in
                try file.answer(exchange, count: 40_000)
                exchange.waitForDisconnection()
            }
            bench.server.exchange("/plain") { exchange in
                try ServedFile.send(200, ["Content-Length: 100"], to: exchange)
                try exchange.sendBytes(Data(count: 50))
                exchange.waitForDisconnection()
            }
            await #expect(processExitsWith: .signal(SIGKILL)) { [plan = Self.plan(bench) as String] in
                let victim = try Victim(plan)
                try await victim.wait(for: 40_000)
                try victim.save()
                let plain = victim.session.download(victim.file.replacingOccurrences(of: "/file", with: "/plain"))
                plain.downloadProgress(queue: .global()) { if $0.completedUnitCount == 50 { kill(getpid(), SIGKILL) } }
                plain.resume()
                try await Task.sleep(nanoseconds: 200_000_000_000)
            }
            #expect(bench.partialFiles.count == 1 && bench.strays.count == 2)
            // Any file in the same folder brings the search about.
            bench.served.validator = .none
            let response = await bench.download(bench.server.url("/any")).end
            #expect(response.error == nil)
            try await bench.expectNothingLeft(partials: 1)
            bench.served.validator = .strongTag
            _ = try bench.takeRequests(2)
            try await bench.expectFile(resuming: Data(contentsOf: bench.folder.file("saved")))
            #expect(try bench.takeRequest().header("Range") == "bytes=39999-")
        }
    }

    extension ResumeBench {
        /// Resumes, and expects the server's file; what a killed process left besides may still be there.
        fileprivate func expectTarget(resuming data: Data, _ location: SourceLocation = #_sourceLocation) async throws {
            let response = await resume(data).end
            #expect(response.error == nil, sourceLocation: location)
            #expect(try Data(contentsOf: target) == body, sourceLocation: location)
        }
    }
#endif
