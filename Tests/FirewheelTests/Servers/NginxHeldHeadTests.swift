#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Held heads (``TransportRequest/heldHeads``) over HTTP/1.1, TLS and HTTP/2.
    @Suite("nginx: held heads", .needs(.tls), .needs(.frames), .timeLimit(.minutes(5)))
    struct NginxHeldHeadTests {
        private struct Bench: Sendable {
            let server: TestServer
            let transport: SocketTransport
            let recorder: ConformanceRecorder

            init(_ server: TestServer) throws {
                self.server = server
                let authority = try #require(ProcessInfo.processInfo.environment["FIREWHEEL_TEST_CA"])
                let transport = SocketTransport(configuration: .default, places: TLSStorePlaces(file: authority))
                self.transport = transport
                recorder = ConformanceRecorder { [weak transport] events in
                    for event in events {
                        if case .chunk(let data) = event.kind { transport?.acknowledge(event.id, bytes: data.count) }
                    }
                }
            }

            func start(_ number: UInt64, _ path: String, _ change: (inout TransportRequest) -> Void = { _ in }) throws -> TransportTaskID {
                let target = try #require(TargetURI(try server.url(path)))
                var request = TransportRequest(
                    id: TransportTaskID(request: number), method: .get, target: target, delivery: .chunks, heldHeads: .all)
                change(&request)
                recorder.expect(request)
                transport.start(request, receiver: recorder)
                return request.id
            }

            func head(of id: TransportTaskID) -> ResponseHead? { recorder.wait(id, seconds: 20) { $0.heads.first } }
            func end(of id: TransportTaskID) -> TransportResult? { recorder.wait(id, seconds: 20) { $0.result } }
        }

        @Test("A redirect whose body is discarded leaves its connection to the next request", arguments: TestServer.everyProtocol)
        func redirect(server: TestServer) async throws {
            let bench = try Bench(server)
            await onThreads(1) { _ in
                do {
                    for number in stride(from: 1, to: 40, by: 2) {
                        let id = try bench.start(UInt64(number), "/redirect/302")
                        #expect(bench.head(of: id)?.statusCode == 302)
                        bench.transport.proceed(id, .discard)
                        let result = try #require(bench.end(of: id))
                        #expect(result.error == nil && result.body == nil)
                        let next = try bench.start(UInt64(number + 1), "/file") {
                            $0.heldHeads = .none
                            $0.delivery = .whole
                        }
                        let answer = try #require(bench.end(of: next))
                        #expect(answer.error == nil && answer.body == fileContent)
                        #expect(answer.metrics.isReusedConnection == true)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(bench.recorder.violations == [])
        }

        @Test("A long body delivered after a held head is complete", arguments: TestServer.everyProtocol, ["/lines", "/gzip/lines"])
        func delivered(server: TestServer, path: String) async throws {
            let bench = try Bench(server)
            await onThreads(1) { _ in
                do {
                    for delivery in [TransportRequest.Delivery.chunks, .whole] {
                        let id = try bench.start(delivery == .whole ? 1 : 2, path) {
                            $0.delivery = delivery
                            $0.headers["Accept-Encoding"] = "gzip"
                        }
                        #expect(bench.head(of: id)?.statusCode == 200)
                        usleep(200_000)
                        #expect(bench.recorder.count(of: id) == 0 && !bench.recorder.isOver(id))
                        bench.transport.proceed(id, .deliver)
                        let result = try #require(bench.end(of: id))
                        let isWhole = (result.body ?? bench.recorder[id].content) == linesContent
                        #expect(result.error == nil && isWhole)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(bench.recorder.violations == [])
        }

        @Test(
            "A discarded body ends soon, however long, slow or broken, and does not affect the next response",
            arguments: TestServer.everyProtocol,
            ["/big", "/lines", "/gzip/lines", "/slow", "/stalled/lines", "/broken/lines", "/broken/unmeasured", "/file"])
        func discarded(server: TestServer, path: String) async throws {
            let bench = try Bench(server)
            await onThreads(1) { _ in
                do {
                    for number in 0..<6 {
                        let id = try bench.start(UInt64(2 * number), path) {
                            $0.headers["Accept-Encoding"] = "gzip"
                            $0.delivery = number % 2 == 0 ? .chunks : .whole
                        }
                        #expect(bench.head(of: id)?.statusCode == 200)
                        if number > 2 { usleep(50_000) }
                        let start = MonotonicInstant.now()
                        bench.transport.proceed(id, .discard)
                        let result = try #require(bench.end(of: id))
                        #expect(result.error == nil && result.body == nil && bench.recorder.count(of: id) == 0)
                        #expect(MonotonicInstant.now().seconds(since: start) < 15)
                        let next = try bench.start(UInt64(2 * number + 1), "/file") {
                            $0.heldHeads = .none
                            $0.delivery = .whole
                        }
                        let answer = try #require(bench.end(of: next))
                        #expect(answer.error == nil && answer.body == fileContent)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(bench.recorder.violations == [])
        }

        @Test("An upload with an early response ends when the held head is delivered or discarded", arguments: TestServer.everyProtocol)
        func earlyAnswer(server: TestServer) async throws {
            let bench = try Bench(server)
            await onThreads(1) { _ in
                do {
                    for number in 0..<4 {
                        let id = try bench.start(UInt64(number), "/redirect/307") {
                            $0.method = .put
                            $0.body = pattern(900_000)
                        }
                        #expect(bench.head(of: id)?.statusCode == 307)
                        bench.transport.proceed(id, number % 2 == 0 ? .discard : .deliver)
                        let result = try #require(bench.end(of: id))
                        #expect(result.error == nil && result.head?.statusCode == 307)
                        #expect(bench.recorder[id].content.isEmpty == (number % 2 == 0))
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(bench.recorder.violations == [])
        }

        private static let piece = Array(pattern(10_000))
        private static let endings: [(frames: [UInt8], close: HTTP2Script.Close, isWhole: Bool)] = [
            (HTTP2Script.data(piece, isLast: true), .never, true),
            (HTTP2Script.data(piece, isLast: true) + HTTP2Script.reset(.internalError), .never, true),
            ([], .properly, false), ([], .withoutTLS, false), ([], .byReset, false),
            (HTTP2Script.reset(.internalError), .never, false), (HTTP2Script.reset(.noError), .never, false),
            (HTTP2Script.goAway(.noError, lastStream: 0), .properly, false),
            (HTTP2Script.data(piece) + HTTP2Script.reset(.cancel), .properly, false),
            (HTTP2Script.data(piece + piece, isLast: true), .never, false),
            (HTTP2Script.frame(.headers, flags: 5, HTTP2Script.field("x y", "z")), .never, false),
            (HTTP2Script.frame(.data, stream: 0, [1]), .never, false),
        ]

        @Test(
            "An HTTP/2 stream that fails after a held head is an error only if its body is delivered", arguments: 0..<endings.count,
            [false, true])
        func streamEnds(number: Int, isLater: Bool) async throws {
            let (frames, close, isWhole) = Self.endings[number]
            let begun = HTTP2Script.head(length: 20_000) + HTTP2Script.data(Self.piece)
            let script = HTTP2Script(frames: begun + (isLater ? HTTP2Script.moment : []) + frames, close: close)
            await onThreads(1) { _ in
                do {
                    for number in 0..<8 {
                        // The script applies to the first stream of a connection.
                        let bench = try Bench(.frames)
                        let id = try bench.start(1, "/") {
                            $0.method = .put
                            $0.body = script.body
                            $0.idleTimeout = 5
                            $0.delivery = number % 2 == 0 ? .whole : .chunks
                        }
                        let hasEnded = bench.recorder.wait(id, seconds: 20) { $0.heads.isEmpty ? $0.result.map { _ in true } : false }
                        if hasEnded == true, !isWhole, !isLater {
                            // A fault of an unread stream is reported before its head.
                            #expect(bench.recorder[id].result?.error != nil && bench.recorder[id].result?.head == nil)
                            continue
                        }
                        #expect(hasEnded == false)
                        if number >= 4 { usleep(100_000) }
                        let isWanted = number % 4 < 2
                        bench.transport.proceed(id, isWanted ? .deliver : .discard)
                        let result = try #require(bench.end(of: id))
                        let content = bench.recorder[id].content + (result.body ?? Data())
                        if isWanted {
                            #expect((result.error == nil) == isWhole, "\(number)")
                            #expect(Data(Self.piece + Self.piece).starts(with: content))
                        } else {
                            #expect(result.error == nil && content.isEmpty, "\(number): \(String(describing: result.error))")
                        }
                        #expect(bench.recorder.violations == [])
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
    }
#endif
