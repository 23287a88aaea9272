#if os(Linux)
    import CFirewheelCurl
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    @Suite("The table of sockets")
    struct SocketTableTests {
        /// So it is where a server answers at once: libcurl 7.81 was done before it wanted anything watched in half of the runs of `ConnectionAgeTLSTests`.
        @Test("A connection that libcurl never wants watched is closed by its age, and seen when bytes come on it")
        func neverWatched() throws {
            let (descriptor, _) = try Loopback.bind()
            let poller = epoll_create1(Int32(EPOLL_CLOEXEC))
            defer {
                close(descriptor)
                close(poller)
            }
            let ages = CurlConnectionAges(.with { $0.idleConnectionTimeout = 5 })
            let channel = CurlChannel(
                loop: try CurlLoop.shared(), maximumConnectionsPerHost: 1, ages: ages, certificates: CurlCertificates())
            let now = Instant.now()
            var table = SocketTable()
            table.opened(descriptor, for: channel, carriesHTTP1: true, now: now)
            #expect(table.takeIdle(of: channel) == [descriptor])
            table.apply(poller)
            // It can only be changed if it is there.
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: descriptor))
            #expect(epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event) == 0)
            #expect(table.mayBeUnasked(descriptor))
            #expect(table.overdue(now.advanced(by: 5)).sockets.isEmpty)
            #expect(table.overdue(now.advanced(by: 7)).sockets.map(\.descriptor) == [descriptor])
            // Closed and its number given away, it is nobody's.
            table.closed(descriptor)
            #expect(table.overdue(now.advanced(by: 7)).sockets.isEmpty)
        }
    }
#endif
