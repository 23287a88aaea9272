#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Held heads (``TransportRequest/heldHeads``) beyond `TransportConformance`: split bytes, and the cost of a head that is not held.
    @Suite("Held heads on the wire", .eachTransport, .timeLimit(.minutes(5)))
    struct HeldHeadTests {
        /// A transport with a recorder of its events and ids for requests.
        private final class Bench: Sendable {
            let transport = TestTransport.current.make(.with { $0.maximumConnectionsPerHost = 2 })
            let recorder = ConformanceRecorder()
            private let count = Locked(0)

            func start(_ url: String, _ change: (inout TransportRequest) -> Void = { _ in }) throws -> TransportTaskID {
                let id = TransportTaskID(
                    request: UInt64(
                        count.withLock { count in
                            count += 1
                            return count
                        }))
                var request = TransportRequest(id: id, method: .get, target: try #require(TargetURI(url)), idleTimeout: 20)
                change(&request)
                recorder.expect(request)
                transport.start(request, receiver: recorder)
                return id
            }

            func head(of id: TransportTaskID) -> ResponseHead? { recorder.wait(id, seconds: 20) { $0.heads.first } }
            func end(of id: TransportTaskID) -> TransportResult? { recorder.wait(id, seconds: 20) { $0.result } }
        }

        @Test("A small response whose head is not held arrives as one event", arguments: [false, true])
        func oneEvent(mayBeHeld: Bool) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("small") }
            let bench = Bench()
            let id = try bench.start(server.url()) { $0.heldHeads = mayBeHeld ? .statuses([301, 302, 303, 307, 308]) : .none }
            #expect(bench.end(of: id)?.body == Data("small".utf8))
            #expect(bench.recorder[id].batches == 1 && bench.recorder[id].heads.isEmpty)
        }

        private static let messages: [(text: String, body: String?)] = [
            ("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved", "moved"),
            ("HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nmo\r\n3;x=y\r\nved\r\n0\r\nX-Sum: 1\r\n\r\n", "moved"),
            ("HTTP/1.1 302 Found\r\nConnection: close\r\n\r\nmoved", "moved"),
            ("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", ""),
            ("HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nmo\r\nQ\r\nved\r\n0\r\n\r\n", nil),
            ("HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nmov", nil),
            ("HTTP/1.1 302 Found\r\nContent-Length: 9\r\n\r\nmoved", nil),
            ("HTTP/1.1 302 Found\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\nmoved", nil),
            ("HTTP/1.1 302 Found\r\nContent-Length: 5\r\nContent-Encoding: nonesuch\r\n\r\nmoved", "moved"),
        ]

        /// When a head is answered: before the rest of the message comes, after it, or after the end of the connection.
        enum Moment: CaseIterable, Sendable { case early, late, closed }

        @Test("Wherever a response is split, its head is held and its body delivered or discarded as asked", arguments: 0..<messages.count)
        func torn(number: Int) async throws {
            let (text, body) = Self.messages[number]
            let headEnd = try #require(text.range(of: "\r\n\r\n")).upperBound.utf16Offset(in: text)
            let bench = Bench()
            let problems = Journal<String>()
            await onThreads(1) { _ in
                do {
                    let server = try HandServer()
                    for cut in headEnd...text.utf16.count {
                        for moment in Moment.allCases {
                            for answer in [TransportRequest.HeldBody.deliver, .discard] {
                                let id = try bench.start(server.url) {
                                    $0.heldHeads = .statuses([302])
                                    $0.delivery = cut % 2 == 0 ? .whole : .chunks
                                }
                                let connection = try server.accept().connection
                                server.write(String(text.prefix(cut)), to: connection)
                                #expect(bench.head(of: id)?.statusCode == 302)
                                if moment == .early { bench.transport.proceed(id, answer) }
                                if cut < text.utf16.count { server.write(String(text.dropFirst(cut)), to: connection) }
                                if moment == .late { bench.transport.proceed(id, answer) }
                                shutdown(connection, Int32(SHUT_RDWR))
                                if moment == .closed { bench.transport.proceed(id, answer) }
                                let result = bench.end(of: id)
                                let content = bench.recorder[id].content + (result?.body ?? Data())
                                let isRight =
                                    switch answer {
                                    case .discard: result?.error == nil && result != nil && content.isEmpty
                                    case .deliver where body == nil: result?.error != nil && Data("moved".utf8).starts(with: content)
                                    case .deliver: result?.error == nil && content == body.map { Data($0.utf8) }
                                    }
                                if !isRight {
                                    problems.add(
                                        "cut at \(cut), \(moment), \(answer): \(String(describing: result?.error)), \(content.count) bytes")
                                }
                            }
                        }
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(problems.entries == [])
            #expect(bench.recorder.violations == [])
        }

        @Test("Excess bytes after a held response are not read as the next response", arguments: [false, true], [false, true])
        func unaskedBytes(isLater: Bool, isDelivered: Bool) async throws {
            let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
            let bench = Bench()
            await onThreads(1) { _ in
                do {
                    let (server, other) = (try HandServer(), try MockServer())
                    defer { other.shutdown() }
                    other.route("*") { _ in .text("other") }
                    let id = try bench.start(server.url) { $0.heldHeads = .all }
                    let first = try server.accept().connection
                    let redirect = "HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nmoved"
                    server.write(redirect + (isLater ? "" : evil), to: first)
                    #expect(bench.head(of: id)?.statusCode == 302)
                    if isLater { server.write(evil, to: first) }
                    // The transport has processed the bytes by the end of this request.
                    #expect(bench.end(of: try bench.start(other.url()))?.error == nil)
                    bench.transport.proceed(id, isDelivered ? .deliver : .discard)
                    #expect(bench.end(of: id)?.error == nil)
                    let next = try bench.start(server.url)
                    let second = try server.accept().connection
                    server.answer("good", on: second, closing: true)
                    #expect(bench.end(of: next)?.body == Data("good".utf8))
                } catch {
                    Issue.record(error)
                }
            }
        }

        @Test("A long body is discarded without reading it, and HEAD keeps its connection")
        func longLength() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse.data(pattern(100_000), status: 302).throttled(bytes: 10, every: 1) }
            let bench = Bench()
            for method in [HTTPMethod.get, .head, .head] {
                let id = try bench.start(server.url()) {
                    $0.method = method
                    $0.heldHeads = .all
                }
                #expect(bench.head(of: id)?.statusCode == 302)
                bench.transport.proceed(id, .discard)
                let result = try #require(bench.end(of: id))
                #expect(result.error == nil && result.body == nil)
                #expect((result.metrics.responseBodyBytesAfterDecoding ?? 0) < 100)
            }
            #expect(server.connectionCount == 2)
        }

        @Test(
            "An upload answered early ends when the held head is delivered or discarded",
            arguments: [TransportRequest.HeldBody.deliver, .discard])
        func earlyAnswer(answer: TransportRequest.HeldBody) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            // The body of the request is never read.
            server.route("*", beforeBody: true) { _ in .text("moved", status: 307) }
            let bench = Bench()
            let id = try bench.start(server.url()) {
                $0.method = .put
                $0.body = pattern(16 << 20)
                $0.heldHeads = .all
            }
            #expect(bench.head(of: id)?.statusCode == 307)
            bench.transport.proceed(id, answer)
            let result = try #require(bench.end(of: id))
            if answer == .discard { #expect(result.error == nil && result.body == nil) }
            #expect(await server.waitForOpenConnections(0))
        }

        @Test("With held heads answered in random order, each request ends once with what was asked for", arguments: [1, 2, 3])
        func randomOrder(seed: UInt64) async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("/small") { _ in .text("body", status: 302) }
            server.route("/chunked") { _ in MockResponse.text("body", status: 302).framed(.chunked([1, 2])) }
            server.route("/slow") { _ in MockResponse.text("body", status: 302).throttled(bytes: 1, every: 0.005) }
            server.route("/late") { _ in MockResponse.text("body", status: 302).delayed(head: 0.01, body: 0.01) }
            server.route("/none") { _ in .status(204) }
            server.route("/cut") { _ in MockResponse.text("body", status: 302).failing(.closeInBody(after: 2)) }
            let bench = Bench()
            await onThreads(1) { _ in
                do {
                    var generator = SeededGenerator(state: seed)
                    var asked: [(id: TransportTaskID, path: String, answer: TransportRequest.HeldBody?, isCancelled: Bool)] = []
                    for _ in 0..<150 {
                        let path = ["/small", "/chunked", "/slow", "/late", "/none", "/cut"].randomElement(using: &generator) ?? "/small"
                        let id = try bench.start(server.url(path)) {
                            $0.heldHeads = .all
                            $0.delivery = Bool.random(using: &generator) ? .whole : .chunks
                        }
                        asked.append((id, path, nil, false))
                        for _ in 0..<4 {
                            let index = Int.random(in: max(0, asked.count - 4)..<asked.count, using: &generator)
                            switch Int.random(in: 0..<7, using: &generator) {
                            case 0: bench.transport.pause(asked[index].id)
                            case 1: bench.transport.resume(asked[index].id)
                            case 2 where Int.random(in: 0..<4, using: &generator) == 0:
                                bench.transport.cancel(asked[index].id)
                                asked[index].isCancelled = true
                            case 3 where asked[index].answer == nil && !bench.recorder[asked[index].id].heads.isEmpty:
                                let answer: TransportRequest.HeldBody = Bool.random(using: &generator) ? .deliver : .discard
                                bench.transport.proceed(asked[index].id, answer)
                                asked[index].answer = answer
                            case 4: usleep(UInt32.random(in: 0..<2_000, using: &generator))
                            default: break
                            }
                        }
                        // The number of connections is limited, so those that block them are released.
                        for index in asked.indices.dropLast(3) {
                            bench.transport.resume(asked[index].id)
                            guard asked[index].answer == nil, !bench.recorder[asked[index].id].heads.isEmpty else { continue }
                            asked[index].answer = .deliver
                            bench.transport.proceed(asked[index].id, .deliver)
                        }
                    }
                    // In no order: one that waits for its head may wait for the connection of another.
                    let deadline = DispatchTime.now() + 60
                    while asked.contains(where: { !$0.isCancelled && !bench.recorder.isOver($0.id) }), DispatchTime.now() < deadline {
                        for index in asked.indices where !bench.recorder.isOver(asked[index].id) {
                            bench.transport.resume(asked[index].id)
                            if !bench.recorder[asked[index].id].heads.isEmpty { bench.transport.proceed(asked[index].id, .deliver) }
                        }
                        usleep(1_000)
                    }
                    for (id, path, answer, isCancelled) in asked where !isCancelled {
                        let result = try #require(bench.recorder[id].result, "\(id) \(path)")
                        let content = bench.recorder[id].content + (result.body ?? Data())
                        switch answer {
                        case .discard:
                            #expect(result.error == nil && content.isEmpty, "\(path)")
                        case .deliver, nil:
                            #expect((result.error == nil) == (path != "/cut"), "\(path)")
                            if path != "/cut" { #expect(content == Data((path == "/none" ? "" : "body").utf8), "\(path)") }
                        }
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(bench.recorder.violations == [])
        }
    }
#endif
