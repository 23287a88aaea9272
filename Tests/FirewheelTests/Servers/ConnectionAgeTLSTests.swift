#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    /// `ConnectionAgeTests` with TLS and HTTP/2. Each test is a process of its own, whose sockets are all the client's and can be counted.
    @Suite("Connection age with TLS", .needs(.tls), .timeLimit(.minutes(5)))
    struct ConnectionAgeTLSTests {
        @Test("Idle TLS connections are closed by age or on request, also while another request runs")
        func closed() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 200)
                // A process may inherit sockets of its parent.
                let inherited = ProcessFacts.ports.count
                for server in TestServer.everyProtocol {
                    for byAge in [true, false] {
                        let session = try server.session(.with { $0.idleConnectionTimeout = byAge ? 1 : 600 })
                        await withTaskGroup(of: Void.self) { group in
                            for _ in 0..<8 {
                                group.addTask {
                                    #expect(await session.request((try? server.url("/echo-method")) ?? "").raw().text == "GET")
                                }
                            }
                        }
                        #expect(byAge || ProcessFacts.ports.count > inherited)
                        if !byAge { session.closeIdleConnections() }
                        #expect(
                            await eventually(within: 20) { ProcessFacts.ports.count == inherited },
                            "\(server), \(ProcessFacts.ports.count) sockets, \(inherited) inherited")

                        let held = session.request(try server.url("/slow/lines")).responseData(queue: .global()) { _ in }
                        #expect(await eventually { held.response != nil })
                        held.suspend()
                        // HTTP/2 uses one connection for both.
                        for _ in 0..<3 { #expect(await session.request(try server.url("/echo-method")).raw().text == "GET") }
                        if !byAge { session.closeIdleConnections() }
                        #expect(
                            await eventually(within: 20) { ProcessFacts.ports.count == inherited + 1 },
                            "\(server), \(ProcessFacts.ports.count) sockets, \(inherited) inherited")
                        held.resume()
                        #expect(await held.raw().kind == nil)
                        let next = await session.request(try server.url("/echo-method")).raw()
                        #expect(next.text == "GET")
                        // The connection in use was kept, and is reused unless its own time is over.
                        #expect(byAge || next.hop?.isReusedConnection == true)
                    }
                }
            }
        }

        @Test("A TLS connection past its lifetime is not used again, and no request fails for it", arguments: TestServer.everyProtocol)
        func lifetime(server: TestServer) async throws {
            let session = try server.session(.with { $0.maximumConnectionLifetime = 1 })
            // In constant use, so that it is never idle for long. This takes two seconds, and longer on a busy machine.
            let end = DispatchTime.now() + 40
            var news = 0
            while news < 2, DispatchTime.now() < end {
                let response = await session.request(try server.url("/echo-method"), method: .patch).raw()
                #expect(response.text == "PATCH")
                if response.hop?.isReusedConnection == false { news += 1 }
            }
            #expect(news == 2)
        }
    }
#endif
