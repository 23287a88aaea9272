import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A URL that leads to another file than before: `/latest`, or an address of a delivery network.
@Suite("Resumed downloads behind redirects", .timeLimit(.minutes(5)))
struct ResumeRedirectTests {
    private static func redirect(_ target: String) -> ResumeBench.Answer {
        { exchange, _ in try ServedFile.send(302, ["Location: \(target)", "Content-Length: 0"], to: exchange) }
    }

    /// The resume data of `/latest`, lost after 40,000 bytes of what it leads to.
    private func lost(_ bench: ResumeBench, at target: String) async throws -> Data {
        bench.then(Self.redirect(target))
        bench.thenLose(after: 40_000)
        let response = await bench.download(bench.server.url("/latest")).end
        _ = try bench.takeRequests(2)
        return try #require(response.resumeData)
    }

    private static let other = ServedFile.bytes(100_000, seed: 6)

    @Test("Without an ETag, another file of the same date and size is not appended", arguments: [false, true])
    func otherFile(isWithinRequest: Bool) async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(100_000), validator: .lastModified))
        guard isWithinRequest else {
            let data = try await lost(bench, at: "/build-41")
            bench.served.body = Self.other
            bench.then(Self.redirect("/build-42"))
            try await bench.expectFile(resuming: data)
            #expect(try bench.takeRequests(3).map { ServedFile.start($0) } == [39_999, 39_999, nil])
            return
        }
        bench.then(Self.redirect("/build-41"))
        bench.then { [weak bench] exchange, file in
            try file.answer(exchange, count: 40_000)
            bench?.served.body = Self.other
        }
        bench.then(Self.redirect("/build-42"))
        let request = bench.download(bench.server.url("/latest")).retry { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }
        try await bench.expectFile(await request.end)
    }

    @Test("Without an ETag, a redirect that is new or gone makes the download begin again", arguments: [false, true])
    func redirectChanges(isNew: Bool) async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(100_000), validator: .lastModified))
        let data: Data
        if isNew {
            data = try await bench.lost()
            bench.then(Self.redirect("/build-42"))
        } else {
            data = try await lost(bench, at: "/build-41")
        }
        bench.served.body = Self.other
        try await bench.expectFile(resuming: data)
        let requests = try bench.takeRequests(isNew ? 3 : 2)
        #expect(ServedFile.start(requests[requests.count - 1]) == nil)
    }

    @Test("The same URL behind a redirect goes on, also if it is resumed twice")
    func same() async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(100_000), validator: .lastModified))
        var data = try await lost(bench, at: "/build-41?signature=topsecret")
        #expect(!String(decoding: data, as: UTF8.self).contains("build-41"))
        #expect(!String(decoding: data, as: UTF8.self).contains("topsecret"))
        bench.then(Self.redirect("/build-41?signature=topsecret"))
        bench.thenLose(after: 20_001)
        data = try #require(await bench.resume(data).end.resumeData)
        #expect(data.resumeCount == 60_000)
        bench.then(Self.redirect("/build-41?signature=topsecret"))
        try await bench.expectFile(resuming: data)
        #expect(try bench.takeRequests(4).map { ServedFile.start($0) } == [39_999, 39_999, 59_999, 59_999])
    }

    @Test("With an ETag, the file may be anywhere, and another file is not appended", arguments: [false, true])
    func tag(isOther: Bool) async throws {
        let bench = try ResumeBench()
        let data = try await lost(bench, at: "/a?signature=1")
        if isOther { bench.served = ServedFile(body: Self.other, version: 2) }
        bench.then(Self.redirect("/b?signature=2"))
        try await bench.expectFile(resuming: data)
        #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [39_999, 39_999])
    }

    @Test("Resume data that does not say where a file without an ETag came from begins again")
    func unknown() async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(100_000), validator: .lastModified))
        let data = try await bench.lost()
        var read = try ResumeData(data)
        #expect(read.source != nil)
        read.source = nil
        let older = try #require(read.encoded())
        bench.served.body = Self.other
        try await bench.expectFile(resuming: older)
        // An ETag needs no such proof.
        let tagged = try ResumeBench()
        let second = try ResumeData(try await tagged.lost())
        #expect(second.source == nil)
        _ = try bench.takeRequests(2)
    }
}
