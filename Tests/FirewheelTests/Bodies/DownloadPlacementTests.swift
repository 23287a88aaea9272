import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Which files a download may replace, whatever a server or a destination closure says.
@Suite("Download destinations", .timeLimit(.minutes(5)), .eachStorage)
struct DownloadPlacementTests {
    private let folder: DownloadTests.Folder
    private let temporary: DownloadTests.Folder
    private let server: MockServer
    private let session: Session

    init() throws {
        folder = try DownloadTests.Folder()
        temporary = try DownloadTests.Folder()
        session = Session(configuration: .with { [url = temporary.url] in $0.temporaryDirectory = url })
        server = try MockServer()
        let fields = TestStorage.current.fields
        server.route("/*") { _ in .text("new", headers: fields) }
    }

    private func text(_ url: URL) -> String? { (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) } }

    private static func mode(_ url: URL) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber).intValue
    }

    /// Downloads to a destination, and fails the test if a failed download leaves a temporary file, or no partial one.
    private func download(_ url: URL, _ options: DownloadRequest.Options = []) async -> DownloadResponse<URL> {
        let temporary = Journal<URL>()
        let request = session.download(server.url()) { source, _ in
            temporary.add(source)
            return (url, options)
        }
        let response = await request.serializingDownloadedFileURL().response
        if let source = temporary.entries.first, source != url {
            let isKept = response.error != nil && TestStorage.current == .partial
            #expect(FileManager.default.fileExists(atPath: source.path) == isKept && (response.resumeData != nil) == isKept)
        }
        return response
    }

    private func expectRefused(_ url: URL, _ options: DownloadRequest.Options, saying text: String, line: Int = #line) async {
        let response = await download(url, options)
        let error = response.error as? FirewheelError
        let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(error?.kind == .downloadedFileMoveFailed && response.fileURL == nil, sourceLocation: place)
        #expect(error?.description.contains(text) == true, "\(String(describing: error))", sourceLocation: place)
    }

    // Everything is in the test's own folder, so that a bug removes nothing else.
    @Test("A download never removes a directory at its destination")
    func directories() async throws {
        defer { server.shutdown() }
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: inner.appendingPathComponent("a.txt"))
        let all: DownloadRequest.Options = [.createIntermediateDirectories, .removePreviousFile]
        let destinations = [
            inner, folder.url, URL(fileURLWithPath: inner.path + "/"), URL(fileURLWithPath: inner.path + "/."),
            URL(fileURLWithPath: inner.path).appendingPathComponent(".."), inner.appendingPathComponent(""),
            inner.appendingPathComponent("."), inner.appendingPathComponent("../inner"), folder.file("none").appendingPathComponent(".."),
        ]
        for destination in destinations {
            await expectRefused(destination, all, saying: "a folder is there")
            await expectRefused(destination, [], saying: "a folder is there")
        }
        #expect(text(inner.appendingPathComponent("a.txt")) == "kept")
        #expect(try folder.contents == ["inner"])
    }

    @Test("A destination closure that moved the file itself gets an error that says so", arguments: [false, true])
    func movedByCaller(creates: Bool) async throws {
        defer { server.shutdown() }
        let (target, own) = (folder.file("target"), folder.file("own"))
        let response = await session.download(server.url()) { source, _ in
            try? FileManager.default.moveItem(at: source, to: own)
            return (target, creates ? [.createIntermediateDirectories] : [])
        }.serializingDownloadedFileURL().response
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .downloadedFileMoveFailed && error.description.contains("no longer in its temporary place"), "\(error)")
        #expect(text(own) == "new" && text(target) == nil)
    }

    @Test("A download destination that is not a file path is an error", arguments: ["https://example.com/a.txt", "data:,x"])
    func notAFile(url: String) async throws {
        defer { server.shutdown() }
        await expectRefused(try #require(URL(string: url)), [.removePreviousFile], saying: "is not the URL of a file")
    }

    @Test("A symbolic link at the destination is replaced, not its target; without removePreviousFile it is an error")
    func links() async throws {
        defer { server.shutdown() }
        let (file, inner) = (try folder.file("file", holding: "kept"), folder.file("inner"))
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let targets = [file.path, inner.path, folder.file("nowhere").path, folder.file("loop").path]
        for target in targets {
            // The link is made from a path, because the URL of a link to a directory would be a directory's.
            let link = URL(fileURLWithPath: folder.url.path + "/loop", isDirectory: false)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
            await expectRefused(link, [], saying: "a file is there already")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target)
            #expect(await download(link, [.removePreviousFile]).value == link)
            #expect(text(link) == "new" && (try? FileManager.default.destinationOfSymbolicLink(atPath: link.path)) == nil)
            try FileManager.default.removeItem(at: link)
        }
        #expect(text(file) == "kept")
        #expect(try folder.contents == ["file", "inner"])
    }

    @Test("A FIFO or a socket at the destination is neither replaced nor waited for")
    func special() async throws {
        defer { server.shutdown() }
        let fifo = folder.file("fifo")
        #expect(mkfifo(fifo.path, 0o600) == 0)
        await expectRefused(fifo, [.removePreviousFile], saying: "neither a file nor a symbolic link")
        await expectRefused(fifo, [], saying: "a file is there already")
        let socket = folder.file("s")
        try Self.makeSocket(at: socket.path)
        await expectRefused(socket, [.removePreviousFile], saying: "neither a file nor a symbolic link")
        #expect(try folder.contents == ["fifo", "s"])
    }

    private static func makeSocket(at path: String) throws {
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        try #require(path.utf8.count < capacity)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(result == 0)
    }

    @Test("Symbolic links in the destination's path are followed")
    func parents() async throws {
        defer { server.shutdown() }
        try FileManager.default.createDirectory(at: folder.file("real"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("real"))
        let target = folder.file("link").appendingPathComponent("a/b.txt")
        #expect(await download(target, [.createIntermediateDirectories]).value == target)
        #expect(text(folder.file("real/a/b.txt")) == "new")
    }

    @Test("A destination equal to the temporary file's path leaves the file there")
    func samePlace() async throws {
        defer { server.shutdown() }
        let all: [DownloadRequest.Options] = [[], .removePreviousFile]
        for options in all {
            let response = await session.download(server.url(), to: { url, _ in (url, options) }).serializingDownloadedFileURL().response
            let file = try #require(response.value)
            #expect(text(file) == "new" && response.destinationURL == file)
            // Resume data leads to no file of the caller's.
            #expect(file.deletingLastPathComponent().lastPathComponent == temporary.url.lastPathComponent)
            try FileManager.default.removeItem(at: file)
        }
        // Another hard link to the same file, which rename() would leave with both names.
        let other = folder.file("other")
        let response = await session.download(server.url()) { url, _ in
            link(url.path, other.path)
            return (other, .removePreviousFile)
        }.serializingDownloadedFileURL().response
        #expect(response.value == other && text(other) == "new")
        #expect(try !FileManager.default.fileExists(atPath: #require(response.temporaryURL).path))
    }

    @Test("A new file has the umask's permissions; a replacing one has the old file's, without set-user-ID")
    func permissions() async throws {
        defer { server.shutdown() }
        let sample = try folder.file("sample", holding: "")
        let usual = try Self.mode(sample)
        #expect(usual != 0o600, "with a umask of 077 this test shows nothing")
        let new = folder.file("new")
        #expect(try await download(new).value == new && Self.mode(new) == usual)
        let temporary = try await session.download(server.url()).serializingDownloadedFileURL().value
        #expect(try Self.mode(temporary) == usual)
        try FileManager.default.removeItem(at: temporary)
        for (previous, expected) in [(0o640, 0o640), (0o600, 0o600), (0o444, 0o444), (0o4755, 0o755)] {
            #expect(chmod(new.path, mode_t(previous)) == 0)
            #expect(try await download(new, .removePreviousFile).value == new && Self.mode(new) == expected)
        }
        // A link's own permissions do not count.
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: new)
        #expect(try await download(link, .removePreviousFile).value == link && Self.mode(link) == usual)
    }

    @Test("Until a download is placed, only its owner can read the temporary file")
    func privateFile() async throws {
        defer { server.shutdown() }
        let modes = Journal<Int>()
        let target = folder.file("a")
        let request = session.download(server.url()) { url, _ in
            modes.add((try? Self.mode(url)) ?? -1)
            return (target, [])
        }.validate { _, _, url in
            modes.add(url.flatMap { try? Self.mode($0) } ?? -1)
            return .success(())
        }
        #expect(await request.serializingDownloadedFileURL().response.error == nil)
        #expect(modes.entries == [0o600, 0o600])
    }

    #if os(Linux)
        @Test("A download to another file system is placed like any other", .enabled(if: access("/dev/shm", W_OK) == 0))
        func otherFileSystem() async throws {
            defer { server.shutdown() }
            let base = URL(fileURLWithPath: "/dev/shm/firewheel-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: base) }
            let target = base.appendingPathComponent("a.txt")
            #expect(await download(target).value == target && text(target) == "new")
            try Data("old".utf8).write(to: target)
            chmod(target.path, 0o640)
            await expectRefused(target, [], saying: "a file is there already")
            #expect(text(target) == "old")
            #expect(try await download(target, .removePreviousFile).value == target && text(target) == "new" && Self.mode(target) == 0o640)
            try FileManager.default.createDirectory(at: base.appendingPathComponent("inner"), withIntermediateDirectories: true)
            await expectRefused(base.appendingPathComponent("inner"), .removePreviousFile, saying: "a folder is there")
            #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).sorted() == ["a.txt", "inner"])
        }
    #endif

    @Test("Twelve blocked destination closures do not block another download")
    func blockedDestinations() async throws {
        defer { server.shutdown() }
        let (gate, entered, done) = (DispatchSemaphore(value: 0), Journal<Void>(), Journal<URL?>())
        let folder = folder
        for number in 0..<12 {
            session.download(server.url()) { _, _ in
                entered.add(())
                gate.wait()
                return (folder.file("\(number)"), [])
            }.responseURL(queue: .global()) { done.add($0.value) }
        }
        _ = try await entered.wait(for: 12)
        let target = folder.file("free")
        #expect(await download(target).value == target)
        #expect(done.count == 0)
        for _ in 0..<12 { gate.signal() }
        #expect(try await done.wait(for: 12).compactMap { $0 }.count == 12)
    }

    @Test("A download that is cancelled while its destination closure is blocked leaves no file")
    func cancelledInDestination() async throws {
        defer { server.shutdown() }
        let (gate, entered, done) = (DispatchSemaphore(value: 0), Journal<URL>(), Journal<FirewheelError.Kind?>())
        let target = folder.file("a")
        let request = session.download(server.url()) { url, _ in
            entered.add(url)
            gate.wait()
            return (target, [])
        }.responseURL(queue: .global()) { done.add(kind($0.error)) }
        let temporary = try await entered.wait(for: 1)[0]
        request.cancel()
        gate.signal()
        #expect(try await done.wait(for: 1) == [.explicitlyCancelled])
        // The handler does not wait for the closure, whose file is removed when it returns.
        let folder = folder
        #expect(await eventually { (try? folder.contents)?.isEmpty == true && !FileManager.default.fileExists(atPath: temporary.path) })
    }
}
