#if os(Linux)
    import Firewheel
    import Foundation

    @testable import FirewheelTesting

    /// The servers of all runs. Each hop has the path `/c/RUN/TRIP/HOP`, or `/e/…` if it is answered before the body is read, and `/u/…` if
    /// it is one of an upload.
    final class ChaosServer: Sendable {
        let feeds = ChaosFeedServer()
        private let authority: TestAuthority
        private let server: ChaosFronts
        /// Reads bodies slowly.
        private let slow: ChaosFronts
        /// A port without a listener.
        private let deafPort: Int
        // Sound because it is only held to reserve the port.
        private nonisolated(unsafe) let deaf: BoundSocket
        private let lock = NSLock()
        // Only touched while holding `lock`.
        private nonisolated(unsafe) var runs: [Int: (scenario: ChaosScenario, gates: [ChaosGate], began: DispatchTime)] = [:]
        private nonisolated(unsafe) var files: [Int: ChaosFile] = [:]
        private nonisolated(unsafe) var servings: [Int: [ChaosServing]] = [:]
        private nonisolated(unsafe) var arrivals: [Int: [Int: [ChaosRecord.Arrival]]] = [:]

        init() throws {
            authority = try TestAuthority()
            // The file is made now, outside of the temporary folder that the runs must leave empty.
            _ = authority.pemFile
            let identity = try authority.identity(names: ["localhost"], addresses: ["127.0.0.1"])
            server = try ChaosFronts(of: MockServer(recordsRequests: false), identity)
            slow = try ChaosFronts(of: MockServer(recordsRequests: false), identity)
            deaf = try BoundSocket(listening: false)
            deafPort = deaf.port
            for server in [server.plain, slow.plain] {
                server.route("/c/*") { [weak self] in self?.answer($0, isWhole: true) ?? .status(410) }
                server.route("/e/*", beforeBody: true) { [weak self] in self?.answer($0, isWhole: false) ?? .status(410) }
                server.exchange("/u/*") { [weak self] in try self?.takeIn($0) }
                server.route("/f/*") { [feeds] in feeds.answer($0) }
                server.exchange("/r/*") { [weak self] in try self?.serveFile($0) }
            }
            slow.plain.readBodies { [weak self] request in
                guard let (scenario, _, trip, _) = self?.place(of: request), let pause = scenario.trips[trip].readPause else { return }
                usleep(UInt32(pause))
            }
        }

        var openConnectionCount: Int { server.openConnectionCount + slow.openConnectionCount }

        func shutdown() {
            server.shutdown()
            slow.shutdown()
        }

        /// A transport that trusts the servers.
        func transport(_ configuration: SessionConfiguration) -> SocketTransport { authority.socketTransport(configuration) }

        func begin(_ run: Int, _ scenario: ChaosScenario) {
            let gates = scenario.trips.indices.map { ChaosGate(scenario, run: run, trip: $0) }
            let file = scenario.chain.map { ChaosFile($0, seed: scenario.seed) }
            if let feed = scenario.feed { feeds.begin(run, feed) }
            lock.withLock {
                runs[run] = (scenario, gates, .now())
                files[run] = file
            }
        }

        /// Removes a run and returns the requests received for each trip.
        func end(_ run: Int) -> [Int: [ChaosRecord.Arrival]] {
            feeds.end(run)
            return lock.withLock {
                runs[run] = nil
                files[run] = nil
                servings[run] = nil
                return arrivals.removeValue(forKey: run) ?? [:]
            }
        }

        func url(_ run: Int, _ trip: Int, _ hop: Int, attempt: Int = 0, of scenario: ChaosScenario) -> String {
            base(trip, isAbroad: scenario.trips[trip].access.abroad.contains(hop), of: scenario)
                + path(run, trip, hop, attempt, of: scenario)
        }

        /// An origin of a trip.
        func base(_ trip: Int, isAbroad: Bool, of scenario: ChaosScenario) -> String {
            let trip = scenario.trips[trip]
            let base = (trip.readPause == nil ? server : slow).url(isAbroad ? trip.serverAbroad : trip.server)
            return isAbroad ? base.replacing("127.0.0.1", with: "localhost") : base
        }

        private func path(_ run: Int, _ trip: Int, _ hop: Int, _ attempt: Int, of scenario: ChaosScenario) -> String {
            let trip = (plan: scenario.trips[trip], number: trip)
            let kind = trip.plan.upload != nil ? "u" : trip.plan.hops(of: attempt)[hop].isEarly ? "e" : "c"
            return "/\(kind)/\(run)/\(trip.number)/\(hop)"
        }

        /// Records what a request of a chain was answered, unless its run is over.
        func note(_ serving: ChaosServing, _ run: Int) {
            lock.withLock { if runs[run] != nil { servings[run, default: []].append(serving) } }
        }

        /// What the requests of a leg were answered.
        func servings(_ run: Int, leg: Int) -> [ChaosServing] {
            lock.withLock { (servings[run] ?? []).filter { $0.leg == leg } }
        }

        /// The file of a run's chain.
        func file(_ run: Int) -> ChaosFile? { lock.withLock { files[run] } }

        /// The origin of chains and feeds.
        func base(_ kind: ChaosScenario.ServerKind) -> String { server.url(kind) }

        func place(of request: RecordedRequest) -> (scenario: ChaosScenario, run: Int, trip: Int, hop: Int)? {
            let numbers = request.path.split(separator: "/").compactMap { Int($0) }
            guard numbers.count == 3, let scenario = lock.withLock({ runs[numbers[0]]?.scenario }) else { return nil }
            return (scenario, numbers[0], numbers[1], numbers[2])
        }

        /// Records a request, unless its run is over.
        func note(_ arrival: ChaosRecord.Arrival, _ run: Int, _ trip: Int) {
            lock.withLock { if runs[run] != nil { arrivals[run, default: [:]][trip, default: []].append(arrival) } }
        }

        func waitForBurst(_ run: Int, _ scenario: ChaosScenario) {
            guard let burst = scenario.burst, let began = lock.withLock({ runs[run]?.began }) else { return }
            let now = DispatchTime.now()
            let due = began + .microseconds(burst)
            if now < due { usleep(UInt32((due.uptimeNanoseconds - now.uptimeNanoseconds) / 1000)) }
        }

        private func answer(_ request: RecordedRequest, isWhole: Bool) -> MockResponse {
            guard let (scenario, run, trip, hop) = place(of: request) else { return .status(410) }
            // A GET has no body; others have the trip's, if the server has read it.
            let body = request.method == "GET" || request.method == "HEAD" || !isWhole ? nil : scenario.requestBody(trip)
            // 0 for a request without the field.
            let stamp = request.header(ChaosNotes.stamp).flatMap { Int($0) }
            let attempt = stamp ?? 0
            let isParameters = scenario.trips[trip].source == .parameters && request.method != "GET" && request.method != "HEAD"
            let hasRightBody = isParameters ? ["", "page=2"].contains(request.bodyText) : request.body == body ?? Data()
            var arrival = ChaosRecord.Arrival(request, hop: hop)
            arrival.hasRightBody = hasRightBody
            note(arrival, run, trip)
            if hop == 0, attempt == 0 { waitForBurst(run, scenario) }
            return answer(request, (scenario, run, trip, hop), attempt: attempt)
        }

        /// The response to a request that has been read.
        func answer(
            _ request: RecordedRequest, _ place: (scenario: ChaosScenario, run: Int, trip: Int, hop: Int), attempt: Int
        ) -> MockResponse {
            let gate = lock.withLock { runs[place.run]?.gates[place.trip] }
            return gate?.denial(of: request, hop: place.hop)
                ?? response(place.run, place.trip, place.hop, attempt, place.scenario)
        }

        private func response(_ run: Int, _ trip: Int, _ number: Int, _ attempt: Int, _ scenario: ChaosScenario) -> MockResponse {
            let hop = scenario.trips[trip].hops(of: attempt)[number]
            // Long enough that every cut in a head comes before its end.
            let padding = ("X-Padding", "a field that makes every head long enough")
            var response = MockResponse(status: hop.status, headers: [padding], body: scenario.body(trip, number, attempt: attempt))
            switch hop.content {
            case .empty: break
            case .bytes: response.headers.append(("Content-Type", "application/octet-stream"))
            case .text: response.headers.append(("Content-Type", "text/plain; charset=utf-8"))
            case .json: response.headers.append(("Content-Type", "application/json"))
            }
            switch hop.coding {
            case .none: break
            case .gzip:
                response.headers.append(("Content-Encoding", "gzip"))
                response.body = StoredGzip.encode(response.body)
            case .mislabelled: response.headers.append(("Content-Encoding", "gzip"))
            case .unknown: response.headers.append(("Content-Encoding", "secret"))
            }
            switch hop.leadsTo {
            case nil: break
            case .next: response.headers.append(("Location", location(run, trip, number, number + 1, attempt, scenario)))
            case .back(let earlier): response.headers.append(("Location", location(run, trip, number, earlier, attempt, scenario)))
            case .refused: response.headers.append(("Location", "http://127.0.0.1:\(deafPort)/"))
            case .noURL: response.headers.append(("Location", "http:///nowhere"))
            case .otherScheme: response.headers.append(("Location", "ftp://127.0.0.1/"))
            }
            let access = scenario.trips[trip].access
            if access.setsCookies {
                response.headers.append(ChaosGate.cookie("t\(trip)h\(number)", isAbroad: access.abroad.contains(number)))
            }
            response.framing = hop.framing
            response.headDelay = TimeInterval(hop.headDelay) / 1000
            response.bodyDelay = TimeInterval(hop.bodyDelay) / 1000
            response.throttle = hop.pieces.map { ($0.bytes, TimeInterval($0.every) / 1000) }
            response.informational = hop.interim.map { ($0, []) }
            response.httpVersion = hop.isHTTP10 ? "HTTP/1.0" : "HTTP/1.1"
            response.closesConnection = hop.closes
            response.fault = hop.fault
            return response
        }

        /// Where a redirect leads: every other one has an absolute URL, and so have all to another origin.
        private func location(_ run: Int, _ trip: Int, _ from: Int, _ hop: Int, _ attempt: Int, _ scenario: ChaosScenario) -> String {
            let abroad = scenario.trips[trip].access.abroad
            let isAbsolute = from.isMultiple(of: 2) && hop > from || abroad.contains(from) != abroad.contains(hop)
            return isAbsolute
                ? url(run, trip, hop, attempt: attempt, of: scenario) : path(run, trip, hop, attempt, of: scenario)
        }
    }
#endif
