import Foundation
import Testing

@testable import Firewheel
@testable import FirewheelTesting

/// Held heads in a script (``TransportRequest/heldHeads``).
@Suite("StubTransport")
struct StubTransportTests {
    private static let redirect = ResponseHead(statusCode: 302, headers: ["Location": "/b"])

    private struct Run {
        let stub: StubTransport
        let recorder = ConformanceRecorder()
        let id = TransportTaskID(request: 1)

        init(_ heldHeads: TransportRequest.HeldHeads, _ steps: [StubTransport.Step]) throws {
            stub = StubTransport { _ in steps }
            let target = try #require(TargetURI("http://stub.test/"))
            let request = TransportRequest(id: id, method: .get, target: target, delivery: .chunks, heldHeads: heldHeads)
            recorder.expect(request)
            stub.start(request, receiver: recorder)
        }

        var record: ConformanceRecorder.Record { recorder[id] }

        func head() -> ResponseHead? { recorder.wait(id, seconds: 10) { $0.heads.first } }
        func end() -> TransportResult? { recorder.wait(id, seconds: 10) { $0.result } }
    }

    @Test("StubTransport continues a script after a held head once the body is wanted, including events sent in between")
    func deliver() async throws {
        let run = try Run(.statuses([302]), [.response(Self.redirect), .chunk(Data("mo".utf8))])
        await onThreads(1) { _ in
            #expect(run.head()?.statusCode == 302)
            run.stub.send([.chunk(Data("ved".utf8)), .finish()], to: run.id)
            #expect(run.record.batches == 1 && run.record.chunkSizes.isEmpty)
            run.stub.proceed(run.id, .deliver)
            #expect(run.end()?.error == nil)
            #expect(run.record.content == Data("moved".utf8))
            run.stub.proceed(run.id, .discard)
        }
        #expect(run.stub.calls == [.start(run.id), .proceed(run.id, .deliver), .proceed(run.id, .discard)])
        #expect(run.recorder.violations == [])
    }

    @Test("StubTransport delivers no chunks and errors of a discarded body, which need not end")
    func discard() async throws {
        let rests: [[StubTransport.Step]] = [
            [.chunk(Data("moved".utf8)), .finish(body: Data("x".utf8))], [.fail(.bodyTooLarge)], [.wait], [],
        ]
        for rest in rests {
            let run = try Run(.all, [.response(Self.redirect)] + rest)
            await onThreads(1) { _ in
                #expect(run.head()?.statusCode == 302)
                run.stub.proceed(run.id, .discard)
                let result = run.end()
                #expect(result != nil && result?.error == nil && result?.body == nil && result?.head?.statusCode == 302)
                #expect(run.record.chunkSizes.isEmpty)
            }
            #expect(run.recorder.violations == [])
        }
    }

    @Test("StubTransport delivers a head that is not held in one batch with the rest")
    func notHeld() async throws {
        let run = try Run(.statuses([301]), [.response(Self.redirect), .chunk(Data("moved".utf8)), .finish()])
        await onThreads(1) { _ in #expect(run.end()?.error == nil) }
        #expect(run.record.batches == 1)
    }

    @Test("After a cancel StubTransport holds no head")
    func cancelled() async throws {
        let run = try Run(.all, [.response(Self.redirect), .finish()])
        await onThreads(1) { _ in
            #expect(run.head() != nil)
            run.stub.cancel(run.id)
            run.stub.proceed(run.id, .deliver)
            run.stub.send([.fail(.bodyTooLarge)], to: run.id)
            #expect(run.end()?.error == .bodyTooLarge)
        }
    }
}
