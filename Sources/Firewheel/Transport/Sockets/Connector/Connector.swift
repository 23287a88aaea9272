#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// Opens one connection to a host: races its addresses, and hands over the first socket that stands.
    final class Connector: TimerOwner {
        /// What a connector has come to.
        enum Outcome {
            case connected(WatchedSocket, SocketAddress)
            /// With the errno of the most telling failure.
            case failed(Int32)
        }

        /// A socket that is being connected.
        private final class Attempt: SocketOwner {
            let address: SocketAddress
            var socket: WatchedSocket?
            unowned let connector: Connector

            init(_ address: SocketAddress, connector: Connector) {
                self.address = address
                self.connector = connector
            }

            func socketIsReady(_ readiness: Readiness) {
                connector.attemptIsReady(self)
            }
        }

        let addresses: [SocketAddress]
        private let loop: EventLoop
        @exclusivity(unchecked) private var race: AddressRace<SocketAddress>
        @exclusivity(unchecked) private var attempts: [Attempt] = []
        private var failure: Int32 = 0
        @exclusivity(unchecked) private var done: ((Outcome) -> Void)?
        private var timer: LoopTimer?

        /// - Parameters:
        ///   - firstFamily: The address family to begin with; nil for that of the first address.
        ///   - done: Called once, unless the connector is cancelled. May be called within `start`.
        init(_ addresses: [SocketAddress], firstFamily: Int32?, loop: EventLoop, done: @escaping (Outcome) -> Void) {
            self.addresses = addresses
            self.loop = loop
            self.done = done
            let family = firstFamily ?? addresses.first?.family
            race = AddressRace(addresses, now: loop.now) { $0.family == family }
        }

        func start() {
            goOn()
        }

        func cancel() {
            done = nil
            clear()
        }

        func timerFired() {
            goOn()
        }

        /// An address that is tried too early does no harm.
        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {}

        private func goOn() {
            while done != nil, let address = race.next(now: loop.now) { attempt(address) }
            guard done != nil else { return }
            if race.isLost { return end(.failed(failure)) }
            guard let wakeUp = race.wakeUp else { return }
            let timer = timer ?? LoopTimer(self)
            self.timer = timer
            loop.set(timer, by: wakeUp)
        }

        private func attempt(_ address: SocketAddress) {
            let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return failed(errno) }
            guard DescriptorReserve.isKept(behind: descriptor) else {
                close(descriptor)
                return failed(EMFILE)
            }
            // Pieces of a body are sent as they come.
            var isOn: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let result = address.withPointer { connect(descriptor, $0, $1) }
            let code = result == 0 ? 0 : errno
            guard code == 0 || code == EINPROGRESS || code == EINTR else {
                close(descriptor)
                return failed(code)
            }
            let attempt = Attempt(address, connector: self)
            var socket = loop.add(descriptor, owner: attempt)
            if code == 0 { return end(.connected(socket, address)) }
            guard loop.watch(&socket, for: .writing) else {
                loop.close(socket)
                return failed(ENOMEM)
            }
            attempt.socket = socket
            attempts.append(attempt)
        }

        private func attemptIsReady(_ attempt: Attempt) {
            guard let socket = attempt.socket, let index = attempts.firstIndex(where: { $0 === attempt }) else { return }
            attempts.remove(at: index)
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            if getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { code = errno }
            if code == 0 { return end(.connected(socket, attempt.address)) }
            loop.close(socket)
            failed(code)
            goOn()
        }

        private func failed(_ code: Int32) {
            race.failed(now: loop.now)
            // That a family has no network says less than what another address has answered.
            let isUnreachable = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(code)
            if failure == 0 || !isUnreachable { failure = code }
        }

        private func end(_ outcome: Outcome) {
            let done = done.take()
            clear()
            done?(outcome)
        }

        private func clear() {
            for attempt in attempts { if let socket = attempt.socket { loop.close(socket) } }
            attempts = []
            if let timer { loop.end(timer) }
            timer = nil
        }
    }
#endif
