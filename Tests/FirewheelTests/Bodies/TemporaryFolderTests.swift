import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Where the files of downloads are until they are placed, and what happens if they cannot be written there.
@Suite("The temporary folder of downloads", .timeLimit(.minutes(5)))
struct TemporaryFolderTests {
    private func session(_ folder: URL?, body: Data = Data("new".utf8)) -> Session {
        var configuration = SessionConfiguration()
        configuration.temporaryDirectory = folder
        return Session(
            configuration: configuration,
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .chunk(body), .finish(body: nil)] })
    }

    @Test("The files of downloads are in the configuration's folder, and afterwards nothing is left in it")
    func configured() async throws {
        let (folder, target) = (try DownloadTests.Folder(), try DownloadTests.Folder())
        let seen = Journal<[String]>()
        let session = session(folder.url)
        let response = await session.download(
            "https://a.test/",
            to: { url, _ in
                seen.add([url.deletingLastPathComponent().path] + ((try? folder.contents) ?? []))
                return (target.file("a"), [])
            }
        ).serializingDownloadedFileURL().response
        #expect(response.value == target.file("a"))
        let found = try #require(seen.entries.first)
        // The file, and the lock by which later processes know that it is in use.
        #expect(found.count == 3 && found[0] == folder.url.path && found[1].hasSuffix(".tmp") && found[2].hasSuffix(".lock"))
        withExtendedLifetime(session) {}
        let rest = folder
        #expect(await eventually { (try? rest.contents) == [] })
    }

    @Test("A temporary folder that cannot be used is an error that names it and the option, and nothing is written")
    func unusable() async throws {
        let folder = try DownloadTests.Folder()
        let file = try folder.file("file", holding: "x")
        for url in [folder.file("none"), file, try #require(URL(string: "https://example.com/a"))] {
            let session = session(url)
            let error = await session.download("https://a.test/", to: { _, _ in (folder.file("a"), []) }).serializingData().response.error
            #expect(kind(error) == .downloadedFileWriteFailed)
            let text = "\(error as Any)"
            #expect(text.contains(url.isFileURL ? url.path : "https://example.com/a") && text.contains("temporaryDirectory"))
            withExtendedLifetime(session) {}
        }
        #expect(try folder.contents == ["file"])
    }

    @Test("The configuration prints its temporary folder, with secrets redacted")
    func printed() throws {
        var configuration = SessionConfiguration()
        #expect("\(configuration)".contains("temporaryDirectory: nil"))
        configuration.temporaryDirectory = URL(fileURLWithPath: "/var/tmp/downloads", isDirectory: true)
        #expect("\(configuration)".contains("temporaryDirectory: file:///var/tmp/downloads"))
        configuration.temporaryDirectory = URL(string: "https://a:secret@b.test/")
        #expect(!"\(configuration)".contains("secret"))
    }

    #if os(Linux)
        @Test("A file at the process's size limit is an error with EFBIG, and does not end the program")
        func sizeLimit() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 200)
                var limit = rlimit(rlim_cur: 100_000, rlim_max: rlim_t.max)
                #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)
                let folder = try DownloadTests.Folder()
                let session = TemporaryFolderTests().session(folder.url, body: Data(count: 300_000))
                let error = await session.download("https://a.test/").serializingData().response.error as? FirewheelError
                #expect(error?.kind == .downloadedFileWriteFailed && (error?.underlyingError as? POSIXError)?.code == .EFBIG)
                // The same while copying to another file system.
                let target = URL(fileURLWithPath: "/dev/shm/t2-\(UUID().uuidString)")
                if access("/dev/shm", W_OK) == 0 {
                    limit.rlim_cur = rlim_t.max
                    setrlimit(__rlimit_resource_t(1), &limit)
                    let other =
                        await session.download("https://a.test/") { _, _ in
                            var limit = rlimit(rlim_cur: 100_000, rlim_max: rlim_t.max)
                            setrlimit(__rlimit_resource_t(1), &limit)
                            return (target, [])
                        }.serializingData().response.error as? FirewheelError
                    #expect(other?.kind == .downloadedFileMoveFailed && (other?.underlyingError as? POSIXError)?.code == .EFBIG)
                    #expect(!FileManager.default.fileExists(atPath: target.path))
                }
                #expect(await eventually { (try? folder.contents) == [] })
                withExtendedLifetime(session) {}
            }
        }
    #endif
}
