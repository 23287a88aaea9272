#if os(Linux)
    import FirewheelTesting
    import Testing

    /// Each flaw of a transport must be found by the conformance case for it.
    @Suite("Flaws found by the transport conformance suite", .timeLimit(.minutes(5)))
    struct BrokenTransportTests {
        static let findings: KeyValuePairs<BrokenTransport.Flaw, String> = [
            .finishesTwice: "A GET says method, target and fields",
            .neverFinishes: "A GET says method, target and fields",
            .namesAnotherRequest: "A GET says method, target and fields",
            .dropsAChunk: "Chunks are the whole body in order, after the response",
            .repeatsAChunk: "Chunks are the whole body in order, after the response",
            .swapsResponseAndChunk: "Chunks are the whole body in order, after the response",
            .holdsBackChunks: "A chunk is there before the next one is sent",
            .addsAField: "Nothing is added but Host, the framing and Accept",
            .putsMethodsInUpperCase: "Any token is a method, in its own case",
            .leavesBodiesOut: "Bodies go out whole, with their length",
            .followsRedirects: "A redirect is a response like any other",
            .makesA401AFailure: "A 401 is a response like any other, and so is a 407",
            .joinsFields: "Fields keep their order, their case and their repetitions",
            .cutsBodies: "A body is whole, in every framing",
            .keepsCookies: "Cookies are not kept",
            .reportsNoFailure: "A connection that is lost in the body is networkConnectionLost, and what had come is kept",
            .callsEverythingUnknown: "A port where nobody listens is cannotConnectToHost",
            .ignoresCancels: "A cancel before the answer closes the connection",
            .ignoresPauses: "A paused request stops, so that the server feels it, and goes on where it was",
            .readsOnUnacknowledged: "Without acknowledgement a transport stops reading",
            .ignoresAcknowledgements: "Chunks are the whole body in order, after the response",
            .ignoresTheLimit: "The limit of a body counts to the byte",
            .blocks: "No method blocks",
            .holdsNoHeads: "A head that is held comes at once, and nothing follows until it is answered for",
            .holdsAllHeads: "A status that is not held is not waited for",
            .keepsHeldHeads: "A head that is held comes at once, and nothing follows until it is answered for",
            .ignoresAnswers: "A head that is held comes at once, and nothing follows until it is answered for",
            .deliversWhatIsDiscarded: "A short body that nobody wants leaves the connection usable",
            .failsWhatIsDiscarded: "A body that nobody wants may be cut short",
            .letsGoOfHeadsWhenResumed: "A request whose head is held is paused and resumed like any other",
            .ignoresDeadlines: "The deadline ends a request that is not idle",
            .ignoresIdleTimeouts: "No answer within the idle timeout is timedOut",
            .countsWholeSeconds: "The idle timeout is as short as its fraction says",
            .sendsAgain: "A request that may not be sent again is not",
            .neverSendsAgain: "A request that may be sent again is, when a reused connection is dead",
            .closesConnections: "A connection is used again",
            .keepsIdleConnections: "Connections that no request is on are closed when asked for, the others left alone",
            .outlivesItsRelease: "A transport that is released ends its requests and closes its connections",
            .measuresBackwards: "The first instant measured is the start, the last the end",
            .callsEveryConnectionNew: "What is counted is right, where it is known",
        ]

        @Test(
            "The conformance suite finds each flaw of a broken transport",
            arguments: BrokenTransport.Flaw.allCases.filter { $0 != .nothing })
        func found(flaw: BrokenTransport.Flaw) async throws {
            let name = try #require(Self.findings.first { $0.key == flaw }?.value)
            let rule = try #require(TransportConformance.cases.first { $0.name == name })
            let failure = await #expect(throws: TransportConformance.Failure.self) {
                try await rule.run(within: 5) { BrokenTransport(flaw) }
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
            try await rule.run { BrokenTransport(.nothing) }
        }
    }
#endif
