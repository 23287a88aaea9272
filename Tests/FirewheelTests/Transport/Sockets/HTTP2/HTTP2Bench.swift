#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Testing

    @testable import Firewheel

    /// A codec without a connection: what the server sends is fed to it, and its events and what it sends are written down.
    final class HTTP2Bench: HTTP2ConnectionOwner {
        /// One request, with its events in one line that does not depend on how the bytes were cut: `103 200 "hello" end complete`.
        final class Exchange: HTTP2StreamOwner {
            var stream: HTTP2Stream?
            fileprivate(set) var heads: [ResponseHead] = []
            fileprivate(set) var body: [UInt8] = []
            fileprivate(set) var trailers: HTTPHeaders?
            fileprivate(set) var end: HTTP2StreamEnd?
            fileprivate(set) var bytesSent = 0
            /// How often a piece of the body was asked for.
            fileprivate(set) var asks = 0
            private var words: [String] = []
            private var open: [UInt8] = []
            /// Called for each event.
            var handler: ((HTTP2StreamEvent) -> Void)?

            var story: String { words.joined(separator: " ") }

            /// The error with which it ended.
            var error: TransportError? {
                switch end {
                case .failed(let error), .lost(let error): error
                default: nil
                }
            }

            var reason: String? { if case .failed(_, let reason) = error { reason } else { nil } }

            func received(_ event: HTTP2StreamEvent, on stream: HTTP2Stream) {
                #expect(end == nil, "an event behind the last one")
                switch event {
                case .body(let bytes):
                    body += bytes
                    open += bytes
                    handler?(event)
                    return
                case .bodyWanted: asks += 1
                case .bodySent(let count): bytesSent += count
                case .interim(let head), .head(let head):
                    heads.append(head)
                    words.append("\(head.statusCode)")
                case .end(let trailers):
                    self.trailers = trailers
                    close()
                    words.append("end")
                case .closed(let end):
                    self.end = end
                    close()
                    switch end {
                    case .failed(.failed(let code, let reason)):
                        words.append("\(code == .networkConnectionLost ? "broken" : "failed"): \(reason)")
                    case .lost(.failed(_, let reason)): words.append("lost: \(reason)")
                    default: words.append("\(end)")
                    }
                }
                handler?(event)
            }

            private func close() {
                if !open.isEmpty { words.append(open.count > 100 ? "(\(open.count))" : "\"\(String(decoding: open, as: UTF8.self))\"") }
                open = []
            }
        }

        let codec: HTTP2Codec
        /// All that was sent.
        private(set) var output: [UInt8] = []
        private(set) var events: [HTTP2ConnectionEvent] = []
        /// How many bytes of the output were read by ``sentFrames()``.
        private var read = HTTP2Bench.preface.count
        private let fields: HPACKReader
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)

        static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        /// The server's first frame.
        static let settings = HTTP2Script.frame(.settings, stream: 0, [])

        static let isPossible = (try? HTTP2Library.system.get()) != nil

        /// - Parameter isGreeted: Whether both sides have sent their first frames.
        init(isGreeted: Bool = true, firstStream: Int32 = 1) throws {
            codec = try #require(HTTP2Codec(HTTP2Library.system.get(), firstStream: firstStream))
            fields = try #require(HPACKReader())
            codec.owner = self
            guard isGreeted else { return }
            send()
            // With its answer to this side's.
            feed(Self.settings + HTTP2Script.frame(.settings, flags: 1, stream: 0, []))
            send()
            events = []
        }

        func received(_ event: HTTP2ConnectionEvent) { events.append(event) }

        var failure: TransportError? {
            for case .failed(let error) in events { return error }
            return nil
        }

        /// Submits a request. nil if there is no room.
        func request(
            _ method: HTTPMethod = .get, _ url: String = "https://a.example/", _ headers: HTTPHeaders = [:],
            body: RequestWriter.BodyLength = .none, expectsContinue: Bool = false
        ) throws -> Exchange? {
            let exchange = Exchange()
            let stream = try codec.submit(
                method: method, target: #require(TargetURI(url)), headers: headers, body: body, expectsContinue: expectsContinue,
                owner: exchange)
            exchange.stream = stream
            return stream.map { _ in exchange }
        }

        /// Submits a GET request and has it sent.
        func exchange(_ method: HTTPMethod = .get) throws -> Exchange {
            let exchange = try #require(try request(method))
            send()
            return exchange
        }

        /// Feeds bytes in pieces, each followed by what the codec wants to send, or all of them.
        func feed(_ bytes: [UInt8], pieces: Int = .max, sendsBetween: Bool = true) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(pieces)
                rest = rest.dropFirst(piece.count)
                piece.withUnsafeBytes { codec.receive($0, at: now) }
                if sendsBetween || rest.isEmpty { send() }
            }
        }

        /// Takes what there is to send.
        func send(least: Int = .max) {
            codec.takeOutput(to: &output, least: least)
            codec.deliverEvents()
        }

        struct SentFrame {
            var kind: HTTP2Script.Kind
            var flags: UInt8
            var stream: Int
            var payload: [UInt8]
            /// The fields of HEADERS, with whether they are never indexed.
            var fields: [(name: String, value: String, isNeverIndexed: Bool)] = []

            var isLast: Bool { flags & 1 != 0 }
            var number: Int { payload.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        }

        /// The frames that were sent since the last call.
        func sentFrames() -> [SentFrame] {
            var frames: [SentFrame] = []
            while output.count - read >= 9 {
                let head = Array(output[read..<(read + 9)])
                let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                guard output.count - read >= 9 + count, let kind = HTTP2Script.Kind(rawValue: head[3]) else { break }
                let stream = head[5...].reduce(0) { $0 << 8 | Int($1) }
                var frame = SentFrame(
                    kind: kind, flags: head[4], stream: stream, payload: Array(output[(read + 9)..<(read + 9 + count)]))
                read += 9 + count
                if kind == .headers || kind == .continuation { frame.fields = fields.read(frame.payload, isLast: frame.flags & 4 != 0) }
                frames.append(frame)
            }
            return frames
        }
    }

    extension HTTP2Codec {
        /// Handles bytes without anything being sent.
        func receive(_ bytes: [UInt8], at now: MonotonicInstant) { bytes.withUnsafeBytes { receive($0, at: now) } }
    }

    /// Decodes header sections as a server does, with libnghttp2's decoder (RFC 7541).
    final class HPACKReader {
        private typealias New = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
        private typealias Delete = @convention(c) (OpaquePointer?) -> Void
        private typealias Inflate =
            @convention(c) (
                OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?, Int, Int32
            ) -> Int
        private typealias End = @convention(c) (OpaquePointer?) -> Int32

        private var inflater: OpaquePointer?
        private let delete: Delete
        private let inflate: Inflate
        private let end: End

        init?() {
            guard let library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL), let new = dlsym(library, "nghttp2_hd_inflate_new"),
                let delete = dlsym(library, "nghttp2_hd_inflate_del"), let inflate = dlsym(library, "nghttp2_hd_inflate_hd2"),
                let end = dlsym(library, "nghttp2_hd_inflate_end_headers")
            else { return nil }
            self.delete = unsafeBitCast(delete, to: Delete.self)
            self.inflate = unsafeBitCast(inflate, to: Inflate.self)
            self.end = unsafeBitCast(end, to: End.self)
            guard unsafeBitCast(new, to: New.self)(&inflater) == 0 else { return nil }
        }

        deinit { delete(inflater) }

        func read(_ block: [UInt8], isLast: Bool) -> [(name: String, value: String, isNeverIndexed: Bool)] {
            var (fields, rest) = ([(name: String, value: String, isNeverIndexed: Bool)](), block[...])
            while true {
                var flags: Int32 = 0
                var field = fwhttp2_field()
                let count = rest.withUnsafeBufferPointer { inflate(inflater, &field, &flags, $0.baseAddress, $0.count, isLast ? 1 : 0) }
                guard count >= 0 else { return fields }
                rest = rest.dropFirst(count)
                if flags & 2 != 0 {
                    func text(_ start: UnsafePointer<UInt8>?, _ count: Int) -> String {
                        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
                    }
                    fields.append((text(field.name, field.name_count), text(field.value, field.value_count), field.flags & 1 != 0))
                }
                if flags & 1 != 0 { _ = end(inflater) }
                if flags & 1 != 0 || flags & 2 == 0 && rest.isEmpty { return fields }
            }
        }
    }
#endif
