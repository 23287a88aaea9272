#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    /// Each flaw of a transport must be found by the conformance case for it.
    @Suite("Flaws found by the transport conformance suite", .timeLimit(.minutes(5)))
    struct BrokenTransportTests {
        static let findings: KeyValuePairs<BrokenTransport.Flaw, String> = [
            .finishesTwice: "A GET sends its method, target and fields",
            .neverFinishes: "A GET sends its method, target and fields",
            .namesAnotherRequest: "A GET sends its method, target and fields",
            .dropsAChunk: "Chunks are the whole body in order, after the response",
            .repeatsAChunk: "Chunks are the whole body in order, after the response",
            .swapsResponseAndChunk: "Chunks are the whole body in order, after the response",
            .holdsBackChunks: "A chunk is delivered before the server sends the next one",
            .addsAField: "Only Host, framing fields and Accept are added",
            .putsMethodsInUpperCase: "Any token is a valid method, and its case is kept",
            .leavesBodiesOut: "Request bodies are sent completely, with their length",
            .skipsWhatItLacks: "A body from a stream is sent, or refused before anything is sent",
            .losesAwaitedBodies: "A request that may wait for a 100 is sent completely",
            .reportsNothingSent: "Sent bytes are reported, or the request is refused before anything is sent",
            .hidesInterims: "Interim responses are reported, or the request is refused before anything is sent",
            .followsRedirects: "A redirect is a response like any other",
            .makesA401AFailure: "A 401 is a response like any other, and so is a 407",
            .joinsFields: "Response fields keep their order, case and repetition",
            .cutsBodies: "A body is whole, in every framing",
            .keepsCookies: "Cookies are not kept",
            .reportsNoFailure: "A connection lost in the body is networkConnectionLost, and the received bytes are kept",
            .callsEverythingUnknown: "A port without a listener is cannotConnectToHost",
            .ignoresCancels: "Cancelling before the response closes the connection",
            .ignoresPauses: "A paused request stops reading from the server, and continues where it stopped",
            .readsOnUnacknowledged: "Without acknowledgements a transport stops reading",
            .ignoresAcknowledgements: "Chunks are the whole body in order, after the response",
            .ignoresTheLimit: "The body size limit is exact to the byte",
            .blocks: "No method blocks",
            .holdsNoHeads: "A held head is delivered at once, and nothing follows until proceed",
            .holdsAllHeads: "A head with a status that is not held does not wait for proceed",
            .keepsHeldHeads: "A held head is delivered at once, and nothing follows until proceed",
            .ignoresAnswers: "A held head is delivered at once, and nothing follows until proceed",
            .deliversWhatIsDiscarded: "After a short discarded body the connection is usable",
            .failsWhatIsDiscarded: "A discarded body may be cut short",
            .letsGoOfHeadsWhenResumed: "A request whose head is held is paused and resumed like any other",
            .ignoresDeadlines: "The deadline ends a request that is not idle",
            .ignoresIdleTimeouts: "No response within the idle timeout is timedOut",
            .countsWholeSeconds: "The idle timeout may be a fraction of a second",
            .sendsAgain: "A request without allowsResend is not sent again",
            .neverSendsAgain: "A request with allowsResend is sent again when its reused connection is dead",
            .closesConnections: "A connection is reused",
            .keepsIdleConnections: "closeIdleConnections closes idle connections and no others",
            .outlivesItsRelease: "A released transport ends its requests and closes its connections",
            .measuresBackwards: "The first measured instant is the start, and the last is the end",
            .callsEveryConnectionNew: "Counted values are correct where they are known",
        ]

        @Test("The conformance suite finds each flaw of a broken transport")
        func found() async throws { try await atOnce(BrokenTransport.Flaw.allCases.filter { $0 != .nothing }, found) }

        @Sendable private func found(flaw: BrokenTransport.Flaw) async throws {
            let name = try #require(Self.findings.first { $0.key == flaw }?.value)
            let rule = try #require(TransportConformance.cases.first { $0.name == name })
            let failure = await #expect(throws: TransportConformance.Failure.self) {
                // Most cases wait for what never comes; this one has to see the whole seconds pass.
                let seconds: TimeInterval = flaw == .countsWholeSeconds ? 5 : TestDepth.choose(2, deep: 5)
                try await rule.run(within: seconds) { BrokenTransport(flaw) }
            }
            #expect(failure?.name == name)
            #expect(failure?.rule == rule.rule)
            #expect(failure?.problem.isEmpty == false)
        }

        @Test(
            "The transport without a flaw passes the conformance suite",
            arguments: Set(findings.map(\.value)).sorted())
        func sound(name: String) async throws {
            let rule = try #require(TransportConformance.cases.first { $0.name == name })
            try await rule.run(within: 240) { BrokenTransport(.nothing) }
        }
    }
#endif
