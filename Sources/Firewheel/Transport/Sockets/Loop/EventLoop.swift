#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// A thread that watches sockets and timers, for any number of pools. It blocks in `epoll_wait` only, and runs none of the caller's
    /// code.
    ///
    /// Other threads reach it through its inbox. A turn takes the commands, looks at the sockets, executes the commands, fires timers, and
    /// hands over what has happened in one batch a receiver.
    final class EventLoop: @unchecked Sendable {
        // Sound because `inbox` is a constant, and everything else is used on the loop's thread only: by `run()` and what it calls.
        // Dynamic exclusivity checks are off because of their cost: no modification calls code that comes back to the same property.

        /// The most long steps of a turn.
        private static let mostLongSteps = 4
        private static let current = Locked<EventLoop?>(nil)

        /// The loop of this process, started on first use.
        ///
        /// - Throws: ``TransportError`` if the process is out of file descriptors or threads.
        static func shared() throws(TransportError) -> EventLoop {
            let result = current.withLock { current -> Result<EventLoop, TransportError> in
                if let current { return .success(current) }
                do throws(TransportError) {
                    let loop = try EventLoop()
                    let hasStarted = PlatformThread.start(name: "firewheel.io") {
                        PlatformThread.detach(PlatformThread.current)
                        loop.run()
                    }
                    // Without a thread its requests would never end; a later call may succeed.
                    guard hasStarted else { throw .failed(.unknown, "out of threads") }
                    current = loop
                    return .success(loop)
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }

        /// In seconds. A shorter delay within a turn is ignored.
        private static let noticedDelay = 0.01

        let inbox: LoopInbox<LoopMessage>
        private let poller: Int32
        /// The time of this turn. Reading the clock for every event would cost more than handling most events does.
        @exclusivity(unchecked) private(set) var now = MonotonicInstant.now()
        @exclusivity(unchecked) private var sockets: WatchedSockets
        @exclusivity(unchecked) private var timers = LoopTimers()
        /// The pools with something to start or hand over.
        @exclusivity(unchecked) private var activePools: [ConnectionPool] = []
        /// Those of the turn that is being finished.
        @exclusivity(unchecked) private var pools: [ConnectionPool] = []
        @exclusivity(unchecked) private var messages: [LoopMessage] = []
        @exclusivity(unchecked) private var events = [epoll_event](repeating: epoll_event(), count: 256)
        /// The sockets to report in the next turn, whatever the system says of them, and those of the turn under way.
        @exclusivity(unchecked) private var unread: [WatchedSocket] = []
        @exclusivity(unchecked) private var reread: [WatchedSocket] = []
        @exclusivity(unchecked) private var followUps = FollowUps()
        /// Whether the loop has slept since the clock was last read.
        @exclusivity(unchecked) private var hasSlept = false
        /// How many more long steps this turn has time for.
        @exclusivity(unchecked) private var longSteps = 0
        /// What is received is read here, unless it has a better place.
        let scratch: UnsafeMutableRawBufferPointer
        /// Requests are written here; see ``takeOutput()``.
        @exclusivity(unchecked) private var output: [UInt8] = []

        private init() throws(TransportError) {
            guard let inbox = LoopInbox<LoopMessage>() else { throw .failed(.unknown, "out of file descriptors") }
            poller = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard poller >= 0 else { throw .failed(.unknown, "out of file descriptors") }
            self.inbox = inbox
            sockets = WatchedSockets(poller: poller)
            // Edge-triggered: a write wakes the loop once, and the counter need not be read.
            var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data(u64: .max))
            guard epoll_ctl(poller, EPOLL_CTL_ADD, inbox.wakeDescriptor, &event) == 0 else {
                Glibc.close(poller)
                throw .failed(.unknown, "the transport could not be set up")
            }
            scratch = .allocate(byteCount: 65_536, alignment: 16)
        }

        deinit {
            Glibc.close(poller)
            scratch.deallocate()
        }

        // MARK: Turns

        private func run() {
            while true { turn() }
        }

        private func turn() {
            if followUps.areExpected { followUps.await { inbox.hasCommands } }
            // Bytes that came on an idle connection before a request was started must be seen before it is sent: so sockets are looked at
            // after commands are taken, and before these are executed.
            inbox.take(&messages)
            var count = awaitEvents(maySleep: messages.isEmpty)
            if messages.isEmpty {
                inbox.take(&messages)
                // Level-triggered, so that the same sockets are reported again.
                if !messages.isEmpty { count = awaitEvents(maySleep: false) }
            }
            takeTime()
            longSteps = Self.mostLongSteps
            dispatch(count)
            reportUnread()
            execute()
            fireTimers()
            finishTurn()
        }

        /// Collects socket events. If allowed, sleeps until an event, a command or a timer.
        private func awaitEvents(maySleep: Bool) -> Int {
            // The buffer fits all sockets, so that one call reports every one that is ready.
            while events.count <= sockets.count { events += [epoll_event](repeating: epoll_event(), count: events.count) }
            var timeout: Int32 = 0
            if maySleep, activePools.isEmpty, unread.isEmpty, inbox.prepareToSleep() {
                let due = timers.next()
                // Without timers nobody asks how long the turn has taken.
                if due != nil { takeTime() }
                timeout = LoopSleep.milliseconds(from: now, until: due)
                hasSlept = true
            }
            return max(0, Int(epoll_wait(poller, &events, Int32(events.count), timeout)))
        }

        /// Reads the clock.
        ///
        /// Activity is dated with the start of its turn. After a long turn, as when the process was stopped in the middle of it, the
        /// owners of timers move that date, so that an idle timeout does not include the delay.
        private func takeTime() {
            let (last, isDelay) = (now, !hasSlept)
            (now, hasSlept) = (.now(), false)
            guard isDelay, now > last.advanced(by: Self.noticedDelay) else { return }
            timers.forEachOwner { $0.wasHeldUp(since: last, until: now) }
        }

        private func dispatch(_ count: Int) {
            for index in 0..<count {
                guard let owner = sockets.owner(of: events[index]) else { continue }
                owner.socketIsReady(Readiness(events[index]))
            }
        }

        private func reportUnread() {
            guard !unread.isEmpty else { return }
            swap(&unread, &reread)
            for socket in reread { sockets.unlist(socket)?.socketIsReady(.reading) }
            reread.removeAll(keepingCapacity: true)
        }

        private func fireTimers() {
            let due = now
            guard let next = timers.next(), next <= due else { return }
            // What had arrived by then counts: the process may have been stopped since the sockets were last looked at. The time is taken
            // before the sockets are looked at, so that no time limit ends a request whose response arrived before it.
            takeTime()
            dispatch(awaitEvents(maySleep: false))
            while let owner = timers.popDue(at: due) { owner.timerFired() }
        }

        private func execute() {
            for message in messages { message.pool.object.execute(message.command) }
            messages.removeAll(keepingCapacity: true)
        }

        private func finishTurn() {
            guard !activePools.isEmpty else { return }
            swap(&activePools, &pools)
            defer { pools.removeAll(keepingCapacity: true) }
            var hasEnded = false
            for pool in pools where pool.finishTurn() { hasEnded = true }
            // If other requests are under way, the next event is not far off.
            if hasEnded, pools.allSatisfy({ $0.transferCount == 0 }) { followUps.noteIdle() }
        }

        // MARK: Calls on the loop's thread

        /// Has `finishTurn` called at the end of this turn. The pool must not ask twice.
        func noteActive(_ pool: ConnectionPool) {
            activePools.append(pool)
        }

        func add(_ descriptor: Int32, owner: any SocketOwner) -> WatchedSocket { sockets.add(descriptor, owner: owner) }
        func setOwner(_ owner: any SocketOwner, of socket: WatchedSocket) { sockets.setOwner(owner, of: socket) }
        func watch(_ socket: inout WatchedSocket, for interest: Readiness) -> Bool { sockets.watch(&socket, for: interest) }

        /// Reports a socket as ready for reading in the next turn: TLS holds bytes of it, of which the system does not know.
        func lookAgain(at socket: WatchedSocket) {
            if sockets.list(socket) { unread.append(socket) }
        }

        /// Forgets and closes a socket.
        func close(_ socket: WatchedSocket) {
            sockets.remove(socket)
            Glibc.close(socket.descriptor)
        }

        /// Whether there is time in this turn for a step that may take a millisecond. Who has to wait is not to take its socket's event in,
        /// so that it is reported again.
        func mayTakeLongStep() -> Bool {
            guard longSteps > 0 else { return false }
            longSteps -= 1
            return true
        }

        func set(_ timer: LoopTimer, by instant: MonotonicInstant) { timers.set(timer, by: instant) }
        func end(_ timer: LoopTimer) { timers.end(timer) }

        /// An empty buffer to write a request to. It is given back when it has been sent, so that most requests need no memory.
        func takeOutput() -> [UInt8] {
            let buffer = output
            output = []
            return buffer
        }

        func giveBack(_ buffer: consuming [UInt8]) {
            guard buffer.capacity <= 262_144 else { return }
            output = buffer
            output.removeAll(keepingCapacity: true)
        }
    }

    /// A command for one of the loop's pools.
    struct LoopMessage: Sendable {
        let pool: PoolReference
        let command: PoolCommand
    }

    /// Carries a pool to its loop's thread.
    struct PoolReference: @unchecked Sendable {
        // Sound because any thread may hold the reference, but only the loop's thread uses the pool, to which commands come from the inbox.
        // The last reference may be released elsewhere: `close()` has emptied the pool on the loop by then.
        let object: ConnectionPool
    }
#endif
