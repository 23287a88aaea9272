import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// What a request shows while its validations run.
@Suite("State of a request during its validations", .timeLimit(.minutes(5)))
struct ValidatorViewTests {
    @Test("The body is available during validation")
    func data() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("body"))
        let session = Session()
        let seen = Journal<Data?>()
        let request = session.request(server.url())
        request.validate { [weak request] _, _, _ in
            seen.add(request?.data)
            return .success(())
        }
        #expect(try await request.serializingString().value == "body")
        #expect(seen.entries == [Data("body".utf8)])
        withExtendedLifetime(session) {}
    }

    @Test("The downloaded file is available during validation")
    func file() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("body"))
        let session = Session()
        let seen = Journal<Data?>()
        let request = session.download(server.url())
        request.validate { [weak request] _, _, _ in
            seen.add(request?.fileURL.flatMap { try? Data(contentsOf: $0) })
            return .success(())
        }
        let file = try await request.serializingDownloadedFileURL().value
        #expect(seen.entries == [Data("body".utf8)])
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }
}
