#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// What a socket is watched for, and what it is ready for.
    struct Readiness: OptionSet {
        let rawValue: UInt8

        static let reading = Readiness(rawValue: 1)
        static let writing = Readiness(rawValue: 2)
    }

    /// What owns a socket that the loop watches.
    protocol SocketOwner: AnyObject {
        /// The socket can be read from or written to, or it has failed, which reading or writing tells.
        func socketIsReady(_ readiness: Readiness)
    }

    /// A socket that the loop watches, level-triggered: what is ready is reported until it is no longer.
    struct WatchedSocket {
        let descriptor: Int32
        fileprivate(set) var interest: Readiness = []
        fileprivate let slot: UInt32
        fileprivate let generation: UInt32
    }

    /// The sockets that the loop watches.
    struct WatchedSockets {
        private struct Slot {
            unowned(unsafe) var owner: (any SocketOwner)?
            /// Whether it is to be reported whatever the system says.
            var isListed = false
            /// Tells the slot's uses apart, because a socket may be closed while an event of it waits to be handled.
            var generation: UInt32 = 0
        }

        private let poller: Int32
        private var slots: [Slot] = []
        private var free: [UInt32] = []

        init(poller: Int32) {
            self.poller = poller
        }

        var count: Int { slots.count - free.count }

        /// Takes a socket in, which is not watched for anything yet.
        mutating func add(_ descriptor: Int32, owner: any SocketOwner) -> WatchedSocket {
            let index: UInt32
            if let last = free.popLast() {
                index = last
            } else {
                index = UInt32(slots.count)
                slots.append(Slot())
            }
            slots[Int(index)].owner = owner
            return WatchedSocket(descriptor: descriptor, slot: index, generation: slots[Int(index)].generation)
        }

        mutating func setOwner(_ owner: any SocketOwner, of socket: WatchedSocket) {
            slots[Int(socket.slot)].owner = owner
        }

        /// Changes what a socket is watched for. A socket that is not watched for anything cannot fail either, as far as the loop is
        /// concerned.
        ///
        /// - Returns: False if the system has no memory left.
        func watch(_ socket: inout WatchedSocket, for interest: Readiness) -> Bool {
            guard interest != socket.interest else { return true }
            var events: UInt32 = 0
            if interest.contains(.reading) { events |= EPOLLIN.rawValue }
            if interest.contains(.writing) { events |= EPOLLOUT.rawValue }
            var event = epoll_event(events: events, data: epoll_data(u64: UInt64(socket.generation) << 32 | UInt64(socket.slot)))
            let operation = interest.isEmpty ? EPOLL_CTL_DEL : socket.interest.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            guard epoll_ctl(poller, operation, socket.descriptor, &event) == 0 else { return false }
            socket.interest = interest
            return true
        }

        /// Forgets a socket, which its owner closes next.
        mutating func remove(_ socket: WatchedSocket) {
            var event = epoll_event()
            // Closing alone would leave it in the poller if a forked process has a copy.
            if !socket.interest.isEmpty { epoll_ctl(poller, EPOLL_CTL_DEL, socket.descriptor, &event) }
            slots[Int(socket.slot)].owner = nil
            slots[Int(socket.slot)].isListed = false
            slots[Int(socket.slot)].generation &+= 1
            free.append(socket.slot)
        }

        /// Notes that a socket is to be reported whatever the system says. False if that was noted before.
        mutating func list(_ socket: WatchedSocket) -> Bool {
            guard !slots[Int(socket.slot)].isListed else { return false }
            slots[Int(socket.slot)].isListed = true
            return true
        }

        /// The owner of a socket that was listed, which it is no longer; nil if the owner has closed it since.
        mutating func unlist(_ socket: WatchedSocket) -> (any SocketOwner)? {
            let index = Int(socket.slot)
            guard slots[index].generation == socket.generation else { return nil }
            slots[index].isListed = false
            return slots[index].owner
        }

        /// The owner that an event is for; nil if it has closed its socket since.
        func owner(of event: epoll_event) -> (any SocketOwner)? {
            let index = Int(UInt32(truncatingIfNeeded: event.data.u64))
            guard index < slots.count, slots[index].generation == UInt32(event.data.u64 >> 32) else { return nil }
            return slots[index].owner
        }
    }

    extension Readiness {
        /// A failed socket is ready for everything.
        init(_ event: epoll_event) {
            var readiness: Readiness = []
            if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.reading) }
            if event.events & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.writing) }
            self = readiness
        }
    }
#endif
