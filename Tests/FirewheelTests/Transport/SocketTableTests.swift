#if os(Linux)
    import CFirewheelCurl
    import CFirewheelSystem
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    @Suite("Socket table")
    struct SocketTableTests {
        /// This happens when a server answers at once.
        @Test("A connection that libcurl never asks to watch is closed by age, and unrequested bytes on it are noticed")
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
            let now = MonotonicInstant.now()
            var table = SocketTable()
            table.opened(descriptor, for: channel, carriesHTTP1: true, now: now)
            #expect(table.end(of: descriptor) != nil)
            #expect(table.takeIdle(of: channel).isEmpty)
            table.noteIdle(descriptor, now: now)
            #expect(table.takeIdle(of: channel) == [descriptor])
            table.apply(poller)
            // Only a registered descriptor can be modified.
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: descriptor))
            #expect(epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event) == 0)
            #expect(table.mayBeUnasked(descriptor))
            #expect(table.overdue(now.advanced(by: 5)).sockets.isEmpty)
            #expect(table.overdue(now.advanced(by: 7)).sockets.map(\.descriptor) == [descriptor])
            // Its age counts from its last request.
            table.noteIdle(descriptor, now: now.advanced(by: 3))
            #expect(table.overdue(now.advanced(by: 7)).sockets.isEmpty)
            // A watched connection is in use.
            table.watch(descriptor, what: Int32(FWCURL_POLL_IN), for: channel, now: now)
            table.noteIdle(descriptor, now: now)
            #expect(table.end(of: descriptor) == nil)
            // A closed descriptor, whose number may be reused, is removed from the table.
            table.closed(descriptor)
            #expect(table.overdue(now.advanced(by: 7)).sockets.isEmpty)
        }
    }
#endif
