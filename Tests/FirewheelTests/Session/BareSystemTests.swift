#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// A system without `/proc` and `/dev`, like a restricted container. In processes of their own, whose root is an empty folder.
    @Suite("A system without /proc and /dev", .serialized, .enabled(if: geteuid() == 0, "chroot needs root"), .timeLimit(.minutes(5)))
    struct BareSystemTests {
        /// Makes an empty folder this process's root. False if that is not permitted.
        private static func leaveSystem() -> Bool {
            let folder = NSTemporaryDirectory() + "firewheel-bare-\(getpid())"
            // Loads what could not be found later.
            _ = TimeZone.current
            guard mkdir(folder, 0o755) == 0, chroot(folder) == 0, chdir("/") == 0, mkdir("/tmp", 0o755) == 0 else { return false }
            setenv("TMPDIR", "/tmp", 1)
            return true
        }

        /// Removes the folders of processes that have ended.
        private static func cleanUp() {
            let files = FileManager.default
            let names = (try? files.contentsOfDirectory(atPath: NSTemporaryDirectory())) ?? []
            for name in names where name.hasPrefix("firewheel-bare-") {
                try? files.removeItem(atPath: NSTemporaryDirectory() + name)
            }
        }

        @Test("On a bare system a session sends requests with a User-Agent")
        func session() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                guard Self.leaveSystem() else { return }
                #expect(access("/proc/self/exe", F_OK) != 0)
                let server = try MockServer()
                defer { server.shutdown() }
                server.enqueue(.text("x"))
                let session = Session()
                #expect(await session.request(server.url()).raw().text == "x")
                let agent = try #require(try await server.takeRequest().header("User-Agent"))
                #expect(agent.contains("Firewheel/") && !agent.hasPrefix("/"), "\(agent)")
            }
            Self.cleanUp()
        }

        @Test("On a bare system each download has its own temporary file, and a placed one follows the umask")
        func downloads() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                guard Self.leaveSystem() else { return }
                umask(0o026)
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let session = Session()
                for number in 0..<3 {
                    let temporary = await session.download(server.url()).serializingDownloadedFileURL().response
                    #expect(temporary.error == nil)
                    let target = URL(fileURLWithPath: "/\(number).txt")
                    let placed = await session.download(server.url(), to: { _, _ in (target, []) }).serializingDownloadedFileURL().response
                    #expect(placed.value == target)
                    var facts = stat()
                    #expect(stat(target.path, &facts) == 0 && facts.st_mode & 0o777 == 0o640)
                }
                let left = try FileManager.default.contentsOfDirectory(atPath: "/tmp")
                #expect(left.count == 3 && left.allSatisfy { $0.hasPrefix("Firewheel_") }, "\(left)")
            }
            Self.cleanUp()
        }
    }
#endif
