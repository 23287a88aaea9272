#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Questions of trust: nothing of a request is sent before the answer.
    @Suite("Questions of trust on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TrustQuestionOnWireTests {
        private static let versions = [TLSFront.Version.tls12, .tls13]

        /// A transport, whose requests are asked about.
        private final class Asking: TransportReceiver {
            let bench: SecureBench
            let transport: SocketTransport
            let questions = Journal<(id: TransportTaskID, certificates: ServerCertificates)>()
            let results = Journal<(id: TransportTaskID, result: TransportResult)>()
            private let judge = TrustToken()
            private let lastID = Locked(0)

            init(_ version: TLSFront.Version = .tls13, closing: Bool = false) throws {
                bench = try SecureBench(.with { $0.maximumVersion = version })
                bench.server.route("*") { request in
                    let response = MockResponse.text(request.path)
                    return closing ? response.closing() : response
                }
                // With HTTP/2 possible, requests of the same route wait for the first one's connection.
                transport = bench.authority.socketTransport(.with { $0.httpVersions = .http1Only })
            }

            func receive(_ events: [TransportEvent]) {
                for event in events {
                    switch event.kind {
                    case .question(.trust(let certificates)): questions.add((event.id, certificates))
                    case .finished(let result): results.add((event.id, result))
                    default: break
                    }
                }
            }

            @discardableResult
            func start(_ path: String, asks: Bool = true, change: (inout TransportRequest) -> Void = { _ in }) throws -> TransportTaskID {
                let number = lastID.withLock { last in
                    last += 1
                    return last
                }
                let id = TransportTaskID(request: UInt64(number))
                var request = TransportRequest(
                    id: id, method: .get, target: try #require(TargetURI(bench.url(path, host: "localhost"))), idleTimeout: 20)
                if asks { request.route.trust = TransportRoute.Trust(judge: judge) }
                change(&request)
                transport.start(request, receiver: self)
                return id
            }

            /// The body of a request's response.
            func text(_ id: TransportTaskID) async throws -> String? {
                let result = try await result(id)
                #expect(result.error == nil)
                return result.body.map { String(decoding: $0, as: UTF8.self) }
            }

            func result(_ id: TransportTaskID) async throws -> TransportResult {
                try await waitUntil("the end") { self.results.entries.contains { $0.id == id } }
                return try #require(results.entries.first { $0.id == id }).result
            }

            /// That the server has heard of no requests but so many others.
            func expectRequests(_ count: Int) {
                #expect(bench.server.requestCount == count)
            }
        }

        @Test("The answer may take its time, which others do not wait for", arguments: versions)
        func acceptedLater(version: TLSFront.Version) async throws {
            let asking = try Asking(version)
            defer { asking.bench.stop() }
            let id = try asking.start("/asked")
            let question = try #require(try await asking.questions.wait(for: 1).first)
            #expect(question.id == id && question.certificates.host == "localhost")
            #expect(question.certificates.chain.count == 1)
            for _ in 0..<20 { #expect(try await asking.text(asking.start("/other", asks: false)) == "/other") }
            #expect(asking.bench.front.handshakes.first?.isComplete == false)
            asking.expectRequests(20)
            asking.transport.answer(id, .accept)
            #expect(try await asking.text(id) == "/asked")
            #expect(asking.questions.count == 1)
        }

        @Test("A verdict that takes time uses no processor time, although bytes of the server lie ready, and is asked for once")
        func idleVerdict() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                for version in Self.versions {
                    let asking = try Asking(version)
                    defer { asking.bench.stop() }
                    let id = try asking.start("/asked")
                    _ = try await asking.questions.wait(for: 1)
                    let opened = try asking.transport.open()
                    let unread = Journal<Int32>()
                    let look = PoolCommand.inspect {
                        var count: Int32 = 0
                        let descriptor = opened.pool.object.transfers[id]?.handshake?.socket?.descriptor ?? -1
                        unread.add(ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : -1)
                    }
                    // The rest of what the server has sent with its certificate.
                    try await waitUntil("bytes of the server") {
                        opened.inbox.post(LoopMessage(pool: opened.pool, command: look))
                        return unread.entries.last ?? 0 > 0
                    }
                    let before = try #require(ProcessFacts.loopTime)
                    usleep(300_000)
                    let used = try #require(ProcessFacts.loopTime) - before
                    #expect(used < 0.1, "the loop used the processor for \(used) of 0.3 seconds")
                    asking.transport.answer(id, .accept)
                    #expect(try await asking.text(id) == "/asked")
                    #expect(asking.questions.count == 1)
                }
            }
        }

        @Test("The time for connecting goes on while the client thinks, and is not begun anew")
        func clocks() async throws {
            let asking = try Asking()
            defer { asking.bench.stop() }
            let id = try asking.start("/") { $0.connectTimeout = 20 }
            _ = try await asking.questions.wait(for: 1)
            let opened = try asking.transport.open()
            let times = Journal<(due: MonotonicInstant?, start: MonotonicInstant?)>()
            let look = PoolCommand.inspect {
                let transfer = opened.pool.object.transfers[id]
                times.add((transfer?.idleDeadline, transfer?.lastActivity ?? transfer?.measured.leftQueue))
            }
            opened.inbox.post(LoopMessage(pool: opened.pool, command: look))
            let time = try #require(try await times.wait(for: 1).first)
            #expect(time.due == time.start?.advanced(by: 20))
            asking.transport.answer(id, .accept)
            #expect(try await asking.text(id) == "/")
        }

        @Test("The answer counts, and not what OpenSSL thinks", arguments: versions)
        func selfSigned(version: TLSFront.Version) async throws {
            let asking = try Asking(version)
            defer { asking.bench.stop() }
            let identity = try TestIdentity.selfSigned(names: ["other.test"])
            let front = try TLSFront(to: asking.bench.server.port, identity: identity, options: .with { $0.maximumVersion = version })
            defer { front.stop() }
            let target = try #require(TargetURI(front.url("/self", host: "localhost")))
            let id = try asking.start("/") { $0.target = target }
            let question = try #require(try await asking.questions.wait(for: 1).first)
            #expect(question.certificates.chain == [identity.leaf.der])
            asking.transport.answer(id, .accept)
            #expect(try await asking.text(id) == "/self")
        }

        @Test("A refusal is the request's end, and the server hears an alert", arguments: versions)
        func refused(version: TLSFront.Version) async throws {
            let asking = try Asking(version)
            defer { asking.bench.stop() }
            let id = try asking.start("/")
            _ = try await asking.questions.wait(for: 1)
            let error = TransportError.failed(.serverCertificateUntrusted, "not pinned")
            asking.transport.answer(id, .refuse(error))
            #expect(try await asking.result(id).error == error)
            try await waitUntil("the alert") { asking.bench.front.handshakes.first?.isOpen == false }
            #expect(asking.bench.front.handshakes.first?.error?.contains("alert") == true)
            asking.expectRequests(0)
            // Another request is asked about anew.
            let next = try asking.start("/next")
            _ = try await asking.questions.wait(for: 2)
            asking.transport.answer(next, .accept)
            #expect(try await asking.text(next) == "/next")
        }

        @Test("Without an answer the deadline ends the request, and a later answer is ignored")
        func deadline() async throws {
            let asking = try Asking()
            defer { asking.bench.stop() }
            let id = try asking.start("/") { $0.deadline = MonotonicInstant.now().advanced(by: 0.3) }
            guard case .failed(.timedOut, let words) = try await asking.result(id).error else {
                Issue.record("\(asking.results.entries)")
                return
            }
            #expect(words == TimeoutWords.resource)
            asking.transport.answer(id, .accept)
            try await waitUntil("the end") { asking.bench.front.handshakes.allSatisfy { !$0.isOpen } }
            asking.expectRequests(0)
            #expect(asking.results.count == 1)
        }

        @Test("A request can be cancelled while it is asked about")
        func cancelled() async throws {
            let asking = try Asking()
            defer { asking.bench.stop() }
            let id = try asking.start("/")
            _ = try await asking.questions.wait(for: 1)
            asking.transport.cancel(id)
            asking.transport.answer(id, .accept)
            try await waitUntil("the end") { asking.bench.front.handshakes.first?.isOpen == false }
            #expect(try await asking.text(asking.start("/other", asks: false)) == "/other")
            asking.expectRequests(1)
            #expect(asking.results.count == 1)
        }

        @Test("A request that is paused while it is asked about is sent when it is resumed", arguments: [true, false])
        func paused(answeredBefore: Bool) async throws {
            let asking = try Asking()
            defer { asking.bench.stop() }
            let id = try asking.start("/paused") { $0.connectTimeout = 5 }
            _ = try await asking.questions.wait(for: 1)
            asking.transport.pause(id)
            if answeredBefore {
                asking.transport.answer(id, .accept)
                try await waitUntil("the handshake") { asking.bench.front.handshakes.first?.isComplete == true }
                #expect(try await asking.text(asking.start("/other", asks: false)) == "/other")
                asking.expectRequests(1)
            }
            asking.transport.resume(id)
            if !answeredBefore { asking.transport.answer(id, .accept) }
            #expect(try await asking.text(id) == "/paused")
        }

        @Test("A server that goes while the client thinks is an error after the answer", arguments: [true, false])
        func gone(accepts: Bool) async throws {
            let asking = try Asking()
            let id = try asking.start("/")
            _ = try await asking.questions.wait(for: 1)
            asking.bench.stop()
            let refusal = TransportError.failed(.serverCertificateUntrusted, "no")
            asking.transport.answer(id, accepts ? .accept : .refuse(refusal))
            let error = try await asking.result(id).error
            if accepts {
                guard case .failed(.secureConnectionFailed, _) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            } else {
                #expect(error == refusal)
            }
        }

        @Test("A transport that is released ends requests that are asked about")
        func released() async throws {
            let bench = try SecureBench()
            defer { bench.stop() }
            let asking = try Asking()
            defer { asking.bench.stop() }
            var transport: SocketTransport? = bench.authority.socketTransport()
            var request = TransportRequest(
                id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI(bench.url())))
            request.route.trust = TransportRoute.Trust(judge: TrustToken())
            transport?.start(request, receiver: asking)
            _ = try await asking.questions.wait(for: 1)
            transport = nil
            guard case .failed(.cancelled, _) = try await asking.result(request.id).error else {
                Issue.record("\(asking.results.entries)")
                return
            }
            try await waitUntil("the end") { bench.front.handshakes.allSatisfy { !$0.isOpen } }
            #expect(bench.server.requestCount == 0)
        }

        @Test("Answers without a question, to another request or a second time change nothing")
        func strayAnswers() async throws {
            let asking = try Asking()
            defer { asking.bench.stop() }
            let error = TransportError.failed(.unknown, "stray")
            let opened = try asking.transport.open()
            let started = Locked<TransportTaskID?>(nil)
            await onThreads(1) { _ in
                // While the loop stands still, so that the answer comes before the question.
                let (isStopped, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let stop = PoolCommand.inspect {
                    isStopped.signal()
                    goesOn.wait()
                }
                opened.inbox.post(LoopMessage(pool: opened.pool, command: stop))
                isStopped.wait()
                if let id = try? asking.start("/1") {
                    asking.transport.answer(id, .refuse(error))
                    started.withLock { $0 = id }
                }
                goesOn.signal()
            }
            let first = try #require(started.withLock { $0 })
            let second = try asking.start("/2")
            asking.transport.answer(TransportTaskID(request: 99), .refuse(error))
            let asked = try await asking.questions.wait(for: 2)
            #expect(Set(asked.map(\.id)) == [first, second])
            asking.transport.answer(first, .accept)
            asking.transport.answer(first, .refuse(error))
            #expect(try await asking.text(first) == "/1")
            #expect(asking.results.count == 1)
            asking.transport.answer(second, .accept)
            #expect(try await asking.text(second) == "/2")
        }

        @Test("A connection serves requests of the same trust only, and so does a session of TLS", arguments: versions, [true, false])
        func sharing(version: TLSFront.Version, closing: Bool) async throws {
            let asking = try Asking(version, closing: closing)
            defer { asking.bench.stop() }
            func askedText(_ path: String, isNew: Bool) async throws {
                let count = asking.questions.count
                let id = try asking.start(path)
                if isNew {
                    _ = try await asking.questions.wait(for: count + 1)
                    asking.transport.answer(id, .accept)
                }
                #expect(try await asking.text(id) == path)
                #expect(asking.questions.count == count + (isNew ? 1 : 0))
            }
            #expect(try await asking.text(asking.start("/1", asks: false)) == "/1")
            try await askedText("/2", isNew: true)
            #expect(try await asking.text(asking.start("/3", asks: false)) == "/3")
            // The verdict on its session stands.
            try await askedText("/4", isNew: false)
            let handshakes = asking.bench.front.handshakes
            #expect(handshakes.map(\.isResumed) == (closing ? [false, false, true, true] : [false, false]))
        }
    }
#endif
