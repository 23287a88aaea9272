#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// An HTTP/2 server on the loopback address that answers each request with the frames in its body, which may violate RFC 9113: a
    /// request's body is an `HTTP2Script`. Over TLS it offers nothing but h2.
    final class FrameScriptServer: Sendable {
        private let listener: FrontListener
        private let fronts: [HTTP2Script.Close: TLSFront]
        private let bareCount: Locked<Int>
        /// The authority of the certificates.
        let authority: TestAuthority?

        /// - Parameters:
        ///   - isSecure: Whether it speaks TLS. Without it, `withoutTLS` is the same as `properly`.
        ///   - closes: How connections are going to end.
        init(isSecure: Bool, closes: [HTTP2Script.Close] = HTTP2Script.Close.allCases) throws {
            let count = Locked(0)
            bareCount = count
            listener = try FrontListener(name: "mock-frames") { arrival in
                count.withLock { $0 += 1 }
                FrameScriptPeer(arrival).run(resets: !isSecure)
            }
            guard isSecure else {
                (authority, fronts) = (nil, [:])
                return
            }
            let authority = try TestAuthority()
            let identity = try authority.identity(names: ["localhost"], addresses: ["127.0.0.1"])
            let listener = listener
            // How TLS ends is the front's business. A connection that stays open ends with its client.
            let endings: [HTTP2Script.Close: TLSFront.Ending] = [.withoutTLS: .truncated, .byReset: .reset]
            fronts = try Dictionary(
                uniqueKeysWithValues: Set(closes).map { close in
                    let options = TLSFront.Options.with {
                        $0.protocols = ["h2"]
                        $0.selection = .required
                        $0.ending = endings[close] ?? .closeNotify
                    }
                    return (close, try TLSFront(to: listener.port, identity: identity, options: options))
                })
            self.authority = authority
        }

        deinit { stop() }

        /// How many connections have come.
        var connectionCount: Int { bareCount.withLock { $0 } }

        /// Where a script is to be sent.
        func url(for close: HTTP2Script.Close) -> String {
            fronts[close]?.url() ?? "http://127.0.0.1:\(listener.port)/"
        }

        /// A session on sockets for this server.
        func session(_ configuration: SessionConfiguration = .default) -> Session {
            if let authority { return authority.socketSession(configuration) }
            var configuration = configuration
            configuration.httpVersions = .http2PriorKnowledge
            return Session(configuration: configuration, transport: SocketTransport(configuration: configuration))
        }

        /// Ends all connections and returns when all threads have ended.
        func stop() {
            for front in fronts.values { front.stop() }
            listener.stop()
        }

        /// The response to a script, on a session of its own, and the seconds that it took.
        func response(
            to script: HTTP2Script, method: HTTPMethod = .put,
            _ configuration: SessionConfiguration = .with { $0.timeoutIntervalForRequest = 20 }
        ) async throws -> (response: DataResponse<Data?>, seconds: TimeInterval) {
            let session = session(configuration)
            defer { withExtendedLifetime(session) {} }
            return try await session.sending(script.body, to: url(for: script.close), method: method).timed()
        }

        /// The response to a script over TLS, from a server of its own.
        static func response(
            to script: HTTP2Script, method: HTTPMethod = .put
        ) async throws -> (response: DataResponse<Data?>, seconds: TimeInterval) {
            let server = try FrameScriptServer(isSecure: true, closes: [script.close])
            defer { server.stop() }
            return try await server.response(to: script, method: method)
        }
    }

    /// One connection of a `FrameScriptServer`, on its own thread.
    private final class FrameScriptPeer {
        private let client: Int32
        private let stop: Int32
        private var pending: [UInt8] = []
        private let kinds: (data: UInt8, settings: UInt8, ping: UInt8) = (
            HTTP2Script.Kind.data.rawValue, HTTP2Script.Kind.settings.rawValue, HTTP2Script.Kind.ping.rawValue
        )

        init(_ arrival: FrontListener.Arrival) {
            (client, stop) = (arrival.client, arrival.stop)
            FrontSocket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: client)
        }

        /// - Parameter resets: Whether a reset is this connection's, and not that of a front before it.
        func run(resets: Bool) {
            // The largest windows (RFC 9113 sections 6.5.2 and 6.9), because requests may be long.
            let largest: [UInt8] = [0x7f, 0xff, 0xff, 0xff]
            guard read(24) == HTTP2Bench.preface, send(HTTP2Script.frame(.settings, stream: 0, [0, 4] + largest)),
                send(HTTP2Script.frame(.windowUpdate, stream: 0, [0x7f, 0xff, 0, 0]))
            else { return }
            var body: [UInt8] = []
            while let frame = next() {
                guard frame.kind == kinds.data else { continue }
                body += frame.payload
                guard frame.flags & 1 != 0 else { continue }
                guard let close = play(body) else { return }
                body = []
                guard close != .never else { continue }
                if close == .byReset, resets {
                    FrontSocket.waitUntilSent(client, unless: stop)
                    return FrontSocket.resetOnClose(client)
                }
                shutdown(client, Int32(SHUT_WR))
                return FrontSocket.drain(client, unless: stop)
            }
        }

        /// Sends the frames of a script.
        ///
        /// - Returns: How the connection is to end; nil if it has ended.
        private func play(_ body: [UInt8]) -> HTTP2Script.Close? {
            guard let close = body.first.flatMap({ HTTP2Script.Close(rawValue: $0) }) else { return nil }
            // Scripts may have megabytes, in which `Data` is fast to search.
            var rest = Data(body.dropFirst())
            while let moment = rest.range(of: Data(HTTP2Script.moment)) {
                guard send(Array(rest[..<moment.lowerBound])), awaitClient() else { return nil }
                rest = rest[moment.upperBound...]
            }
            return send(Array(rest)) ? close : nil
        }

        /// Waits until the client has received what came before (section 6.7), or has ended the connection.
        private func awaitClient() -> Bool {
            guard send(HTTP2Script.frame(.ping, stream: 0, Array(repeating: 0, count: 8))) else { return false }
            while let frame = next() { if frame.kind == kinds.ping { return true } }
            return false
        }

        /// The next frame, with SETTINGS answered; nil at the end of the connection.
        private func next() -> (kind: UInt8, flags: UInt8, payload: [UInt8])? {
            while let head = read(9) {
                guard let payload = read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) else { return nil }
                guard head[3] == kinds.settings, head[4] & 1 == 0 else { return (head[3], head[4], payload) }
                guard send(HTTP2Script.frame(.settings, flags: 1, stream: 0, [])) else { return nil }
            }
            return nil
        }

        /// nil at the end of the connection.
        private func read(_ count: Int) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while pending.count < count {
                guard wait(POLLIN) else { return nil }
                let received = recv(client, &buffer, buffer.count, 0)
                guard received > 0 else { return nil }
                pending += buffer[..<received]
            }
            defer { pending.removeFirst(count) }
            return Array(pending.prefix(count))
        }

        /// False at the end of the connection.
        private func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                guard wait(POLLOUT) else { return false }
                let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        private func wait(_ event: Int32) -> Bool {
            var polled = [pollfd(fd: client, events: Int16(event), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
            return poll(&polled, 2, -1) > 0 && polled[1].revents == 0
        }
    }
#endif
