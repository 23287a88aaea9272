#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A server on the loopback address that speaks HTTP/2 frame by frame, as a test says. Its members block the calling thread, for 20
    /// seconds at the most, so that a failing test does not hang.
    final class FramesServer: Sendable {
        let port: Int
        private let listener: Int32
        private let peers = Locked<[FramesPeer]>([])

        init() throws { (listener, port) = try Loopback.listen(backlog: 64) }

        deinit { close(listener) }

        var url: String { "http://127.0.0.1:\(port)/" }

        /// The next connection, after the client's preface.
        ///
        /// - Parameter settings: What the server sends at once, as pairs of a number and a value; nil for nothing.
        func accept(settings: [(UInt8, UInt32)]? = []) throws -> FramesPeer {
            let peer = try acceptPlain()
            try peer.readPreface()
            if let settings { peer.sendSettings(settings) }
            return peer
        }

        /// The next connection, from which nothing was read.
        func acceptPlain() throws -> FramesPeer {
            var polled = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 20_000) > 0 else { throw WaitedInVain(what: "a connection") }
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { throw WaitedInVain(what: "a connection") }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let peer = try FramesPeer(descriptor)
            peers.withLock { $0.append(peer) }
            return peer
        }

        /// Waits until the client has closed all connections.
        func areAllEnded() -> Bool { peers.withLock { $0 }.allSatisfy { $0.isEnded() } }
    }

    /// One connection of a `FramesServer`. Used by one thread at a time.
    final class FramesPeer: @unchecked Sendable {
        // Sound because each test uses its connections on its own thread.

        struct Frame {
            var kind: HTTP2Script.Kind
            var flags: UInt8
            var stream: Int
            var payload: [UInt8]
            var fields: [String] = []

            var isLast: Bool { flags & 1 != 0 }
            var code: Int { payload.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        }

        let descriptor: Int32
        private var pending: [UInt8] = []
        private let fields: HPACKReader
        private var hasSettings = false

        init(_ descriptor: Int32) throws {
            self.descriptor = descriptor
            fields = try #require(HPACKReader())
        }

        deinit { close(descriptor) }

        // MARK: Reading

        func readPreface() throws {
            let preface = try read(HTTP2Bench.preface.count)
            guard preface == HTTP2Bench.preface else { throw WaitedInVain(what: "the preface of HTTP/2") }
        }

        /// The next frame of a kind; others are passed over.
        func next(_ kinds: HTTP2Script.Kind...) throws -> Frame {
            while true {
                let frame = try next()
                if kinds.contains(frame.kind) { return frame }
            }
        }

        /// The next frame, with SETTINGS answered.
        func next() throws -> Frame {
            let head = try read(9)
            let size = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let kind = try #require(HTTP2Script.Kind(rawValue: head[3]))
            var frame = Frame(
                kind: kind, flags: head[4], stream: head[5..<9].reduce(0) { $0 << 8 | Int($1) }, payload: try read(size))
            if kind == .headers || kind == .continuation {
                frame.fields = fields.read(frame.payload, isLast: frame.flags & 4 != 0).map { "\($0.name): \($0.value)" }
            }
            // Not before the server's own, which are its first frame.
            if kind == .settings, frame.flags & 1 == 0, hasSettings { send(.settings, flags: 1, stream: 0) }
            return frame
        }

        /// The next request's stream.
        func request() throws -> Int { try next(.headers).stream }

        func read(_ count: Int) throws -> [UInt8] {
            while pending.count < count { guard try receive() else { throw WaitedInVain(what: "bytes") } }
            defer { pending.removeFirst(count) }
            return Array(pending.prefix(count))
        }

        /// Reads up to the end of a text.
        func readText(through mark: String) throws -> String {
            while pending.firstRange(of: Array(mark.utf8)) == nil { guard try receive() else { throw WaitedInVain(what: mark) } }
            let end = pending.firstRange(of: Array(mark.utf8))?.upperBound ?? 0
            return String(decoding: try read(end), as: UTF8.self)
        }

        /// Whether the client ends the connection, whatever it sends before.
        func isEnded() -> Bool {
            while true {
                guard let more = try? receive() else { return errno == ECONNRESET }
                if !more { return true }
                pending = []
            }
        }

        /// - Returns: False at the end.
        private func receive() throws -> Bool {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 20_000) > 0 else { throw WaitedInVain(what: "bytes") }
            var bytes = [UInt8](repeating: 0, count: 262_144)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count >= 0 else { throw WaitedInVain(what: "bytes") }
            pending += bytes.prefix(count)
            return count > 0
        }

        // MARK: Writing

        func send(_ bytes: [UInt8]) {
            var offset = 0
            while offset < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                offset += count
            }
        }

        func send(_ kind: HTTP2Script.Kind, flags: UInt8 = 0, stream: Int, _ payload: [UInt8] = []) {
            send(Self.frame(kind, flags: flags, stream: stream, payload))
        }

        static func frame(_ kind: HTTP2Script.Kind, flags: UInt8 = 0, stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
            Array(number(UInt32(payload.count)).dropFirst()) + [kind.rawValue, flags] + number(UInt32(stream)) + payload
        }

        static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

        func sendSettings(_ settings: [(UInt8, UInt32)]) {
            hasSettings = true
            send(.settings, stream: 0, settings.flatMap { [0, $0.0] + Self.number($0.1) })
        }

        /// Answers with status 200 and a text.
        func answer(_ stream: Int, _ text: String = "") {
            send(
                Self.frame(.headers, flags: text.isEmpty ? 5 : 4, stream: stream, [0x88])
                    + (text.isEmpty ? [] : Self.frame(.data, flags: 1, stream: stream, Array(text.utf8))))
        }

        func reset(_ stream: Int, _ code: UInt32) { send(.reset, stream: stream, Self.number(code)) }

        func goAway(lastStream: Int, _ code: UInt32 = 0) {
            send(.goAway, stream: 0, Self.number(UInt32(lastStream)) + Self.number(code))
        }

        func end() { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// A transport that speaks HTTP/2 with prior knowledge, and what it reports.
    final class HTTP2WireBench: Sendable {
        private let transport: Locked<SocketTransport?>
        let recorder = ConformanceRecorder()
        private let count = Locked(UInt64(0))

        /// - Parameter places: Where the certificates of authorities are, for a server with TLS.
        init(
            _ change: (inout SessionConfiguration) -> Void = { _ in }, places: TLSStorePlaces? = nil,
            limits: (inout ConnectionLimits) -> Void = { _ in }
        ) {
            var configuration = SessionConfiguration()
            configuration.httpVersions = .http2PriorKnowledge
            change(&configuration)
            var connectionLimits = ConnectionLimits(configuration)
            limits(&connectionLimits)
            transport = Locked(SocketTransport(limits: connectionLimits, places: places))
        }

        @discardableResult
        func start(
            _ url: String, method: HTTPMethod = .get, body: BodySource? = nil, _ change: (inout TransportRequest) -> Void = { _ in }
        ) throws -> TransportTaskID {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let id = TransportTaskID(request: number)
            var request = TransportRequest(
                id: id, method: method, target: try #require(TargetURI(url)), idleTimeout: 20, allowsResend: method != .post)
            request.bodySource = body
            change(&request)
            recorder.expect(request)
            with { $0.start(request, receiver: recorder) }
            return id
        }

        func with(_ body: (SocketTransport) -> Void) { if let transport = transport.withLock({ $0 }) { body(transport) } }

        func end(of id: TransportTaskID) throws -> TransportResult {
            try #require(recorder.wait(id, seconds: 20) { $0.result }, "the request never finished")
        }

        func text(of id: TransportTaskID) throws -> String {
            let result = try end(of: id)
            if let error = result.error { return "\(error)" }
            return String(decoding: result.body ?? Data(), as: UTF8.self)
        }

        /// Releases the transport, which closes its connections.
        func release() { transport.withLock { $0 = nil } }

        /// Runs a test's server on a thread of its own, and checks that the transport leaves no connection behind.
        static func run(
            _ bench: HTTP2WireBench = HTTP2WireBench(), _ work: @escaping @Sendable (FramesServer, HTTP2WireBench) throws -> Void
        ) async {
            let problems = Journal<String>()
            await onThreads(1) { _ in
                do {
                    let server = try FramesServer()
                    try work(server, bench)
                    bench.release()
                    if !server.areAllEnded() { problems.add("a connection was left open") }
                } catch {
                    problems.add("\(error)")
                    bench.release()
                }
            }
            #expect(problems.entries == [])
            #expect(bench.recorder.violations == [])
        }
    }
#endif
