import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The timeouts of event sources: the session's until the server has accepted the connection, none for the whole.
@Suite("Timeouts of event sources", .eachTransport, .timeLimit(.minutes(5)))
struct EventSourceTimeoutTests {
    private static let timeout = 5.0
    /// Longer than the timeout.
    private static let wait = Duration.seconds(6.5)

    private func bench(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> EventBench {
        var configuration = SessionConfiguration.default
        configuration.timeoutIntervalForRequest = Self.timeout
        change(&configuration)
        return try EventBench(configuration)
    }

    /// What keeps a request from its response without being silence of the server.
    private enum Wait: CaseIterable {
        case suspension, redirectHandler
        #if os(Linux)
            case freeConnection
        #endif
    }

    @Test("Before the response, a suspension, the time of a redirect handler and the wait for a free connection do not count")
    func notCounted() async throws {
        try await atOnce(Wait.allCases) { wait in
            switch wait {
            case .suspension: try await suspension()
            case .redirectHandler: try await redirectHandler()
            #if os(Linux)
                case .freeConnection: try await queue()
            #endif
            }
        }
    }

    private func suspension() async throws {
        let (bench, begun, goesOn) = (try bench(), OneShot<Bool>(), DispatchSemaphore(value: 0))
        bench.server.exchange("/") { exchange in
            begun.fulfill(true)
            goesOn.wait()
            try exchange.send(.events("data: x\n\n"))
        }
        defer { goesOn.signal() }
        let source = bench.source(reconnection: .never)
        let events = Task { try await source.all() }
        _ = await begun.value
        await bench.each { $0.suspend() }
        try await Task.sleep(for: Self.wait)
        await bench.each { $0.resume() }
        goesOn.signal()
        #expect(try await events.value.map(\.data) == ["x"])
    }

    private func redirectHandler() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/moved", status: 307), .events("data: x\n\n"))
        let configuration = SessionConfiguration.with { $0.timeoutIntervalForRequest = Self.timeout }
        let session = Session(
            configuration: configuration, transport: TestTransport.current.make(configuration),
            redirectHandler: .modify { _, request, _ in
                try await Task.sleep(for: Self.wait)
                return request
            })
        #expect(try await session.eventSource(server.url(), reconnection: .never).all().map(\.data) == ["x"])
    }

    #if os(Linux)
        private func queue() async throws {
            let (bench, begun, goesOn) = (try bench { $0.maximumConnectionsPerHost = 1 }, OneShot<Bool>(), DispatchSemaphore(value: 0))
            bench.server.exchange("/busy") { exchange in
                begun.fulfill(true)
                goesOn.wait()
                try exchange.send(.text("done"))
            }
            defer { goesOn.signal() }
            bench.respond(.events("data: x\n\n"))
            async let busy = bench.session.request(bench.server.url("/busy")).timeout(idle: 60).raw()
            _ = await begun.value
            let source = bench.source(reconnection: .never)
            let events = Task { try await source.all() }
            try await Task.sleep(for: Self.wait)
            goesOn.signal()
            #expect(try await events.value.map(\.data) == ["x"])
            #expect(await busy.statusCode == 200)
        }
    #endif

    @Test("An adapter's timeout counts until the response")
    func adapterTimeout() async throws {
        let bench = try EventBench()
        bench.server.exchange("/") { $0.waitForDisconnection() }
        let source = bench.source(reconnection: .never, interceptor: Adapter { request, _ in request.timeoutInterval = 1 })
        let error = await #expect(throws: FirewheelError.self) { try await source.all() }
        #expect(error?.isTimeout == true)
    }

    @Test("A resource timeout of the session ends no source")
    func noResourceTimeout() async throws {
        let bench = try bench {
            $0.timeoutIntervalForRequest = 60
            $0.timeoutIntervalForResource = 1.5
        }
        bench.server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            #expect(!exchange.hasInput(within: 2.5))
            try exchange.sendChunk(Data("data: late\n\n".utf8))
            try exchange.endChunks()
        }
        #expect(try await bench.source(reconnection: .never).all().map(\.data) == ["late"])
        // While another stream of the session has it.
        bench.server.exchange("/other") { exchange in
            try exchange.sendHead()
            exchange.waitForDisconnection()
        }
        let error = await #expect(throws: FirewheelError.self) {
            for try await _ in bench.session.streamRequest(bench.server.url("/other")).streamTask().streamingData() {}
        }
        #expect(error?.isTimeout == true)
    }
}
