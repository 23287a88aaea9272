#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("The loop while a certificate store is read", .needsTLSServer, .timeLimit(.minutes(5)))
    struct StoreReadingTests {
        @Test("It sleeps, although the connected socket could be written")
        func sleeps() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let bench = try SecureBench()
                defer { bench.stop() }
                bench.server.route("*") { .text($0.path) }
                let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-idle-\(UUID().uuidString).pem").path
                try #require(mkfifo(pipe, 0o600) == 0)
                defer { unlink(pipe) }
                let session = Session(transport: SocketTransport(configuration: .default, places: TLSStorePlaces(file: pipe)))
                async let secure = session.request(bench.url("/secure")).raw()
                // Succeeds only when somebody reads it: then the connection stands and waits for the store.
                let writer = Locked(Int32(-1))
                try await waitUntil("the reader of the store") {
                    writer.withLock { writer in
                        writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                        return writer >= 0
                    }
                }
                let file = FileHandle(fileDescriptor: writer.withLock { $0 }, closeOnDealloc: true)
                let before = try #require(ProcessFacts.loopTime)
                usleep(300_000)
                let used = try #require(ProcessFacts.loopTime) - before
                #expect(used < 0.1, "the loop used the processor for \(used) of 0.3 seconds")
                try file.write(contentsOf: Data(bench.authority.root.pem.utf8))
                try file.close()
                #expect(await secure.text == "/secure")
            }
        }
    }
#endif
