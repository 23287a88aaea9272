import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Downloads have all their bytes, or no file.
@Suite("Bodies of downloads", .timeLimit(.minutes(5)))
struct DownloadBodyTests {
    /// Bytes that do not repeat, so that a lost, doubled or misplaced piece is detected.
    static let large: Data = {
        var data = Data(capacity: 20_000_000)
        var generator = SeededGenerator(state: 20)
        while data.count < 20_000_000 { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
        return data
    }()

    @Test(
        "A 20 MB download arrives exactly while it is suspended and resumed",
        arguments: [MockResponse.Framing.contentLength, .chunked(size: 30_000), .untilClose])
    func suspended(framing: MockResponse.Framing) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session()
        let suspensions = Journal<Void>()
        // Again if a download was over before the thread got to suspend it.
        for _ in 0..<10 where suspensions.count == 0 {
            server.enqueue(.data(Self.large).framed(framing).throttled(bytes: 200_000, every: 0.005))
            let done = Journal<DownloadResponse<URL>>()
            let request = session.download(server.url()).responseURL(queue: .global()) { done.add($0) }
            // On a thread of its own, which other tests cannot delay.
            await onThreads(1) { _ in
                var generator = SeededGenerator(state: 5)
                while request.response == nil, done.count == 0 { usleep(200) }
                while done.count == 0 {
                    if request.suspend().isSuspended { suspensions.add(()) }
                    usleep(UInt32.random(in: 0..<5_000, using: &generator))
                    request.resume()
                    usleep(UInt32.random(in: 0..<20_000, using: &generator))
                }
            }
            let file = try #require(try await done.wait(for: 1)[0].value)
            // Compared outside of #expect, which would print the difference.
            let isSame = try Data(contentsOf: file) == Self.large
            #expect(isSame)
            try FileManager.default.removeItem(at: file)
        }
        #expect(suspensions.count > 0)
        withExtendedLifetime(session) {}
    }

    @Test("A suspended download does not finish until it is resumed")
    func held() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let entered = Journal<Void>()
        let gate = DispatchSemaphore(value: 0)
        server.route("/file") { _ in
            entered.add(())
            _ = gate.wait(timeout: .now() + 60)
            return .data(Self.large)
        }
        server.route("/other") { _ in .text("other") }
        let session = Session()
        let done = Journal<DownloadResponse<URL>>()
        let request = session.download(server.url("/file")).responseURL(queue: .global()) { done.add($0) }
        _ = try await entered.wait(for: 1)
        request.suspend()
        // The transport has received the suspension once other requests have completed.
        for _ in 0..<3 { _ = try await session.request(server.url("/other")).serializingString().value }
        gate.signal()
        // The server fills the socket buffers; these requests take long enough for the whole file.
        for _ in 0..<200 { _ = try await session.request(server.url("/other")).serializingString().value }
        #expect(request.isSuspended && done.count == 0)
        request.resume()
        let file = try #require(try await done.wait(for: 1)[0].value)
        let isSame = try Data(contentsOf: file) == Self.large
        #expect(isSame)
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }

    @Test(
        "A download whose body is cut short is an error, and leaves no temporary or destination file",
        arguments: [
            MockFault.closeInBody(after: 500_000), .resetInBody(after: 500_000), .bodyShorter(by: 10), .cutChunk(after: 500_000),
            .missingFinalChunk, .badChunk,
        ])
    func truncated(fault: MockFault) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        // Bytes that identify the file among those of other tests.
        let mark = Data("\(UUID().uuidString)".utf8)
        server.enqueue(.data(mark + Self.large.prefix(1_000_000)).failing(fault))
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("t2-\(UUID().uuidString)")
        let session = Session()
        let response = await session.download(server.url(), to: { _, _ in (target, []) }).serializingDownloadedFileURL().response
        let error = try #require(response.error as? FirewheelError)
        guard case .transportFailed = error.kind else {
            Issue.record("\(error)")
            return
        }
        #expect(response.fileURL == nil && response.temporaryURL == nil && response.statusCode == 200)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        #expect(try temporaryFiles(beginningWith: mark).isEmpty)
        withExtendedLifetime(session) {}
    }

    @Test("A download cancelled in the middle of its body leaves no file")
    func cancelled() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let mark = Data("\(UUID().uuidString)".utf8)
        server.enqueue(.data(mark + Self.large.prefix(700_000)).failing(.endlessBody))
        let session = Session()
        let done = Journal<DownloadResponse<URL>>()
        let request = session.download(server.url()).responseURL(queue: .global()) { done.add($0) }
        try await waitUntil("a file with something in it") { (try? temporaryFiles(beginningWith: mark).count) == 1 }
        request.cancel()
        let response = try await done.wait(for: 1)[0]
        #expect(kind(response.error) == .explicitlyCancelled && response.fileURL == nil)
        #expect(try temporaryFiles(beginningWith: mark).isEmpty)
        withExtendedLifetime(session) {}
    }

    /// The library's temporary files that begin with these bytes.
    private func temporaryFiles(beginningWith mark: Data) throws -> [URL] {
        let folder = FileManager.default.temporaryDirectory
        // Listed by name, because a listing of URLs fails if another test removes a file meanwhile.
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).map(folder.appendingPathComponent).filter { file in
            guard file.lastPathComponent.hasPrefix("Firewheel_"), let handle = try? FileHandle(forReadingFrom: file) else { return false }
            defer { try? handle.close() }
            // An unreadable entry, such as a folder with such a name, does not count.
            return (try? handle.read(upToCount: mark.count)) == mark
        }
    }
}
