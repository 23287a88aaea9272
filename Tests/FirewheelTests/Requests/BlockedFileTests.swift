import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Work on a download's file runs where it blocks its own request only, not on the delegate queue.
@Suite("Downloads whose file blocks", .timeLimit(.minutes(5)))
struct BlockedFileTests {
    private enum Queue: CaseIterable, Sendable { case own, callers }

    private let url = "http://stub.test/"
    private let handlers = DispatchQueue(label: "test.handlers")

    /// Its files are in a folder of their own: other tests, which read what lies in the system's, would open the FIFOs.
    private let folder: DownloadTests.Folder

    init() throws { folder = try DownloadTests.Folder() }

    private func session(_ transport: ManualTransport, _ queue: Queue) -> Session {
        Session(
            configuration: .with { $0.temporaryDirectory = folder.url }, transport: transport,
            delegateQueue: queue == .own ? nil : DispatchQueue(label: "test.delegate"))
    }

    /// A FIFO in place of a file, where opening and reading wait for the writer.
    private struct Fifo {
        let path: String

        /// Replaces a file by a FIFO.
        init(replacing file: URL) throws {
            path = file.path
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        }

        /// Opens the FIFO for writing once a reader waits.
        func connect() async throws -> FileHandle {
            let descriptor = Locked<Int32>(-1)
            try await waitUntil("a reader of the file") { [path] in
                descriptor.withLock { $0 = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
                return descriptor.withLock { $0 } >= 0
            }
            return FileHandle(fileDescriptor: descriptor.withLock { $0 }, closeOnDealloc: true)
        }
    }

    /// Runs other requests of the session to their end: a plain one, one with a caller's closure, and a failing download.
    private func others(of session: Session, _ transport: ManualTransport) async throws {
        let texts = Journal<String?>()
        let errors = Journal<FirewheelError?>()
        let count = transport.requests.count
        session.request(url).validate().responseString(queue: handlers) { texts.add($0.value) }
        session.request(url).validate { _, _, _ in }.responseString(queue: handlers) { texts.add($0.value) }
        session.download(url).validate().responseURL(queue: handlers) { errors.add($0.error as? FirewheelError) }
        try await waitUntil("three more requests") { transport.requests.count == count + 3 }
        for request in transport.requests.suffix(3) {
            switch request.delivery {
            case .whole: transport.deliver((request.id, .end(body: "x")))
            case .chunks: transport.deliver((request.id, .head(500)), (request.id, .chunk(Data("y".utf8))), (request.id, .end(500)))
            }
        }
        #expect(try await texts.wait(for: 2) == ["x", "x"])
        #expect(try await errors.wait(for: 1).first??.responseData == Data("y".utf8))
    }

    @Test("A blocking validator, or a file that it replaces with a blocking FIFO, does not block other requests", arguments: Queue.allCases)
    private func validation(queue: Queue) async throws {
        let transport = ManualTransport()
        let session = session(transport, queue)
        let (entered, gate) = (Journal<Fifo>(), DispatchSemaphore(value: 0))
        defer { gate.signal() }
        let ended = Journal<DownloadResponse<URL>>()
        let request = session.download(url).validate { _, _, file in
            entered.add(try Fifo(replacing: try #require(file)))
            gate.wait()
            throw SomeError(number: 1)
        }
        request.responseURL(queue: handlers) { ended.add($0) }
        let id = TransportTaskID(request: request.id)
        try await waitUntil("the start") { transport.requests.count == 1 }
        transport.deliver((id, .head()), (id, .chunk(Data("content".utf8))), (id, .end()))
        let fifo = try await entered.wait(for: 1)[0]
        try await others(of: session, transport)
        #expect(ended.count == 0)
        gate.signal()
        // The body of the refused response is read for the error.
        let writer = try await fifo.connect()
        try await others(of: session, transport)
        #expect(ended.count == 0)
        try writer.write(contentsOf: Data("written at last".utf8))
        try writer.close()
        let response = try await ended.wait(for: 1)[0]
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .responseValidationFailed(.customValidationFailed))
        #expect(error.responseData == Data("written at last".utf8))
        #expect(response.fileURL == nil && !FileManager.default.fileExists(atPath: fifo.path))
    }

    @Test("Reading the partial body of a failed download for its error does not block other requests", arguments: Queue.allCases)
    private func failedExchange(queue: Queue) async throws {
        let transport = ManualTransport()
        let session = session(transport, queue)
        let ended = Journal<DownloadResponse<URL>>()
        let request = session.download(url)
        request.responseURL(queue: handlers) { ended.add($0) }
        let id = TransportTaskID(request: request.id)
        try await waitUntil("the start") { transport.requests.count == 1 }
        let part = Data(UUID().uuidString.utf8)
        transport.deliver((id, .head()), (id, .chunk(part)))
        try await waitUntil("the part on disk") { transport.calls.contains(.acknowledge(id, bytes: part.count)) }
        let file = folder.file(try #require(try folder.contents.first { $0.hasSuffix(".tmp") }))
        #expect(try Data(contentsOf: file) == part)
        let fifo = try Fifo(replacing: file)
        transport.deliver((id, .failure(.failed(.networkConnectionLost, "the connection was lost"))))
        let writer = try await fifo.connect()
        try await others(of: session, transport)
        #expect(ended.count == 0)
        try writer.write(contentsOf: Data("a part".utf8))
        try writer.close()
        let response = try await ended.wait(for: 1)[0]
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .transportFailed(.networkConnectionLost) && error.responseData == Data("a part".utf8))
        #expect(response.fileURL == nil && !FileManager.default.fileExists(atPath: fifo.path))
    }
}
