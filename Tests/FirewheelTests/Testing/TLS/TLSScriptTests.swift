#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("Scripts instead of TLS", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSScriptTests {
        @Test(
            "Each ends a handshake with an error",
            arguments: [
                [TLSScript.Step.end], [.read, .end], [.read, .reset], [.read, .send(TLSScript.plainAnswer), .end],
                [.read, .send(TLSScript.alert(40)), .end], [.read, .send(TLSScript.halfRecord), .end],
                [.read, .send(TLSScript.emptyChain), .stall], [.read, .send(TLSScript.record(22, TLSScript.serverHello)), .end],
                [.read, .send(TLSScript.record(23, [1, 2, 3])), .end],
            ])
        func scripts(steps: [TLSScript.Step]) async throws {
            let script = try TLSScript(steps)
            let response = try await TestAuthority().response(script.url)
            #expect(response.error != nil)
            let visit = try #require(script.visits.first)
            // A client's first record is a handshake message.
            if steps.count > 1 { #expect(visit.received.first == 22) }
        }

        @Test("A server that stalls is left to the client's timeout")
        func stall() async throws {
            let script = try TLSScript([.read, .stall])
            let authority = try TestAuthority()
            let session = authority.session(.with { $0.timeoutIntervalForRequest = 0.2 })
            #expect(await session.request(script.url).raw().kind == .transportFailed(.timedOut))
            withExtendedLifetime((authority, session)) {}
        }
    }
#endif
