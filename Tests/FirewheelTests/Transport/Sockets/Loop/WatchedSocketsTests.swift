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
            // Otherwise the list would grow with each turn in which its owner asks for the next one.
            let isListed = [sockets.list(socket), sockets.list(socket)]
            #expect(isListed == [true, false])
            let owner = sockets.unlist(socket)
            #expect(owner === first)
            let isListedAgain = sockets.list(socket)
            #expect(isListedAgain)
            sockets.remove(socket)
            // It takes the same place.
            let next = sockets.add(poller, owner: second)
            let gone = sockets.unlist(socket)
            #expect(gone == nil)
            let isNextListed = sockets.list(next)
            #expect(isNextListed)
            let nextOwner = sockets.unlist(next)
            #expect(nextOwner === second)
            withExtendedLifetime((first, second)) {}
        }
    }
#endif
