import Foundation
import Testing

@testable import Firewheel
@testable import FirewheelTesting

/// Steps of a script that follow the request: its body, its questions, and events only for those who asked.
@Suite("StubTransport and what a request asks for", .timeLimit(.minutes(5)))
struct StubExchangeTests {
    private struct Run {
        let stub: StubTransport
        let recorder: ConformanceRecorder
        let events = Guarded<[String]>([])
        let id = TransportTaskID(request: 1)

        init(_ steps: [StubTransport.Step], _ change: (inout TransportRequest) -> Void = { _ in }) throws {
            stub = StubTransport { _ in steps }
            recorder = ConformanceRecorder { [events] news in events.change { $0 += news.map { Self.text($0.kind) } } }
            let target = try #require(TargetURI("http://stub.test/"))
            var request = TransportRequest(id: id, method: .post, target: target, delivery: .chunks)
            change(&request)
            recorder.expect(request)
            stub.start(request, receiver: recorder)
        }

        /// Waits for the end, and until `events` has it: the recorder records an event first, and passes it on afterwards.
        func end() async -> TransportResult? {
            let isOver = try? await events.wait(timeout: 10) { $0.contains("end") || $0.contains("failure") ? true : nil }
            return isOver == true ? recorder[id].result : nil
        }

        /// Waits until an event has come.
        func came(_ event: String) async -> Bool { (try? await events.wait(timeout: 10) { $0.contains(event) ? true : nil }) == true }

        private static func text(_ kind: TransportEvent.Kind) -> String {
            switch kind {
            case .interim(let head): "interim \(head.statusCode)"
            case .sent(let count): "sent \(count)"
            case .waitingForConnectivity: "waits"
            case .question(.trust(let certificates)): "trust \(certificates.host)"
            case .response(let head, _): "response \(head.statusCode)"
            case .chunk(let data): "chunk \(data.count)"
            case .messages(let messages): "\(messages.count) messages"
            case .webSocket(let event): "\(event)"
            case .finished(let result): result.error == nil ? "end" : "failure"
            }
        }
    }

    private static let question = StubTransport.Step.question(.trust(ServerCertificates(host: "stub.test", chain: [Data([1])])))

    @Test("StubTransport reports interim responses and sent bytes to the requests that ask for them, and trailer fields")
    func reports() async throws {
        let steps: [StubTransport.Step] = [
            .interim(ResponseHead(statusCode: 103)), .sent(5), .response(ResponseHead(statusCode: 200)),
            .finish(body: Data("x".utf8), trailers: ["X-Sum": "1"]),
        ]
        for (interim, sent) in [(false, false), (true, false), (false, true), (true, true)] {
            let run = try Run(steps) {
                $0.reportsInterim = interim
                $0.reportsSent = sent
            }
            #expect(await run.end()?.trailers == ["X-Sum": "1"])
            #expect(
                run.events.with { $0 } == (interim ? ["interim 103"] : []) + (sent ? ["sent 5"] : []) + ["response 200", "chunk 1", "end"])
            #expect(run.recorder.violations == [])
        }
    }

    @Test("StubTransport stands still at a question until it is accepted, or ends with the error of its refusal")
    func questions() async throws {
        let refusal = TransportError.failed(.serverCertificateUntrusted, "the pin does not match")
        for answer in [TransportAnswer.accept, .refuse(refusal)] {
            let run = try Run([Self.question, .response(ResponseHead(statusCode: 200)), .finish()])
            #expect(await run.came("trust stub.test"))
            // Neither is an answer.
            run.stub.proceed(run.id, .deliver)
            run.stub.resume(run.id)
            run.stub.send([.chunk(Data("x".utf8))], to: run.id)
            run.stub.answer(run.id, answer)
            #expect(await run.end()?.error == (answer == .accept ? nil : refusal))
            let expected = answer == .accept ? ["trust stub.test", "response 200", "end"] : ["trust stub.test", "failure"]
            #expect(run.events.with { $0.filter { !$0.hasPrefix("chunk") } } == expected)
            #expect(run.stub.calls.last == .answer(run.id, answer))
            // A second answer has no effect.
            run.stub.answer(run.id, .refuse(refusal))
        }
    }

    @Test("StubTransport holds a head behind an accepted question")
    func questionThenHead() async throws {
        let run = try Run([Self.question, .response(ResponseHead(statusCode: 200)), .finish()]) { $0.heldHeads = .all }
        #expect(await run.came("trust stub.test"))
        run.stub.answer(run.id, .accept)
        #expect(await run.came("response 200"))
        run.stub.answer(run.id, .accept)
        #expect(!run.recorder.isOver(run.id))
        run.stub.proceed(run.id, .deliver)
        #expect(await run.end()?.error == nil)
    }

    @Test("StubTransport reads a body from each kind of source, with its trailer fields")
    func bodies() async throws {
        let body = ConformanceData.pattern(200_000)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-stub-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let trailers: HTTPHeaders = ["X-Sum": "1"]
        let sources: [(BodySource?, StubTransport.ReceivedBody)] = [
            (nil, .init()), (.data(body), .init(data: body)), (.file(file, length: 200_000), .init(data: body)),
            (.file(file, offset: 1_000, length: 70_000), .init(data: body[1_000..<71_000])), (.file(file, offset: 0, length: 0), .init()),
        ]
        for (source, expected) in sources {
            let run = try Run([.readBody, .response(ResponseHead(statusCode: 200)), .finish()]) { $0.bodySource = source }
            #expect(await run.end()?.error == nil)
            #expect(run.stub.receivedBody(of: run.id) == expected)
        }
        for manner in ConformanceStream.Manner.allCases {
            for length in [200_000, nil] as [Int64?] {
                let stream = ConformanceStream(body, length: length, pieces: 30_000, manner, trailers: trailers)
                let run = try Run([.readBody, .response(ResponseHead(statusCode: 200)), .finish()]) { $0.bodySource = .stream(stream) }
                #expect(await run.end()?.error == nil)
                #expect(run.stub.receivedBody(of: run.id) == .init(data: body, trailers: trailers))
                #expect(stream.problem(within: 5) == nil)
            }
        }
    }

    @Test("A body that StubTransport cannot read ends the exchange with an error")
    func badBodies() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-stub-\(UUID().uuidString)")
        try Data("short".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let sources: [BodySource] = [
            .file(file.appendingPathExtension("missing"), length: 1), .file(file, length: 6), .file(file, offset: 9, length: 1),
            .file(file, offset: -1, length: 2), .file(file, offset: 1, length: -1), .file(file, offset: .max, length: .max),
            .file(FileManager.default.temporaryDirectory, length: 1),
        ]
        for source in sources {
            let run = try Run([.readBody, .finish()]) { $0.bodySource = source }
            #expect(await run.end()?.error != nil)
            #expect(run.stub.receivedBody(of: run.id) == nil)
        }
        for length in [99, 101] as [Int64] {
            let stream = ConformanceStream(ConformanceData.pattern(100), length: length, pieces: 10)
            let run = try Run([.readBody, .finish()]) { $0.bodySource = .stream(stream) }
            #expect(await run.end()?.error != nil)
            #expect(stream.problem(within: 5) == nil)
        }
        let failure = TransportError.failed(.cannotDecodeRawData, "the camera is gone")
        let stream = ConformanceStream(length: nil) { $0.offset < 100 ? .data(Data(count: 10)) : .failed(failure) }
        let run = try Run([.readBody, .finish()]) { $0.bodySource = .stream(stream) }
        #expect(await run.end()?.error == failure)
        #expect(stream.problem(within: 5) == nil)
    }

    @Test("StubTransport closes the reader of a body once, on cancel and on its release, and drops the rest of the script")
    func closed() async throws {
        for isReleased in [false, true] {
            let stream = ConformanceStream(length: nil) { _ in nil }
            var run: Run? = try Run([.readBody, .finish()]) { $0.bodySource = .stream(stream) }
            await onThreads(1) { _ in #expect(stream.waitForRead(seconds: 10)) }
            if !isReleased, let run { run.stub.cancel(run.id) }
            let recorder = run?.recorder
            run = nil
            #expect(stream.problem(within: 5) == nil)
            stream.give(.data(Data(count: 1)), within: 0)
            #expect(recorder?.isOver(TransportTaskID(request: 1)) == false)
        }
    }
}
