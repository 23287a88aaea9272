#if os(Linux)
    import Firewheel
    import Foundation

    /// The transport with one flaw, like a new transport under development.
    final class BrokenTransport: Transport {
        /// The flaw.
        enum Flaw: String, CaseIterable {
            case nothing
            // Events
            case finishesTwice, neverFinishes, namesAnotherRequest, dropsAChunk, repeatsAChunk, swapsResponseAndChunk, holdsBackChunks
            // Requests
            case addsAField, putsMethodsInUpperCase, leavesBodiesOut, skipsWhatItLacks, losesAwaitedBodies
            case reportsNothingSent, hidesInterims
            // Responses
            case followsRedirects, makesA401AFailure, joinsFields, cutsBodies, keepsCookies, reportsNoFailure, callsEverythingUnknown
            // Flow
            case ignoresCancels, ignoresPauses, readsOnUnacknowledged, ignoresAcknowledgements, ignoresTheLimit, blocks
            // Held heads
            case holdsNoHeads, holdsAllHeads, keepsHeldHeads, ignoresAnswers, deliversWhatIsDiscarded, failsWhatIsDiscarded,
                letsGoOfHeadsWhenResumed
            // Time
            case ignoresDeadlines, ignoresIdleTimeouts, countsWholeSeconds
            // Connections
            case sendsAgain, neverSendsAgain, closesConnections, keepsIdleConnections, outlivesItsRelease
            // Metrics
            case measuresBackwards, callsEveryConnectionNew
        }

        private let flaw: Flaw
        private let base = SocketTransport()

        init(_ flaw: Flaw) { self.flaw = flaw }

        func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            if flaw == .blocks { usleep(300_000) }
            let started = spoil(request)
            base.start(started, receiver: SpoilingReceiver(flaw, receiver: receiver, base: base, request: started))
        }

        func cancel(_ id: TransportTaskID) {
            if flaw != .ignoresCancels { base.cancel(id) }
        }

        func pause(_ id: TransportTaskID) {
            if flaw != .ignoresPauses { base.pause(id) }
        }

        func resume(_ id: TransportTaskID) {
            base.resume(id)
            if flaw == .letsGoOfHeadsWhenResumed { base.proceed(id, .deliver) }
        }

        func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {
            switch flaw {
            case .ignoresAnswers: break
            case .deliversWhatIsDiscarded, .failsWhatIsDiscarded: base.proceed(id, .deliver)
            default: base.proceed(id, body)
            }
        }

        func acknowledge(_ id: TransportTaskID, bytes: Int) {
            if flaw != .ignoresAcknowledgements, flaw != .readsOnUnacknowledged { base.acknowledge(id, bytes: bytes) }
        }

        func closeIdleConnections() {
            if flaw != .keepsIdleConnections { base.closeIdleConnections() }
        }

        private func spoil(_ request: TransportRequest) -> TransportRequest {
            var request = request
            switch flaw {
            case .addsAField: request.headers["X-Extra"] = "1"
            case .putsMethodsInUpperCase: request.method = HTTPMethod(rawValue: request.method.rawValue.uppercased())
            case .leavesBodiesOut: request.body = nil
            case .skipsWhatItLacks: if request.bodySource != nil, request.body == nil { request.bodySource = nil }
            case .losesAwaitedBodies: if request.expectsContinue { request.bodySource = nil }
            case .reportsNothingSent: request.reportsSent = false
            case .hidesInterims: request.reportsInterim = false
            case .keepsCookies: request.headers["Cookie"] = request.headers["Cookie"] ?? "a=1"
            case .ignoresTheLimit: request.maximumBodySize = nil
            case .holdsNoHeads: request.heldHeads = .none
            case .holdsAllHeads: request.heldHeads = .all
            case .ignoresDeadlines: request.deadline = nil
            case .ignoresIdleTimeouts: request.idleTimeout = 0
            case .countsWholeSeconds: request.idleTimeout = request.idleTimeout.rounded(.up)
            case .sendsAgain: request.allowsResend = true
            case .neverSendsAgain: request.allowsResend = false
            case .closesConnections: request.headers["Connection"] = "close"
            default: break
            }
            return request
        }
    }

    /// Changes the events between the transport and the receiver.
    private final class SpoilingReceiver: TransportReceiver {
        private struct State {
            var chunks = 0
            var response: TransportEvent?
        }

        private let flaw: BrokenTransport.Flaw
        private let receiver: any TransportReceiver
        private weak let base: SocketTransport?
        /// Keeps the transport, for the flaw of outliving its release.
        private let kept: SocketTransport?
        private let request: TransportRequest
        private let lock = NSLock()
        // Only touched while holding `lock`.
        private nonisolated(unsafe) var state = State()

        init(_ flaw: BrokenTransport.Flaw, receiver: any TransportReceiver, base: SocketTransport, request: TransportRequest) {
            self.flaw = flaw
            self.receiver = receiver
            self.base = base
            kept = flaw == .outlivesItsRelease ? base : nil
            self.request = request
        }

        func receive(_ events: [TransportEvent]) {
            let spoiled = lock.withLock { events.flatMap(spoil) }
            if !spoiled.isEmpty { receiver.receive(spoiled) }
        }

        private func spoil(_ event: TransportEvent) -> [TransportEvent] {
            var event = event
            switch event.kind {
            case .interim, .sent, .question, .waitingForConnectivity, .messages, .webSocket:
                return [event]
            case .response:
                if flaw == .keepsHeldHeads { return [] }
                if flaw == .swapsResponseAndChunk {
                    state.response = event
                    return []
                }
                return [event]
            case .chunk(let data):
                state.chunks += 1
                if flaw == .failsWhatIsDiscarded { return [] }
                if flaw == .readsOnUnacknowledged { base?.acknowledge(event.id, bytes: data.count) }
                if flaw == .dropsAChunk, state.chunks == 2 {
                    base?.acknowledge(event.id, bytes: data.count)
                    return []
                }
                if flaw == .repeatsAChunk, state.chunks == 2 { return [event, event] }
                if flaw == .holdsBackChunks, data.count < 2_000 { return [] }
                if let response = state.response {
                    state.response = nil
                    return [event, response]
                }
                return [event]
            case .finished(let result):
                return end(&event, result)
            }
        }

        private func end(_ event: inout TransportEvent, _ ended: TransportResult) -> [TransportEvent] {
            var result = ended
            switch flaw {
            case .neverFinishes: return []
            case .finishesTwice: return [event, event]
            case .namesAnotherRequest: event.id = TransportTaskID(request: event.id.request + 1)
            case .followsRedirects:
                if let next = next(result) {
                    base?.start(next, receiver: self)
                    return []
                }
            case .makesA401AFailure:
                if result.head?.statusCode == 401 { result.error = .failed(.userAuthenticationRequired, "401") }
            case .joinsFields:
                if let fields = result.head?.headers.dictionary { result.head?.headers = HTTPHeaders(fields) }
            case .failsWhatIsDiscarded: result.body = nil
            case .cutsBodies: result.body = result.body?.dropLast()
            case .reportsNoFailure: if result.head != nil { result.error = nil }
            case .callsEverythingUnknown: if result.error != nil { result.error = .failed(.unknown, "something went wrong") }
            case .measuresBackwards:
                result.metrics.responseStart = MonotonicInstant(nanoseconds: result.metrics.start.nanoseconds - 1_000_000)
            case .callsEveryConnectionNew: result.metrics.isReusedConnection = false
            default: break
            }
            event.kind = .finished(result)
            return [event]
        }

        private func next(_ result: TransportResult) -> TransportRequest? {
            guard let head = result.head, (301...308).contains(head.statusCode), let location = head.headers["Location"],
                let target = TargetURI(location)
            else { return nil }
            var next = request
            next.target = target
            return next
        }
    }
#endif
