import Foundation
import Testing

@testable import Firewheel
@testable import FirewheelTesting

/// Bodies from files and streams on URLSession.
@Suite("Uploads on URLSession", .timeLimit(.minutes(5)))
struct URLSessionUploadTests {
    /// Some cases of the conformance suite, which runs completely only in `.ci/deep`.
    private static let cases: [TransportConformance.Case] = {
        let names: Set = [
            "A body from a file is sent completely, with its length", "A part of a file is sent from its offset on",
            "A file that cannot be read is a failure", "A stream of unknown length is sent in chunks",
            "A stream with fewer bytes than its length is a failure, and the connection is closed",
            "A stream with more bytes than its length is a failure",
            "A body that can be repeated is sent again when its reused connection is dead",
            "A body that cannot be repeated, or whose request must not be, is not sent again",
            "A reader is closed once when its request is cancelled while it is asked", "A released transport closes its readers",
            "Sent bytes rise to the length of the body",
        ]
        return (TransportConformance.cases + TransportConformance.featureCases).filter { names.contains($0.name) }
    }()

    @Test("Files and streams are sent with URLSession by the rules for every transport", .serialized, arguments: cases)
    func conforms(to rule: TransportConformance.Case) async throws {
        try await rule.run(within: 240) { URLSessionTransport() }
    }

    @Test("The cases exist")
    func names() {
        #expect(Self.cases.count == 11)
    }

    @Test("With URLSession a body does not wait for a 100, and is not refused for asking to")
    func expectsContinue() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("x"))
        let transport = URLSessionTransport()
        let target = try #require(TargetURI(server.url()))
        var request = TransportRequest(id: TransportTaskID(request: 1), method: .put, target: target)
        request.bodySource = .stream(ConformanceStream(Data("content".utf8), length: 7))
        request.expectsContinue = true
        let result = await Self.fetch(request, transport)
        #expect(result?.error == nil && result?.head?.statusCode == 200)
        let seen = try await server.takeRequest()
        #expect(seen.body == Data("content".utf8))
        #expect(seen.headerValues("Content-Length") == ["7"])
    }

    #if canImport(FoundationNetworking)
        @Test("A request that waits for its stream can be cancelled while it holds up another one, which then goes on")
        func heldUp() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/second") { _ in .text("second") }
            server.route("/first") { _ in .text("first") }
            let transport = URLSessionTransport()
            let stream = ConformanceStream(length: nil) { _ in nil }
            var first = TransportRequest(
                id: TransportTaskID(request: 1), method: .put, target: try #require(TargetURI(server.url("/first"))))
            first.bodySource = .stream(stream)
            let second = TransportRequest(
                id: TransportTaskID(request: 2), method: .get, target: try #require(TargetURI(server.url("/second"))))
            let recorder = ConformanceRecorder()
            let (id, streamed) = (second.id, first)
            await onThreads(1) { _ in
                recorder.expect(streamed)
                recorder.expect(second)
                transport.start(streamed, receiver: recorder)
                #expect(stream.waitForRead(seconds: 20))
                transport.start(second, receiver: recorder)
                transport.cancel(streamed.id)
                #expect(recorder.wait(id, seconds: 20) { $0.result }?.head?.statusCode == 200)
                #expect(stream.problem(within: 10) == nil)
                stream.give(.end(), within: 0)
            }
            #expect(recorder.violations == [])
        }

        @Test("A stream that has no piece for the idle timeout ends its request, because FoundationNetworking's own timeout cannot")
        func idleStream() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("x") }
            let transport = URLSessionTransport()
            let stream = ConformanceStream(length: nil) { _ in nil }
            // Long enough for the stream to be read before FoundationNetworking's own timeout, which is a whole number of seconds.
            var request = TransportRequest(
                id: TransportTaskID(request: 1), method: .put, target: try #require(TargetURI(server.url())), idleTimeout: 2.2)
            request.bodySource = .stream(stream)
            let result = await Self.fetch(request, transport)
            #expect(result?.error == .failed(.timedOut, "timed out, no byte for 2.2 s, waiting for the request's body"))
            #expect(stream.problem(within: 10) == nil)
            #expect(await server.waitForOpenConnections(0))
        }
    #endif

    @Test("A body's pieces have its length: fewer and more bytes are an error, whatever their sizes", arguments: 0...6)
    func meter(size: Int) {
        let body = Data((0..<UInt8(size)).map { $0 })
        for length in [nil, 0, 1, 3, 6, 7] as [Int64?] {
            for cut in 0...size {
                var meter = URLSessionBodyMeter(length: length)
                let problems = [BodyPiece.data(body.prefix(cut)), .data(Data()), .data(body.dropFirst(cut)), .end()]
                    .map { meter.problem(with: $0) }
                let isRight = length.map { $0 == size } ?? true
                #expect(problems.allSatisfy { $0 == nil } == isRight)
                if isRight { #expect(meter.count == size) }
            }
        }
        var meter = URLSessionBodyMeter(length: .max)
        #expect(meter.problem(with: .data(body)) == nil)
        #expect(meter.problem(with: .failed(.bodyTooLarge)) == .bodyTooLarge)
    }

    private static func fetch(_ request: TransportRequest, _ transport: any Transport) async -> TransportResult? {
        let recorder = ConformanceRecorder()
        let result = Guarded<TransportResult?>(nil)
        await onThreads(1) { _ in
            recorder.expect(request)
            transport.start(request, receiver: recorder)
            let end = recorder.wait(request.id, seconds: 20) { $0.result }
            result.change { $0 = end }
        }
        #expect(recorder.violations == [])
        return result.with { $0 }
    }
}
