#if os(Linux)
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `SlowLookupTests` over https and HTTP/2, where requests to one server wait for the first connection to it.
    @Suite("Slow name lookups with TLS", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct SecureLookupTests {
        /// One plain server over https and over HTTP/2, under 127.0.0.1 and a name that is looked up quickly.
        private final class Servers: Sendable {
            static let name = "fake-secure.test"

            let authority: TestAuthority
            private let server: MockServer
            private let tls: TLSFront
            let multiplexed: HTTP2Front

            init() throws {
                authority = try TestAuthority()
                server = try MockServer()
                server.route("*") { _ in .text("x") }
                let identity = try authority.identity(names: [Self.name], addresses: ["127.0.0.1"])
                tls = try TLSFront(to: server.port, identity: identity)
                multiplexed = try HTTP2Front(to: server.port, identity: identity)
            }

            func urls(host: String = "127.0.0.1") -> [String] { [tls.url(host: host), multiplexed.url(host: host)] }

            func stop() {
                tls.stop()
                multiplexed.stop()
                server.shutdown()
            }
        }

        @Test("While 20 names take 20 seconds each to look up, requests over https and HTTP/2 take their usual time")
        func others() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let servers = try Servers()
                defer { servers.stop() }
                let session = servers.authority.socketSession(.with { $0.connectTimeout = 0.5 })
                let patient = servers.authority.socketSession()
                let slow = (0..<20).map { number in Task { await session.request("https://slow-20000ms-\(number).invalid/").timed() } }
                #expect(await eventually { slow_lookup_count() >= 8 })
                // By name too, queued after the slow ones.
                let urls = servers.urls() + servers.urls(host: Servers.name)
                for task in (0..<40).flatMap({ _ in urls.map { url in Task { await patient.request(url).timed() } } }) {
                    let (response, seconds) = await task.value
                    #expect(response.text == "x", "\(response)")
                    #expect(seconds < 15, "\(seconds) s")
                }
                for task in slow {
                    let (response, seconds) = await task.value
                    #expect(response.kind == .transportFailed(.timedOut), "\(response)")
                    #expect(seconds >= 0.45 && seconds < 15, "\(seconds) s")
                }
                // A lookup that takes longer than a second lets another request try as well.
                let visits = servers.multiplexed.visits
                #expect(visits.map(\.streams).reduce(0, +) == 80 && visits.count < 20, "\(visits.map(\.streams))")
                withExtendedLifetime((session, patient)) {}
            }
        }

        @Test("A cancelled request leaves the lookup to those that wait for its connection, and all get the name's error soon")
        func waiting() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let authority = try TestAuthority()
                let session = authority.socketSession()
                let url = "https://slow-1000ms-shared.invalid/"
                let first = session.request(url).resume()
                #expect(await eventually { slow_lookup_count() == 1 })
                let waiting = (0..<20).map { _ in Task { await session.request(url).timed() } }
                first.cancel()
                #expect(await first.raw().kind == .explicitlyCancelled)
                for task in waiting {
                    let (response, seconds) = await task.value
                    #expect(response.kind == .transportFailed(.cannotFindHost), "\(response)")
                    // One lookup after the other would take 20 seconds.
                    #expect(seconds < 12, "\(seconds) s")
                }
                #expect(slow_lookup_count() <= 3, "\(slow_lookup_count()) lookups")
                withExtendedLifetime((session, authority)) {}
            }
        }

        @Test("A session that is invalidated while a name is looked up ends its requests at once, and leaves nothing")
        func released() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let servers = try Servers()
                defer { servers.stop() }
                let warm = servers.authority.socketSession()
                for url in servers.urls() { #expect(await warm.request(url).raw().text == "x") }
                let before = ProcessFacts.internetSockets.count
                let start = DispatchTime.now().uptimeNanoseconds
                let requests = { () -> [DataRequest] in
                    let session = servers.authority.socketSession()
                    let urls = (0..<20).map { "https://slow-3000ms-\($0 % 5).invalid/" } + servers.urls(host: Servers.name)
                    let requests = urls.map { session.request($0).resume() }
                    for _ in 0..<5_000 where slow_lookup_count() < 5 { usleep(1_000) }
                    session.invalidate()
                    return requests
                }()
                for request in requests.prefix(20) {
                    let response = await request.raw()
                    #expect(response.kind == .sessionInvalidated, "\(response)")
                }
                // The last two may have been answered.
                for request in requests.suffix(2) { _ = await request.raw() }
                #expect(DispatchTime.now().uptimeNanoseconds - start < 15_000_000_000)
                for url in servers.urls() { #expect(await warm.request(url).raw().text == "x") }
                #expect(await eventually(within: 30) { ProcessFacts.resolverThreadCount == 0 }, "\(ProcessFacts.threadNames)")
                #expect(await eventually { ProcessFacts.internetSockets.count <= before }, "\(before), now \(ProcessFacts.internetSockets)")
                withExtendedLifetime(warm) {}
            }
        }
    }
#endif
