#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// Speaks HTTP/2 for one connection (RFC 9113): requests and received bytes in, events and bytes to send out. Used on one thread.
    ///
    /// Framing and HPACK are libnghttp2's. Decided here is what counts as a whole response, what may be sent again, and what is too much.
    /// Nothing waits inside the library.
    ///
    /// After each call that may give bytes to send, ask for them with ``takeOutput(to:least:)`` and call ``deliverEvents()``.
    final class HTTP2Codec {
        /// The window of each stream: how far a server may be ahead of whoever reads the response.
        static let streamWindow = 1 << 20
        /// The window of all streams together. Bytes count as read for it at once, so it only limits what is under way.
        static let connectionWindow = 16 << 20
        /// The most streams at a time, for servers that set no limit.
        static let mostStreams = 1_000
        /// The most bytes that are taken from the library before they can be sent, and a frame.
        static let mostHeld = 65_536

        // Set once in `init`, before any use, and freed in `deinit`.
        private(set) var session: OpaquePointer!
        /// Handles the events of the connection.
        weak var owner: (any HTTP2ConnectionOwner)?

        /// The streams that the library knows.
        @exclusivity(unchecked) var streams: [HTTP2Stream] = []
        @exclusivity(unchecked) var events: [Event] = []
        @exclusivity(unchecked) private var isDelivering = false
        /// Bytes to send that were taken from the library early.
        @exclusivity(unchecked) var held: [UInt8] = []
        /// Where the library's bytes go, within ``takeOutput(to:least:)``.
        @exclusivity(unchecked) var output: [UInt8] = []
        @exclusivity(unchecked) private var fieldList = HTTP2FieldList()
        @exclusivity(unchecked) private var sensitiveNames = HTTP2SensitiveNames()
        @exclusivity(unchecked) var meter = HTTP2FrameMeter()
        @exclusivity(unchecked) var section = HTTP2ResponseSection()
        /// The stream whose section is being received.
        @exclusivity(unchecked) var sectionStream: HTTP2Stream?
        /// How many bytes of an answer in HTTP/1 were received in place of the first frame; nil once it is something else.
        @exclusivity(unchecked) private var http1Bytes: Int? = 0

        /// Whether the server has told its limits (RFC 9113 section 3.4).
        @exclusivity(unchecked) var hasSettings = false
        /// What the server has said when it stopped accepting requests.
        @exclusivity(unchecked) var goAway: HTTP2GoAway?
        /// Why the connection cannot be used any more.
        @exclusivity(unchecked) private(set) var failure: TransportError?
        /// Whether no more is wanted of the server.
        @exclusivity(unchecked) private var isClosing = false

        enum Event {
            case stream(HTTP2Stream, HTTP2StreamEvent)
            /// The bytes of the body that were written since the last one.
            case bodySent(HTTP2Stream)
            case connection(HTTP2ConnectionEvent)
        }

        /// nil if there is no memory.
        ///
        /// - Parameters:
        ///   - library: libnghttp2.
        ///   - firstStream: The id of the first stream, to begin near the last one. Default: 1.
        init?(_ library: SystemLibraryTable, firstStream: Int32 = 1) {
            var options = fwhttp2_options(
                stream_window: UInt32(Self.streamWindow), connection_window: Int32(Self.connectionWindow),
                header_list_size: UInt32(ResponseLines.maximumBytes), sent_header_size: 2 * HTTP2FieldList.maximumBytes,
                continuations: HTTP2FrameMeter.most,
                useless_frames: UInt64(HTTP2FrameMeter.most), useless_frames_per_second: UInt64(HTTP2FrameMeter.pointsOfSecond),
                first_stream: firstStream)
            var callbacks = Self.makeCallbacks()
            let context = Unmanaged.passUnretained(self).toOpaque()
            guard let session = fwhttp2_create(library.functions, &options, &callbacks, context) else { return nil }
            self.session = session
        }

        deinit {
            for stream in streams { stream.owner = nil }
            if let session { fwhttp2_free(session) }
        }

        // MARK: Requests

        /// The number of streams that are open, those that were cancelled a moment ago included.
        var streamCount: Int { streams.count }

        /// The most streams that the server allows at a time, 100 until it says so.
        var streamLimit: Int { min(Int(fwhttp2_stream_limit(session)), Self.mostStreams) }

        /// Whether another request will ever be possible: the server accepts them, and there are stream ids left.
        var acceptsRequests: Bool { failure == nil && !isClosing && goAway == nil && fwhttp2_allows_request(session) }

        /// Whether there is room for another request now.
        var canSubmit: Bool { acceptsRequests && streams.count < streamLimit }

        /// Submits a request.
        ///
        /// A body is sent with ``send(_:on:)`` and ``endBody(of:trailers:)``, at once or when `bodyWanted` asks for it. It asks before a
        /// 100 (Continue), too. A body without bytes is not sent, and has no end.
        ///
        /// - Parameter mayBeLonger: Whether a body of length 0 is sent, too, because its source may have bytes all the same.
        /// - Returns: The stream; nil if ``canSubmit`` is false.
        func submit(
            method: HTTPMethod, target: TargetURI, headers: HTTPHeaders, body: RequestWriter.BodyLength = .none,
            mayBeLonger: Bool = false, expectsContinue: Bool = false, owner: any HTTP2StreamOwner
        ) throws(RequestWriter.Problem) -> HTTP2Stream? {
            guard canSubmit else { return nil }
            try fieldList.write(
                method: method, target: target, headers: headers, body: body, expectsContinue: expectsContinue, names: &sensitiveNames)
            let stream = HTTP2Stream(isHead: method == .head, owner: owner)
            stream.headBytesSent = fieldList.lineBytes
            switch body {
            case .none: break
            case .known(0) where !mayBeLonger: break
            case .known(let length): stream.outgoing = HTTP2OutgoingBody(length: length)
            case .unknown: stream.outgoing = HTTP2OutgoingBody(length: nil)
            }
            let hasBody = stream.outgoing != nil
            let pointer = Unmanaged.passUnretained(stream).toOpaque()
            let id = fieldList.withFields { fwhttp2_submit(session, $0.baseAddress, $0.count, hasBody, pointer) }
            guard id > 0 else {
                fail(HTTP2Words.library(id))
                return nil
            }
            stream.id = id
            stream.place = streams.count
            streams.append(stream)
            meter.earn(100)
            return stream
        }

        /// Adds a piece to a request's body.
        ///
        /// - Throws: `wrongLength` if the body becomes longer than declared.
        func send(_ piece: Data, on stream: HTTP2Stream) throws(RequestWriter.Problem) {
            guard !stream.isOver, stream.outgoing != nil else { return }
            try stream.outgoing?.append(piece)
            resume(stream)
        }

        /// Ends a request's body.
        ///
        /// - Throws: `wrongLength` if the body is shorter than declared, `invalidField` if a trailer field is not valid.
        func endBody(of stream: HTTP2Stream, trailers: HTTPHeaders = [:]) throws(RequestWriter.Problem) {
            guard !stream.isOver, stream.outgoing != nil else { return }
            try stream.outgoing?.end(trailers: trailers)
            resume(stream)
        }

        /// Has nothing more of a request's body written for now, or lets it go on.
        func hold(_ stream: HTTP2Stream, _ isHeld: Bool) {
            guard let body = stream.outgoing, body.isHeld != isHeld else { return }
            stream.outgoing?.isHeld = isHeld
            if !isHeld { resume(stream) }
        }

        private func resume(_ stream: HTTP2Stream) {
            if stream.isSent, failure == nil { fwhttp2_resume(session, stream.id) }
        }

        /// Says that bytes of a response's body were used, so that the server may send as many more.
        func consume(_ count: Int, of stream: HTTP2Stream) {
            guard count > 0, stream.place != nil, !stream.hasEnded, failure == nil else { return }
            fwhttp2_consume(session, stream.id, count)
        }

        /// Gives a stream up. Nothing more is reported of it.
        func cancel(_ stream: HTTP2Stream) {
            stream.owner = nil
            stream.isOver = true
            stream.outgoing = nil
            guard stream.place != nil, failure == nil else { return }
            fwhttp2_reset(session, stream.id, HTTP2ErrorCode.cancel.rawValue)
        }

        /// Sends a ping, which the server answers with `pong`.
        func ping() {
            if failure == nil { fwhttp2_ping(session) }
        }

        /// Takes leave of the server. Bytes that are received later are ignored, and streams that are open are given up.
        func close() {
            guard failure == nil, !isClosing else { return }
            isClosing = true
            for stream in streams {
                stream.owner = nil
                stream.isOver = true
            }
            fwhttp2_terminate(session, HTTP2ErrorCode.noError.rawValue)
        }

        // MARK: Bytes

        /// Handles received bytes and delivers the events. Not to be called within the delivery of one.
        func receive(_ bytes: UnsafeRawBufferPointer, at now: MonotonicInstant) {
            guard failure == nil, !isClosing, !isDelivering, let start = bytes.baseAddress else { return }
            if let matched = http1Bytes, look(forHTTP1: bytes, from: matched) {
                fail(HTTP2Words.http1)
                return deliverEvents()
            }
            let breach = meter.read(bytes, at: now)
            let result = fwhttp2_receive(session, start.assumingMemoryBound(to: UInt8.self), breach?.offset ?? bytes.count)
            if result < 0 { fail(HTTP2Words.library(result)) }
            if failure == nil, !fwhttp2_allows_request(session) { takeEarly() }
            if let breach, failure == nil {
                fwhttp2_terminate(session, breach.code.rawValue)
                fail(HTTP2Words.violation(breach.code, "PUSH_PROMISE: push disabled"))
            }
            deliverEvents()
        }

        /// Whether the first bytes are those of HTTP/1.
        private func look(forHTTP1 bytes: UnsafeRawBufferPointer, from matched: Int) -> Bool {
            let name: StaticString = "HTTP/"
            var matched = matched
            for byte in bytes.prefix(name.utf8CodeUnitCount - matched) {
                guard byte == name.utf8Start[matched] else {
                    http1Bytes = nil
                    return false
                }
                matched += 1
            }
            http1Bytes = matched
            return matched == name.utf8CodeUnitCount
        }

        /// Handles the end of the connection, after all bytes were received.
        ///
        /// - Parameter isReset: Whether it was not the peer's FIN, or over TLS its close_notify.
        func connectionEnded(isReset: Bool) {
            guard failure == nil, !isClosing else { return }
            for stream in streams where !stream.isOver {
                end(
                    stream,
                    stream.hasEnded ? .complete : stream.isSent ? .lost(HTTP2Words.lost(stream, goAway, isReset: isReset)) : .refused)
            }
            failure = .failed(.networkConnectionLost, "the connection is closed")
            deliverEvents()
        }

        /// Calls the owners with what has happened since the last time.
        func deliverEvents() {
            guard !isDelivering, !events.isEmpty else { return }
            isDelivering = true
            var index = 0
            while index < events.count {
                switch events[index] {
                case .stream(let stream, let event):
                    let owner = stream.owner
                    if case .closed = event { stream.owner = nil }
                    owner?.received(event, on: stream)
                case .bodySent(let stream):
                    let count = stream.unreportedBytes
                    stream.unreportedBytes = 0
                    stream.owner?.received(.bodySent(count), on: stream)
                case .connection(let event): owner?.received(event)
                }
                index += 1
            }
            events.removeAll(keepingCapacity: true)
            isDelivering = false
        }

        func post(_ event: HTTP2StreamEvent, _ stream: HTTP2Stream) {
            if !stream.isOver { events.append(.stream(stream, event)) }
        }

        /// Reports that a stream is over.
        func end(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
            guard !stream.isOver else { return }
            events.append(.stream(stream, .closed(end)))
            stream.isOver = true
            stream.outgoing = nil
        }

        /// Reports that the connection cannot be used any more.
        func fail(_ error: TransportError) {
            guard failure == nil, !isClosing else { return }
            failure = error
            for stream in streams { end(stream, stream.hasEnded ? .complete : stream.isSent ? .failed(error) : .refused) }
            events.append(.connection(.failed(error)))
        }
    }
#endif
