#if os(Linux)
    import CFirewheelSystem
    import Glibc
    import Testing

    @testable import Firewheel

    @Suite("Watched sockets")
    struct WatchedSocketsTests {
        private final class Owner: SocketOwner {
            func socketIsReady(_ readiness: Readiness) {}
        }

        @Test("A socket that is to be reported again is listed once a turn, and not beyond its end")
        func listed() throws {
            let poller = epoll_create1(Int32(EPOLL_CLOEXEC))
            defer { close(poller) }
            let (first, second) = (Owner(), Owner())
            var sockets = WatchedSockets(poller: poller)
            let socket = sockets.add(poller, owner: first)
            #expect(sockets.list(socket))
            // Otherwise the list would grow with each turn in which its owner asks for the next one.
            #expect(!sockets.list(socket))
            #expect(sockets.unlist(socket) === first)
            #expect(sockets.list(socket))
            sockets.remove(socket)
            let next = sockets.add(poller, owner: second)
            #expect(sockets.unlist(socket) == nil)
            #expect(sockets.list(next))
            #expect(sockets.unlist(next) === second)
            withExtendedLifetime((first, second)) {}
        }
    }
#endif
