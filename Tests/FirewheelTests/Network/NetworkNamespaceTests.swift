#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// What the kernel says of a real network whose link goes down and up: in a network namespace of this test's own
    /// (network_namespaces(7)), which needs the kernel's permission, and `ip` of iproute2.
    @Suite("In a network namespace", .serialized, .timeLimit(.minutes(5)))
    struct NetworkNamespaceTests {
        /// Set in the process that is in the namespace.
        private static let mark = "FIREWHEEL_TEST_NAMESPACE"
        private static let isInside = ProcessInfo.processInfo.environment[mark] != nil

        /// `ip` is not in every user's path.
        private static let path = "PATH=/usr/sbin:/sbin:/usr/bin:/bin"

        private struct NotStarted: Error {
            let code: Int32
        }

        /// Runs a program to its end. Not with Foundation's `Process`, which waits for ever without a loopback interface.
        ///
        /// - Returns: What `waitpid` says of its end, 0 for success, and what it has written.
        @discardableResult
        private static func run(_ command: [String], inside: Bool = false) throws -> (status: Int32, text: String) {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw NotStarted(code: errno) }
            defer { close(ends[0]) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            for descriptor: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor) }
            var environment = ProcessInfo.processInfo.environment
            environment[mark] = inside ? "1" : nil
            let arguments = (["/usr/bin/env"] + command).map { strdup($0) } + [nil]
            let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            var child: pid_t = 0
            let code = posix_spawn(&child, "/usr/bin/env", &actions, nil, arguments, variables)
            close(ends[1])
            guard code == 0 else { throw NotStarted(code: code) }
            let text = String(decoding: FileHandle(fileDescriptor: ends[0]).readDataToEndOfFile(), as: UTF8.self)
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            return (status, text)
        }

        private static func ip(_ arguments: String) throws {
            let (status, text) = try run([path, "ip"] + arguments.split(separator: " ").map(String.init))
            #expect(status == 0, "ip \(arguments): \(text)")
        }

        /// Why there can be no namespace; nil if there can.
        private static let obstacle: String? = {
            if isInside { return "this is the process inside" }
            guard let (status, text) = try? run([path, "unshare", "-Urn", "ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"])
            else {
                return "no program can be started"
            }
            if status == 0 { return nil }
            let words = "SKIPPED: the tests in a network namespace, because it cannot be made here: \(text)"
            LogEventMonitor.standardError(words)
            return words
        }()

        @Test("ip and unshare are there where they have to be")
        func tools() throws {
            guard ProcessInfo.processInfo.environment["FIREWHEEL_SERVERS_REQUIRED"] != nil else { return }
            #expect(try Self.run([Self.path, "ip", "-V"]).status == 0 && Self.run(["unshare", "--version"]).status == 0)
        }

        @Test("The tests inside a network namespace pass", .enabled(if: obstacle == nil, "there can be no network namespace here"))
        func outside() throws {
            let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let (status, text) = try Self.run(
                [
                    "timeout", "-k", "5", "120", "unshare", "-Urn", executable, "--testing-library", "swift-testing", "--filter",
                    "NetworkNamespaceTests",
                ], inside: true)
            #expect(status == 0, "\(text)")
            // Otherwise none has run.
            for name in ["linkDownAndUp", "waitsForLink", "requests"] { #expect(text.contains("\(name) passed"), "\(text)") }
        }

        // MARK: Inside

        /// Two ends of a cable; the other one is switched off and on like that of a router.
        private static func plugIn() throws {
            _ = try? run([path, "ip", "link", "del", "v0"])
            try ip("link set lo up")
            try ip("link add v0 type veth peer name v1")
            try ip("addr add 192.0.2.7/24 dev v0")
        }

        private static func connect() throws {
            try ip("link set v0 up")
            try ip("link set v1 up")
            try ip("route replace default via 192.0.2.1 dev v0")
        }

        @Test("The status follows the link, its carrier, and the default route", .enabled(if: isInside, "in the namespace only"))
        func linkDownAndUp() async throws {
            typealias Status = NetworkReachabilityManager.NetworkReachabilityStatus
            try Self.plugIn()
            let manager = try #require(NetworkReachabilityManager())
            let neighbor = try #require(NetworkReachabilityManager(host: "192.0.2.9"))
            let (seen, queue) = (Journal<Status>(), DispatchQueue(label: "test.namespace"))
            manager.startListening(onQueue: queue) { seen.add($0) }
            var expected: [Status] = [.notReachable]
            func become(_ status: Status, neighborIs isThere: Bool, _ step: () throws -> Void) async throws {
                try step()
                expected.append(status)
                let all = expected
                try await waitUntil("\(all)") { seen.entries == all }
                #expect(manager.status == status && manager.isReachable == (status != .notReachable))
                #expect(neighbor.isReachable == isThere)
            }
            _ = try await seen.wait(for: 1)
            #expect(!neighbor.isReachable)
            try await become(.reachable(.ethernetOrWiFi), neighborIs: true) { try Self.connect() }
            try await become(.notReachable, neighborIs: false) { try Self.ip("link set v0 down") }
            try await become(.reachable(.ethernetOrWiFi), neighborIs: true) { try Self.connect() }
            // The route stays, but the cable is unplugged.
            try await become(.notReachable, neighborIs: false) { try Self.ip("link set v1 down") }
            try await become(.reachable(.ethernetOrWiFi), neighborIs: true) { try Self.ip("link set v1 up") }
            // The neighbors stay, but not the rest of the world.
            try await become(.notReachable, neighborIs: true) { try Self.ip("route del default") }
            try await become(.reachable(.ethernetOrWiFi), neighborIs: true) {
                try Self.ip("-6 addr add 2001:db8::7/64 dev v0 nodad")
                try Self.ip("-6 route add default via 2001:db8::1 dev v0")
            }
            try await become(.notReachable, neighborIs: true) {
                try Self.ip("-6 route replace unreachable default metric 1")
                try Self.ip("-6 route del default via 2001:db8::1 dev v0")
            }
            // A table of its own and a rule for it, as VPNs have: without the rule the route does not count.
            let far = try #require(NetworkReachabilityManager(host: "198.51.100.1"))
            let farSeen = Journal<Status>()
            far.startListening(onQueue: queue) { farSeen.add($0) }
            try Self.ip("route add 198.51.100.0/24 dev v0 table 77")
            _ = try await farSeen.wait(for: 1)
            try Self.ip("rule add to 198.51.100.0/24 lookup 77")
            try await waitUntil("the rule counts") { farSeen.entries == [.notReachable, .reachable(.ethernetOrWiFi)] }
            manager.stopListening()
            print("linkDownAndUp passed")
        }

        @Test("A request waits for its link, and goes on when it is up", .enabled(if: isInside, "in the namespace only"))
        func waitsForLink() async throws {
            try Self.plugIn()
            var configuration = SessionConfiguration()
            configuration.proxy = .none
            configuration.waitsForConnectivity = true
            let recorder = EventRecorder()
            let session = Session(configuration: configuration, eventMonitors: [recorder])
            let response = Task { await session.request("http://192.0.2.9/").raw() }
            try await waitUntil("the request waits") { recorder.words.contains("waitForConnectivity") }
            try Self.connect()
            // Nobody has this address, which the kernel finds out in three seconds.
            let failed = await response.value
            #expect(failed.kind == .transportFailed(.cannotConnectToHost) && failed.words.hasSuffix("no route to host"), "\(failed)")
            print("waitsForLink passed")
        }

        @Test("A request waits for a route, and one with the retrier for the Internet", .enabled(if: isInside, "in the namespace only"))
        func requests() async throws {
            try Self.plugIn()
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/*") { .text($0.path) }
            // Without the address this machine does not even reach itself.
            try Self.ip("addr del 127.0.0.1/8 dev lo")
            var configuration = SessionConfiguration()
            configuration.proxy = .none
            let failing = await Session(configuration: configuration).request(server.url("/x")).raw()
            #expect(failing.kind == .transportFailed(.notConnectedToInternet), "\(failing)")
            let failures = EventRecorder()
            let retrying = Session(configuration: configuration, interceptor: .offlineRetrier(maximumWait: 60), eventMonitors: [failures])
            configuration.waitsForConnectivity = true
            let recorder = EventRecorder()
            let waiting = Session(configuration: configuration, eventMonitors: [recorder])
            let requests = [retrying.request(server.url("/retried")), waiting.request(server.url("/waited"))]
            let responses = requests.map { request in Task { await request.raw() } }
            try await waitUntil("the request waits") { recorder.words.contains("waitForConnectivity") }
            try await waitUntil("the other one has failed") { failures.words.contains { $0.hasPrefix("completeTask") } }
            try Self.ip("addr add 127.0.0.1/8 dev lo")
            let waited = await responses[1].value
            #expect(waited.text == "/waited", "\(waited)")
            // The retrier waits for a way into the Internet.
            try Self.connect()
            let retried = await responses[0].value
            #expect(retried.text == "/retried" && requests[0].retryCount == 1, "\(retried)")
            print("requests passed")
        }
    }
#endif
