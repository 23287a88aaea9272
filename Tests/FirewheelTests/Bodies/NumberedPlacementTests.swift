import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

#if os(Linux)
    import CFirewheelSystem
#endif

/// Files that are named by the server never replace one another.
@Suite("Downloads into a folder", .timeLimit(.minutes(5)), .eachStorage)
struct NumberedPlacementTests {
    private func text(_ url: URL?) -> String? { url.flatMap { try? Data(contentsOf: $0) }.map { String(decoding: $0, as: UTF8.self) } }

    private let temporary: DownloadTests.Folder

    init() throws { temporary = try DownloadTests.Folder() }

    private func session(naming name: String) -> Session {
        var headers = TestStorage.current.headers
        headers.add(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")
        let head = ResponseHead(statusCode: 200, headers: headers)
        return Session(
            configuration: .with { $0.temporaryDirectory = temporary.url },
            transport: StubTransport { _ in
                return [.response(head), .chunk(Data("new".utf8)), .finish(body: nil)]
            })
    }

    private func download(_ name: String, to destination: @escaping DownloadRequest.Destination) async -> DownloadResponse<URL> {
        let session = session(naming: name)
        defer { withExtendedLifetime(session) {} }
        return await session.download("https://a.test/", to: destination).serializingDownloadedFileURL().response
    }

    @Test("A taken name is numbered, whatever has it, and the response has the file's real place")
    func numbered() async throws {
        let folder = try DownloadTests.Folder()
        _ = try folder.file("report.pdf", holding: "old")
        try FileManager.default.createDirectory(at: folder.file("report (2).pdf"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.file("report (3).pdf").path, withDestinationPath: "nowhere")
        let response = await download("../report.pdf", to: DownloadRequest.destination(in: folder.url))
        #expect(
            response.value == folder.file("report (4).pdf") && response.destinationURL == response.value && text(response.value) == "new")
        #expect(await download("other", to: DownloadRequest.destination(in: folder.url)).value == folder.file("other"))
        #expect(text(folder.file("report.pdf")) == "old")
        #expect(try folder.contents == ["other", "report (2).pdf", "report (3).pdf", "report (4).pdf", "report.pdf"])
    }

    @Test("With removePreviousFile the file of that name is replaced, and a directory of that name is an error")
    func replaced() async throws {
        let folder = try DownloadTests.Folder()
        _ = try folder.file("a", holding: "old")
        let destination = DownloadRequest.destination(in: folder.url, options: .removePreviousFile)
        #expect(await download("a", to: destination).value == folder.file("a") && text(folder.file("a")) == "new")
        try FileManager.default.createDirectory(at: folder.file("b"), withIntermediateDirectories: false)
        let error = await download("b", to: destination).error
        #expect(kind(error) == .downloadedFileMoveFailed && "\(error as Any)".contains("a folder is there"))
        #expect(try folder.contents == ["a", "b"])
    }

    @Test("A folder that is not there is made only if the options say so")
    func missingFolder() async throws {
        let folder = try DownloadTests.Folder()
        let inner = folder.file("inner").appendingPathComponent("folder", isDirectory: true)
        let error = await download("a", to: DownloadRequest.destination(in: inner)).error
        #expect("\(error as Any)".contains("no such folder (see .createIntermediateDirectories)"))
        let made = await download("a", to: DownloadRequest.destination(in: inner, options: .createIntermediateDirectories))
        #expect(made.value?.path == inner.appendingPathComponent("a").path)
    }

    @Test("The suggested destination is in the system's folder")
    func suggested() throws {
        let response = try #require(
            HTTPURLResponse(url: try "https://a.test/b/c.txt".asURL(), statusCode: 200, httpVersion: nil, headerFields: nil))
        let temporary = URL(fileURLWithPath: "/tmp/x")
        let (url, options) = DownloadRequest.suggestedDownloadDestination(options: .removePreviousFile)(temporary, response)
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        #expect(url == (documents?.appendingPathComponent("c.txt", isDirectory: false) ?? temporary))
        #expect(options.contains(.removePreviousFile) && !options.contains(.createIntermediateDirectories))
    }

    @Test(
        "Downloads at once to the same name all keep their files",
        arguments: [FileManager.default.temporaryDirectory.path, "/dev/shm"])
    func atOnce(base: String) async throws {
        guard access(base, W_OK) == 0 else { return }
        let folder = URL(fileURLWithPath: "\(base)/t2-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (count, placed) = (24, Journal<URL?>())
        for number in 0..<count {
            let sink = TestStorage.current.makeSink(in: temporary.url)
            sink.write(Data("\(number)".utf8)) { _ in }
            sink.finish(createIfMissing: true) { _, _ in }
            let target = folder.appendingPathComponent("a.txt", isDirectory: false)
            sink.place(
                { _ in FilePlacement(url: target, createsFolders: false, replacesFile: false, numbersName: true) }, while: { true },
                commits: { true }, done: { placed.add(try? $0?.get()) })
        }
        let urls = try await placed.wait(for: count).compactMap(\.self)
        #expect(Set(urls).count == count && Set(urls.compactMap { text($0) }) == Set((0..<count).map(String.init)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == count)
    }

    #if os(Linux)
        @Test("A file is renamed in one step unless the name is taken, by whatever")
        func exclusively() throws {
            let folder = try DownloadTests.Folder()
            let (source, taken) = (try folder.file("source", holding: "new"), try folder.file("taken", holding: "old"))
            let result = fwsystem_rename_exclusively(source.path, folder.file("free").path)
            // Where the system cannot, links are used, as the other tests show.
            guard result != ENOSYS, result != EINVAL else { return }
            #expect(result == 0 && text(folder.file("free")) == "new")
            #expect(fwsystem_rename_exclusively(folder.file("free").path, taken.path) == EEXIST && text(taken) == "old")
            try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "nowhere")
            #expect(fwsystem_rename_exclusively(taken.path, folder.file("link").path) == EEXIST)
            #expect(fwsystem_rename_exclusively(source.path, folder.file("other").path) == ENOENT)
            #expect(try folder.contents == ["free", "link", "taken"])
        }
    #endif

    @Test("Where hard links do not exist, a name that is taken is not replaced either, and a failed move leaves nothing")
    func withoutLinks() throws {
        let folder = try DownloadTests.Folder()
        let (source, taken) = (try folder.file("source", holding: "new"), try folder.file("taken", holding: "old"))
        #expect(throws: PlacementFailure.exists) { try FilePlacement.renameOverReserved(source.path, to: taken.path) }
        try FilePlacement.renameOverReserved(source.path, to: folder.file("free").path)
        #expect(text(folder.file("free")) == "new" && text(taken) == "old")
        #expect(throws: POSIXError.self) { try FilePlacement.renameOverReserved(source.path, to: folder.file("other").path) }
        #expect(try folder.contents == ["free", "taken"])
    }
}
