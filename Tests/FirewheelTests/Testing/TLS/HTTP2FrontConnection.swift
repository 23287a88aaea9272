#if os(Linux)
    import Glibc
    import TLSTestServer

    @testable import FirewheelTesting

    /// One connection of an `HTTP2Front`, on its own thread.
    final class HTTP2FrontConnection {
        private static let internalError: UInt32 = 2

        private let client: Int32
        private let stop: Int32
        private let port: Int
        private let options: HTTP2Front.Options
        private let change: ((inout HTTP2Front.Visit) -> Void) -> Void
        private var session: OpaquePointer?
        private var streams: [Int32: HTTP2FrontStream] = [:]
        private let output = FrontBuffer(capacity: 2 * 65_536)
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        private var begun = 0
        /// The last stream that GOAWAY says will be answered. Later ones may be in the same piece of input, and are left alone.
        private var lastStream: Int32?

        private enum Over: Error {
            /// The client has ended.
            case ended
            /// All is said, also if it was an error.
            case done
            /// The client is gone, or shall be.
            case reset
        }

        init(
            _ arrival: FrontListener.Arrival, _ port: Int, _ options: HTTP2Front.Options,
            _ change: @escaping ((inout HTTP2Front.Visit) -> Void) -> Void
        ) {
            (client, stop) = (arrival.client, arrival.stop)
            self.port = port
            self.options = options
            self.change = change
            FrontSocket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: client)
        }

        deinit {
            http2test_session_free(session)
            buffer.deallocate()
        }

        func run() {
            var callbacks = http2test_callbacks(
                header: { context, stream, name, nameSize, value, valueSize in
                    let name = String(decoding: UnsafeBufferPointer(start: name, count: nameSize), as: UTF8.self)
                    let value = Array(UnsafeBufferPointer(start: value, count: valueSize))
                    HTTP2FrontConnection.of(context)?.begin(stream)?.addField(name, value)
                },
                data: { context, stream, bytes, count in
                    HTTP2FrontConnection.of(context)?.receivedData(stream, UnsafeRawBufferPointer(start: bytes, count: count))
                },
                received: { context, stream, type, flags in HTTP2FrontConnection.of(context)?.received(stream, Int(type), Int(flags)) },
                sent: { context, stream, type, flags in HTTP2FrontConnection.of(context)?.sent(stream, Int(type), Int(flags)) },
                closed: { context, stream, code in HTTP2FrontConnection.of(context)?.closed(stream, code) },
                read: { context, stream, buffer, size, isLast in
                    HTTP2FrontConnection.of(context)?.read(stream, UnsafeMutableRawBufferPointer(start: buffer, count: size), isLast)
                        ?? Int(HTTP2TEST_WAIT)
                })
            // The callbacks run within calls that this object makes, so that it outlives them.
            let context = Unmanaged.passUnretained(self).toOpaque()
            session = http2test_session_make(&callbacks, context, options.maximumStreams, options.window)
            do {
                while session != nil { try turn() }
            } catch Over.done {
                shutdown(client, Int32(SHUT_WR))
                FrontSocket.drain(client, unless: stop)
            } catch Over.ended {
                // Its streams end with it.
            } catch {
                FrontSocket.resetOnClose(client)
            }
            streams = [:]
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> HTTP2FrontConnection? {
            context.map { Unmanaged<HTTP2FrontConnection>.fromOpaque($0).takeUnretainedValue() }
        }

        private func turn() throws {
            let all = Array(streams.values)
            var polled = [
                pollfd(fd: client, events: Int16(POLLIN | (output.isEmpty ? 0 : POLLOUT)), revents: 0),
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            ]
            for stream in all {
                let events = Int16((stream.wantsToRead ? POLLIN : 0) | (stream.request.isEmpty ? 0 : POLLOUT))
                polled.append(pollfd(fd: events == 0 ? -1 : stream.plain, events: events, revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR, polled[1].revents == 0 else { throw Over.reset }
            if polled[0].revents & Int16(POLLIN | POLLERR | POLLHUP) != 0 { try receive() }
            for (stream, entry) in zip(all, polled.dropFirst(2)) where entry.revents != 0 && streams[stream.id] === stream {
                sendToPlain(stream)
                if stream.wantsToRead { receiveFromPlain(stream) }
            }
            try sendToClient()
            try resetBrokenStreams()
            try sendToClient()
            if http2test_is_over(session), output.isEmpty { throw Over.done }
        }

        // MARK: - From the client

        private func receive() throws {
            let count = recv(client, buffer.baseAddress, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count != 0 else { throw Over.ended }
            guard count > 0 else { throw Over.reset }
            let isHTTP2 = http2test_receive(session, buffer.baseAddress, count)
            try sendToClient()
            guard isHTTP2 else { throw Over.done }
        }

        private func begin(_ id: Int32) -> HTTP2FrontStream? {
            if let stream = streams[id] { return stream }
            if let lastStream, id > lastStream { return nil }
            let stream = HTTP2FrontStream(id)
            streams[id] = stream
            begun += 1
            change { visit in
                visit.streams += 1
                visit.open += 1
                visit.mostOpen = max(visit.mostOpen, visit.open)
            }
            return stream
        }

        private func receivedData(_ id: Int32, _ bytes: UnsafeRawBufferPointer) {
            http2test_consume_connection(session, bytes.count)
            guard let stream = streams[id] else { return }
            stream.addBody(bytes)
            sendToPlain(stream)
        }

        private func received(_ id: Int32, _ type: Int, _ flags: Int) {
            guard let stream = streams[id] else { return }
            let hasEnded = flags & Int(HTTP2TEST_END_STREAM) != 0
            if type == Int(HTTP2TEST_HEADERS) {
                let isConnected = stream.finishFields(hasEnded: hasEnded) { FrontSocket.connect(to: port, unless: stop) }
                if !isConnected {
                    stream.isCutShort = true
                    return
                }
                sendToPlain(stream)
                if let most = options.goesAwayAfter, begun >= most, lastStream == nil {
                    lastStream = id
                    http2test_go_away(session)
                }
            } else if type == Int(HTTP2TEST_DATA), hasEnded {
                stream.finishBody()
                sendToPlain(stream)
            }
        }

        private func sendToPlain(_ stream: HTTP2FrontStream) {
            guard stream.plain >= 0 else { return }
            let consumed = stream.sendToPlain()
            if consumed > 0 { http2test_consume_stream(session, stream.id, consumed) }
        }

        private func closed(_ id: Int32, _ code: UInt32) {
            guard streams.removeValue(forKey: id) != nil else { return }
            change { visit in
                visit.open -= 1
                if code != 0 { visit.resets.append(code) }
            }
        }

        // MARK: - To the client

        private func receiveFromPlain(_ stream: HTTP2FrontStream) {
            do {
                guard let parts = try stream.receiveFromPlain(buffer) else { return }
                for part in parts { pass(part, of: stream) }
                if stream.reader.isBroken { throw PlainResponseReader.Broken() }
            } catch {
                stream.isCutShort = true
                stream.responseHasEnded = true
            }
            http2test_resume(session, stream.id)
        }

        private func pass(_ part: PlainResponseReader.Part, of stream: HTTP2FrontStream) {
            switch part {
            case .head(let status, let fields, let isInterim, let hasBody):
                let unwanted = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
                let isChunked = fields.contains { $0.name == "transfer-encoding" }
                let kept = fields.filter { !unwanted.contains($0.name) && !(isChunked && $0.name == "content-length") }
                let isTaken = withFields([(":status", Array("\(status)".utf8))] + kept) { pointer, count in
                    isInterim
                        ? http2test_send_interim(session, stream.id, pointer, count)
                        : http2test_respond(session, stream.id, pointer, count, hasBody)
                }
                if !isTaken { stream.isCutShort = true }
            case .body(let bytes): bytes.withUnsafeBytes { _ = stream.body.append($0) }
            case .end(let trailers):
                stream.responseHasEnded = true
                stream.responseTrailers = trailers
            }
        }

        private func read(_ id: Int32, _ target: UnsafeMutableRawBufferPointer, _ isLast: UnsafeMutablePointer<Bool>?) -> Int {
            guard let stream = streams[id] else { return Int(HTTP2TEST_WAIT) }
            let count = min(target.count, stream.body.count)
            if count > 0 {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: stream.body.bytes[..<count]))
                stream.body.drop(count)
                isLast?.pointee = stream.body.isEmpty && stream.responseHasEnded && !stream.isCutShort && stream.responseTrailers.isEmpty
                return count
            }
            guard stream.responseHasEnded, !stream.isCutShort else { return Int(HTTP2TEST_WAIT) }
            guard !stream.responseTrailers.isEmpty else { return Int(HTTP2TEST_END) }
            _ = withFields(stream.responseTrailers) { http2test_send_trailers(session, id, $0, $1) }
            return Int(HTTP2TEST_END_WITH_TRAILERS)
        }

        private func sent(_ id: Int32, _ type: Int, _ flags: Int) {
            guard type == Int(HTTP2TEST_DATA) || type == Int(HTTP2TEST_HEADERS), flags & Int(HTTP2TEST_END_STREAM) != 0 else { return }
            guard let stream = streams[id] else { return }
            stream.endWasSent = true
            if !stream.requestHasEnded { http2test_reset(session, id, 0) }
        }

        /// Behind all that could be sent of them.
        private func resetBrokenStreams() throws {
            guard output.isEmpty else { return }
            for stream in streams.values where stream.isCutShort && stream.body.isEmpty && !stream.endWasSent {
                guard !options.losesConnections else { throw Over.ended }
                stream.endWasSent = true
                http2test_reset(session, stream.id, Self.internalError)
            }
        }

        private func sendToClient() throws {
            while true {
                // A frame has 16 KiB and a head.
                while output.space > 17_000 {
                    var bytes: UnsafePointer<UInt8>?
                    let count = http2test_output(session, &bytes)
                    guard count >= 0 else { throw Over.reset }
                    if count == 0 { break }
                    output.append(UnsafeRawBufferPointer(start: bytes, count: count))
                }
                guard !output.isEmpty else { return }
                let count = send(client, output.bytes.baseAddress, output.count, Int32(MSG_NOSIGNAL))
                if count > 0 { output.drop(count) } else if errno == EAGAIN || errno == EINTR { return } else { throw Over.reset }
            }
        }

        private func withFields<Result>(
            _ fields: [HTTP2FrontStream.Field], _ body: (UnsafePointer<http2test_field>?, Int) -> Result
        ) -> Result {
            let bytes = fields.flatMap { Array($0.name.utf8) + $0.value }
            return bytes.withUnsafeBufferPointer { bytes in
                var start = 0
                var own: [http2test_field] = []
                for field in fields {
                    let nameSize = field.name.utf8.count
                    guard let base = bytes.baseAddress else { break }
                    let name = base + start
                    own.append(
                        http2test_field(name: name, value: name + nameSize, name_size: nameSize, value_size: field.value.count, flags: 0))
                    start += nameSize + field.value.count
                }
                return own.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
            }
        }
    }
#endif
