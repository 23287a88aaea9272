#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A server with 300 names, `h0.test` to `h299.test`, and a session whose connections to all of them together are limited.
    final class LimitsBench: Sendable {
        /// What a pool has.
        struct Look: Sendable {
            /// With those that are being opened.
            var connections = 0
            var requests = 0
            var idle = 0
            /// The number of lanes that wait because of the limit.
            var blocked = 0
            var yielding = 0
            /// The numbers of connections of each host, without those of hosts that have none.
            var shares: [String: Int] = [:]
            /// The places of the lanes that wait.
            var lines: [String: Int] = [:]
        }

        /// What the server is.
        enum Kind {
            case http1, http2
            /// https over HTTP/2, which the client does not know before the handshake; from `h100.test` on over HTTP/1.1.
            case secure
            /// https, one request at a time over HTTP/2 on the first connection, and HTTP/1.1 on the others.
            case secondIsHTTP1
            /// https over HTTP/1.1, and one request at a time over HTTP/2 on the second connection.
            case secondIsHTTP2
            /// An HTTP proxy, so that the names belong to one server for the transport.
            case proxy
        }

        private let kind: Kind
        let server: MockServer
        let front: HTTP2Front?
        private let plain: TLSFront?
        private let relay: FrontListener?
        let transport: SocketTransport
        let session: Session
        /// The paths of the requests, in the order in which the server got them.
        let arrivals = Journal<String>()
        private let answered = Journal<String>()
        /// How many requests the server has at a time.
        let load = Gauge()
        private let gate = DispatchSemaphore(value: 0)
        private let isOpen = Locked(false)

        init(
            total: Int?, _ kind: Kind = .http1, _ change: (inout SessionConfiguration) -> Void = { _ in },
            limits: (inout ConnectionLimits) -> Void = { _ in }
        ) throws {
            let server = try MockServer(recordsRequests: false)
            self.server = server
            self.kind = kind
            let authority = kind == .http1 || kind == .http2 || kind == .proxy ? nil : try TestAuthority()
            let identity = try authority?.identity(names: (0..<300).map { "h\($0).test" })
            let isMixed = kind == .secondIsHTTP1 || kind == .secondIsHTTP2
            let options = HTTP2Front.Options.with { $0.maximumStreams = isMixed ? 1 : UInt32(Self.streams) }
            front = kind == .http1 || kind == .proxy ? nil : try HTTP2Front(to: server.port, identity: identity, options: options)
            plain = try identity.map { try TLSFront(to: server.port, identity: $0) }
            relay = try isMixed ? Self.relay(to: front?.port ?? 0, plain?.port ?? 0, isSecondMultiplexed: kind == .secondIsHTTP2) : nil
            var configuration = SessionConfiguration()
            configuration.maximumTotalConnections = total
            configuration.timeoutIntervalForRequest = 120
            if kind == .http2 { configuration.httpVersions = .http2PriorKnowledge }
            if let authority { configuration.tls.authorities = .only([authority.root.certificate]) }
            if kind == .proxy {
                configuration.proxy = .http(host: "127.0.0.1", port: server.port)
            } else {
                for number in 0..<300 {
                    let port = kind == .secure && number >= 100 ? plain?.port : relay?.port ?? front?.port
                    configuration.hosts["h\(number).test"] = "127.0.0.1:\(port ?? server.port)"
                }
            }
            change(&configuration)
            var connectionLimits = ConnectionLimits(configuration)
            limits(&connectionLimits)
            transport = SocketTransport(limits: connectionLimits, rules: RouteRules(configuration.tls))
            session = Session(configuration: configuration, transport: transport)
            let (arrivals, gate, isOpen, load) = (arrivals, gate, isOpen, load)
            server.route("*") { request in
                load.enter()
                defer { load.leave() }
                // A proxy gets the whole URL.
                let path = kind == .proxy ? String(request.target.trimmingPrefix(/http:\/\/[^\/]*/)) : request.path
                arrivals.add(path)
                if path.hasPrefix("/held") {
                    gate.wait()
                    if isOpen.withLock({ $0 }) { gate.signal() }
                }
                return .text(path)
            }
        }

        /// How many requests the HTTP/2 server lets a connection have at a time.
        static let streams = 20

        /// Passes connections on: the second to one port, and the others to the other.
        private static func relay(to multiplexed: Int, _ plain: Int, isSecondMultiplexed: Bool) throws -> FrontListener {
            let count = Locked(0)
            return try FrontListener(name: "mock-relay") { arrival in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let isMultiplexed = isSecondMultiplexed ? number == 2 : number == 1
                guard let server = try? RawConnection(port: isMultiplexed ? multiplexed : plain) else { return }
                arrival.pass(to: server.descriptor, first: []) { $0 }
            }
        }

        func get(_ host: Int, _ path: String) -> DataRequest {
            session.request("\(plain == nil ? "http" : "https")://h\(host).test\(path)")
        }

        func text(_ host: Int, _ path: String) async -> String? { await get(host, path).raw().text }

        /// Sends many requests, whose paths begin with `/held`, to a host.
        func flood(_ host: Int, _ count: Int) {
            let answered = answered
            for number in 0..<count {
                get(host, "/held/\(host)/\(number)").response(queue: .global()) { response in
                    answered.add(response.data.map { String(decoding: $0, as: UTF8.self) } ?? "\(response.debugDescription)")
                }
            }
        }

        /// Waits until so many requests of floods are answered, and expects the right bodies.
        func waitForFlood(_ count: Int) async throws {
            _ = try await answered.wait(for: count, seconds: 120)
            let entries = answered.entries
            #expect(
                Set(entries).count == count && entries.allSatisfy { $0.hasPrefix("/held") },
                "\(entries.first { !$0.hasPrefix("/held") } ?? "")")
        }

        /// Lets the server answer so many requests whose paths begin with `/held`.
        func letThrough(_ count: Int) { for _ in 0..<count { gate.signal() } }

        /// Lets the server answer all of them.
        func open() {
            isOpen.withLock { $0 = true }
            gate.signal()
        }

        func look() throws -> Look {
            let opened = try transport.open()
            let (seen, isThere) = (Locked(Look()), DispatchSemaphore(value: 0))
            let pool = opened.pool
            let look = PoolCommand.inspect {
                let pool = pool.object
                var look = Look(connections: pool.connections.count + pool.openingCount, requests: pool.transferCount)
                (look.idle, look.blocked, look.yielding) = (pool.idleCount, pool.blocked.count, pool.yielding.count)
                for transfer in pool.transfers.values { look.lines[transfer.lane.key.origin.host] = transfer.lane.extra.place?.line }
                for connection in pool.connections.values { look.shares[connection.lane.key.origin.host, default: 0] += 1 }
                seen.withLock { $0 = look }
                isThere.signal()
            }
            opened.inbox.post(LoopMessage(pool: opened.pool, command: look))
            isThere.wait()
            return seen.withLock { $0 }
        }

        /// The most connections that the pool has while something is done.
        func mostConnections(while work: () async -> Void) async throws -> Int {
            let isOver = Locked(false)
            async let most: Int = {
                var most = 0
                while !isOver.withLock({ $0 }) {
                    most = max(most, try self.look().connections)
                    try await Task.sleep(for: .milliseconds(1))
                }
                return most
            }()
            await work()
            isOver.withLock { $0 = true }
            return try await most
        }

        func wait(for what: String, _ isReached: @escaping @Sendable (Look) -> Bool) async throws {
            try await explained { try await waitUntil(what) { (try? self.look()).map(isReached) ?? false } }
        }

        func waitForRequests(_ count: Int) async throws { try await wait(for: "\(count) requests") { $0.requests == count } }

        func waitForArrivals(_ count: Int) async throws {
            try await explained { try await waitUntil("\(count) arrivals") { self.arrivals.count >= count } }
        }

        /// Says what there is if something is waited for in vain.
        private func explained(_ wait: () async throws -> Void) async throws {
            do { try await wait() } catch {
                Issue.record(
                    "\(try look()), at most \(load.most) at a time, \(arrivals.count) arrivals, the last \(arrivals.entries.suffix(8))")
                throw error
            }
        }

        /// Expects that nothing is left of any request but idle connections.
        ///
        /// - Parameter requests: How many of them are suspended.
        func expectRest(total: Int, requests: Int = 0) async throws {
            try await wait(for: "rest") { $0.requests == requests && $0.yielding == 0 && $0.idle == $0.connections }
            let left = try look()
            #expect(left.connections <= total && left.blocked == 0, "\(left)")
        }

        func stop() {
            open()
            relay?.stop()
            front?.stop()
            plain?.stop()
            server.shutdown()
        }
    }
#endif
