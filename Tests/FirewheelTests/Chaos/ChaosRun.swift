#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    @testable import Firewheel

    /// Runs one scenario on real sockets. Blocks the calling thread.
    final class ChaosRun: Sendable {
        /// No run takes this long, even on a busy machine, so a longer wait is a failure.
        static let patience: TimeInterval = 120

        let scenario: ChaosScenario
        private let number: Int
        private let server: ChaosServer
        private let began = DispatchTime.now().uptimeNanoseconds
        private let folder: URL
        private let lock = NSLock()
        // Only touched while holding `lock`.
        private nonisolated(unsafe) var session: Session?
        private nonisolated(unsafe) var trips: [ChaosTrip] = []
        private nonisolated(unsafe) var found: [String] = []
        private nonisolated(unsafe) var handles: ChaosHandles?
        private nonisolated(unsafe) var legRecords: [ChaosLegRecord] = []
        private nonisolated(unsafe) var feedRecord: ChaosFeedRecord?

        init(_ scenario: ChaosScenario, number: Int, server: ChaosServer, folder: URL) {
            self.scenario = scenario
            self.number = number
            self.server = server
            self.folder = folder.appendingPathComponent("\(number)")
        }

        /// The session's folder for temporary files.
        private var temporary: URL { folder.appendingPathComponent("temporary") }

        var microseconds: Int { Int((DispatchTime.now().uptimeNanoseconds - began) / 1000) }

        private var currentSession: Session? { lock.withLock { session } }
        private var allTrips: [ChaosTrip] { lock.withLock { trips } }

        /// Records a problem found on another thread.
        func note(_ problem: String) { lock.withLock { found.append(problem) } }

        /// The problems found so far, also after the run.
        var problems: [String] { lock.withLock { found } }

        /// When the session is released.
        enum Moment {
            /// As the scenario says, on the thread of the steps.
            case planned
            /// By a handler.
            case sudden
            /// After all requests have ended.
            case over
        }

        /// The record of each leg of the chain, after the run.
        var legs: [ChaosLegRecord] { lock.withLock { legRecords } }

        /// The record of the feed, after the run.
        var feed: ChaosFeedRecord? { lock.withLock { feedRecord } }

        func releaseSession(_ moment: Moment) {
            // Half of the sessions are only released, and their requests go on.
            let invalidates = number.isMultiple(of: 2)
            if moment != .over {
                for trip in allTrips { trip.willRelease(isPlanned: moment == .planned, invalidates: invalidates) }
                if invalidates, let session = currentSession {
                    session.invalidate()
                    for trip in allTrips { trip.notes.didCut() }
                }
            }
            let last = lock.withLock { () -> Session? in
                defer { session = nil }
                return session
            }
            withExtendedLifetime(last) {}
        }

        func closeIdleConnections() { currentSession?.closeIdleConnections() }

        /// Cancels the trip after another one.
        func cancel(after trip: ChaosTrip) {
            let trips = allTrips
            guard let index = trips.firstIndex(where: { $0 === trip }), trips.count > 1 else { return }
            trips[(index + 1) % trips.count].cancel(byAnother: true)
        }

        /// - Returns: The record of each trip.
        func perform() -> [ChaosRecord] {
            server.begin(number, scenario)
            try? FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
            let witness = makeSession()
            let engine = ChaosWeak(currentSession?.engine)
            makeTrips()
            let (chain, feed) = (startChain(), startFeed())
            let elsewhere = DispatchGroup()
            for (at, work, isElsewhere) in timeline() {
                let wait = at - microseconds
                if wait > 0 { usleep(UInt32(wait)) }
                if isElsewhere { DispatchQueue.global().async(group: elsewhere, execute: work) } else { work() }
            }
            elsewhere.wait()
            finish(witness)
            chain?.join()
            feed?.join()
            return conclude(engine, witness)
        }

        /// Runs the chain on a thread of its own.
        private func startChain() -> ChaosThread? {
            guard let chain = scenario.chain, let file = server.file(number) else { return nil }
            let runner = ChaosChainRun(
                chain, file, run: number, server: server, folder: folder.appendingPathComponent("chain"))
            return ChaosThread {
                let (records, problems) = runner.perform()
                let verdict = ChaosChainVerdict(file: file)
                let found = problems + records.enumerated().flatMap { verdict.problems(of: $0.offset, $0.element) }
                self.lock.withLock {
                    self.found += found
                    self.legRecords = records
                }
            }
        }

        /// Reads the feed on a thread of its own.
        private func startFeed() -> ChaosThread? {
            guard let feed = scenario.feed else { return nil }
            let runner = ChaosFeedRun(feed, run: number, server: server, folder: folder.appendingPathComponent("feed"))
            return ChaosThread {
                let (record, problems) = runner.perform()
                let found = problems + ChaosFeedVerdict(feed: feed).problems(of: record)
                self.lock.withLock {
                    self.found += found
                    self.feedRecord = record
                }
            }
        }

        // MARK: Setup

        private func makeSession() -> ChaosWitness? {
            var configuration = SessionConfiguration()
            configuration.maximumConnectionsPerHost = scenario.connectionsPerHost
            configuration.maximumResponseBodySize = scenario.bodyLimit
            configuration.expectsContinue = scenario.expectsContinue
            configuration.temporaryDirectory = temporary
            configuration.timeoutIntervalForRequest = Self.patience * 2
            if let seconds = scenario.idleAge { configuration.idleConnectionTimeout = TimeInterval(seconds) }
            if !scenario.keepsCookies { configuration.cookies = .off }
            configuration.maximumConnectionLifetime = scenario.lifetime.map { TimeInterval($0) }
            if let milliseconds = scenario.resourceTimeout { configuration.timeoutIntervalForResource = TimeInterval(milliseconds) / 1000 }
            let transport = server.transport(configuration)
            let watched = ChaosHandles(transport)
            let witness = scenario.hasWitness ? ChaosWitness(transport) : nil
            let new = Session(
                configuration: configuration, transport: witness ?? transport, startRequestsImmediately: scenario.startsImmediately,
                interceptor: scenario.hasSessionInterceptor ? ChaosNotes.interceptor : nil)
            do {
                try scenario.prepare(new, run: number) { server.base($0, isAbroad: $1, of: scenario) }
            } catch {
                note("the session took no credentials: \(error)")
            }
            lock.withLock {
                session = new
                handles = watched
            }
            return witness
        }

        private func makeTrips() {
            guard let session = currentSession else { return }
            let made = scenario.trips.indices.compactMap { index -> ChaosTrip? in
                let notes = ChaosNotes()
                let url = scenario.url(server.url(number, index, 0, of: scenario), run: number, trip: index)
                guard let request = try? ChaosRequests(scenario: scenario, folder: folder).make(index, url, session, notes) else {
                    note("trip \(index) could not be made")
                    return nil
                }
                scenario.prepare(request, run: number, trip: index)
                return ChaosTrip(scenario.trips[index], request, notes, run: self)
            }
            lock.withLock { trips = made }
        }

        private func timeline() -> [(at: Int, work: @Sendable () -> Void, isElsewhere: Bool)] {
            var timeline: [(at: Int, work: @Sendable () -> Void, isElsewhere: Bool)] = []
            for trip in allTrips {
                timeline.append((trip.plan.begins, { trip.plan.handlers.forEach(trip.attach) }, false))
                for step in trip.plan.steps { timeline.append((step.at, { trip.perform(step.action) }, step.isElsewhere)) }
            }
            for closing in scenario.closings { timeline.append((closing.at, { self.closeIdleConnections() }, closing.isElsewhere)) }
            if let release = scenario.release { timeline.append((release, { self.releaseSession(.planned) }, false)) }
            // Steps of the same moment keep their order.
            return timeline.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        }

        // MARK: End

        /// Waits for the end of every trip.
        private func finish(_ witness: ChaosWitness?) {
            let trips = allTrips
            for (index, trip) in trips.enumerated() {
                if !trip.hasHandlers { trip.attach(ChaosScenario.Handler()) }
                trip.request.resume()
                // A trip that never ends by itself is cancelled now.
                if ChaosOracle(scenario: scenario).mayLast(index) { trip.cancel() }
            }
            let deadline = Date(timeIntervalSinceNow: Self.patience)
            for (index, trip) in trips.enumerated() where !trip.waitForHandlers(until: deadline) {
                note("trip \(index) has handlers that were not called in \(Self.patience) seconds; its state is \(trip.request.state)")
            }
            for (index, trip) in trips.enumerated() {
                // The last handler may still be running.
                let isOver = waitUntil { trip.request.isFinished || trip.request.isCancelled }
                if !isOver { note("trip \(index) is over and in the state \(trip.request.state)") }
            }
            checkEmpty(witness)
        }

        /// After the end neither the session nor its transport may hold anything.
        private func checkEmpty(_ witness: ChaosWitness?) {
            if let engine = currentSession?.engine, !waitUntil({ engine.registry.all.isEmpty }) {
                note("the registry is not empty")
            }
            if let witness, !waitUntil({ witness.heldCount == 0 }) { note("the transport holds \(witness.heldCount) transfers") }
            if let handles = lock.withLock({ handles }), !waitUntil({ handles.areBack }) {
                note("transfers are left over: \(handles.description)")
            }
            if let witness, !witness.unended.isEmpty { note("the transport never ended \(witness.unended)") }
        }

        private func conclude(_ engine: ChaosWeak<Engine>, _ witness: ChaosWitness?) -> [ChaosRecord] {
            let session = ChaosWeak(currentSession)
            releaseSession(.over)
            if !waitUntil({ session.object == nil }) { note("the session is still there") }
            let requests = allTrips.map { ChaosWeak($0.request) }
            let closed = allTrips.map { $0.close() }
            lock.withLock { trips = [] }
            if !waitUntil({ requests.allSatisfy { $0.object == nil } }) { note("requests are still there") }
            // Every transfer and every request holds the engine.
            if !waitUntil({ engine.object == nil }) { note("the engine is still there") }
            // A witness holds the transport.
            if witness == nil, let handles = lock.withLock({ handles }), !waitUntil({ handles.areFreed }) {
                note("transfers or connections have outlived their transport: \(handles.description)")
            }
            for problem in witness?.problems ?? [] { note("the transport broke its rules: \(problem)") }
            // Files are removed on another thread, so that they may be there a moment longer.
            func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: temporary.path)) ?? [] }
            if !waitUntil({ files().isEmpty }) { note("temporary files were left: \(files())") }
            try? FileManager.default.removeItem(at: folder)
            let arrivals = server.end(number)
            return closed.enumerated().map { index, record in
                var record = record
                record.requests = arrivals[index] ?? []
                return record
            }
        }

        /// What follows a problem is not awaited for long, so that the run ends before its process is given up.
        private func waitUntil(_ condition: () -> Bool) -> Bool {
            Self.waitUntil(within: problems.isEmpty ? Self.patience : 2, condition)
        }

        /// - Returns: False if the condition does not hold in time.
        static func waitUntil(within seconds: TimeInterval = patience, _ condition: () -> Bool) -> Bool {
            let deadline = Date(timeIntervalSinceNow: seconds)
            while !condition() {
                if Date() > deadline { return false }
                usleep(500)
            }
            return true
        }
    }

    /// A thread to wait for.
    final class ChaosThread: Sendable {
        private let thread = Locked<UInt?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        init(_ work: @escaping @Sendable () -> Void) {
            let hasStarted = PlatformThread.start(name: "test", stackSize: 8 << 20) { [thread, isDone] in
                thread.withLock { $0 = PlatformThread.current }
                work()
                isDone.signal()
            }
            if !hasStarted {
                work()
                isDone.signal()
            }
        }

        func join() {
            isDone.wait()
            if let thread = thread.withLock({ $0 }) { PlatformThread.join(thread) }
        }
    }

    struct ChaosWeak<Object: AnyObject & Sendable>: Sendable {
        weak var object: Object?

        init(_ object: Object?) { self.object = object }
    }
#endif
