import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `bandwidth(upload:download:)`: bodies take their time, and arrive whole.
@Suite("Bandwidth", .timeLimit(.minutes(5)))
struct BandwidthTests {
    private func seconds(_ work: () async throws -> Void) async rethrows -> TimeInterval {
        let start = MonotonicInstant.now()
        try await work()
        return MonotonicInstant.now().seconds(since: start)
    }

    @Test("An upload is not faster than its limit", arguments: UploadKind.allCases)
    func upload(_ kind: UploadKind) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let body = UploadKind.pattern(120_000)
        server.enqueue(.text("x"))
        let took = try await seconds {
            _ = try await kind.upload(body, to: server.url(), in: Session(), folder: folder).bandwidth(upload: 400_000).serializingData()
                .value
        }
        #expect(took > 0.2)
        #expect(try await server.takeRequest().body == body)
    }

    @Test("A response is not read faster than the limit, in memory and into a file")
    func download() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = UploadKind.pattern(160_000)
        let session = Session()
        server.enqueue(.data(body), .data(body))
        let inMemory = try await seconds {
            let content = try await session.request(server.url()).bandwidth(download: 400_000).serializingData().value
            #expect(content == body)
        }
        let inFile = try await seconds {
            let file = try await session.download(server.url()).bandwidth(download: 400_000).serializingDownloadedFileURL().value
            let content = try Data(contentsOf: file)
            #expect(content == body)
            try? FileManager.default.removeItem(at: file)
        }
        #expect(inMemory > 0.15 && inFile > 0.15, "\(inMemory), \(inFile)")
    }

    @Test("The requests of a session share its limit")
    func session() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        var configuration = SessionConfiguration.default
        configuration.bandwidth = Bandwidth(upload: 400_000, download: 0)
        let session = Session(configuration: configuration)
        let took = try await seconds {
            server.enqueue(.text("x"), .text("x"), .text("x"))
            let tasks = (0..<3).map { _ in session.upload(UploadKind.pattern(40_000), to: server.url()).serializingData() }
            for task in tasks { _ = try await task.value }
        }
        #expect(took > 0.2)
    }

    @Test("An upload that waits for its turn is not idle")
    func turns() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in .text("taken") }
        let session = Session(
            configuration: .with {
                $0.bandwidth = Bandwidth(upload: 1_000)
                $0.maximumConnectionsPerHost = 49
            })
        // A tenth of a second each, so that the last ones wait for longer than their timeout, which is long enough for the server's answer.
        let tasks = (0..<49).map { _ in
            session.upload(UploadKind.pattern(100), to: server.url()).timeout(idle: 4).serializingString()
        }
        let took = try await seconds {
            for task in tasks {
                let text = try await task.value
                #expect(text == "taken")
            }
        }
        #expect(took > 4)
    }
}
