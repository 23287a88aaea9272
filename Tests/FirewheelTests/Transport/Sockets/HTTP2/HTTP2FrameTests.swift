#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// How a response ends by its stream or connection (RFC 9113): complete or with an error, and never cut short.
    @Suite("HTTP/2 on the wire: frames", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2FrameTests {
        /// What a server sends after the first part of a body.
        struct Ending: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let frames: [UInt8]
            let close: HTTP2Script.Close
            /// The error, if it is one.
            let code: URLError.Code

            init(_ name: String, _ frames: [UInt8], _ close: HTTP2Script.Close = .never, _ code: URLError.Code = .cannotParseResponse) {
                testDescription = name
                self.frames = frames
                self.close = close
                self.code = code
            }
        }

        /// Whether the response has a length, and whether its end comes with it or later.
        static let forms = [(false, false), (false, true), (true, false), (true, true)]

        /// Within so many seconds a request ends, far before its timeout.
        private static let patience: TimeInterval = 40
        private static let piece = Array(pattern(10_000))
        private static let lastPiece = HTTP2Script.data(piece, isLast: true)

        @Test(
            "A response whose stream has ended is complete, whatever follows it",
            arguments: [
                Ending("nothing", lastPiece),
                Ending("the end of the connection", lastPiece, .properly),
                Ending("GOAWAY and the end of the connection", lastPiece + HTTP2Script.goAway(.noError, lastStream: 1), .properly),
                Ending("GOAWAY with an error", lastPiece + HTTP2Script.goAway(.internalError, lastStream: 1), .properly),
                Ending("a reset without an error", lastPiece + HTTP2Script.reset(.noError)),
                Ending("a reset with one", lastPiece + HTTP2Script.reset(.internalError)),
            ], forms)
        func whole(ending: Ending, form: (hasLength: Bool, isLater: Bool)) async throws {
            let script = HTTP2Script(length: form.hasLength ? 20_000 : nil, first: Self.piece, isLater: form.isLater, ending)
            let (response, seconds) = try await FrameScriptServer.response(to: script)
            #expect(response.kind == nil, "\(response)")
            #expect(seconds < Self.patience)
            #expect(response.content == Data(Self.piece + Self.piece))
            #expect(response.hop?.networkProtocolName == "h2")
        }

        @Test(
            "A response whose stream has not ended is an error, with a length and without",
            arguments: [
                Ending("the end of the connection", [], .properly, .networkConnectionLost),
                Ending("its end without TLS's own", [], .withoutTLS, .networkConnectionLost),
                Ending("its reset", [], .byReset, .networkConnectionLost),
                // RFC 9113 section 8.1 allows it only after a complete response.
                Ending("a reset without an error", HTTP2Script.reset(.noError), .never, .networkConnectionLost),
                Ending("that, and the end of the connection", HTTP2Script.reset(.noError), .properly, .networkConnectionLost),
                Ending("a reset with an error", HTTP2Script.reset(.internalError), .never, .networkConnectionLost),
                Ending("one that says that a rule was broken", HTTP2Script.reset(.protocolError)),
                Ending("one that says cancelled", HTTP2Script.reset(.cancel), .never, .networkConnectionLost),
                Ending("one that says refused", HTTP2Script.reset(.refusedStream), .never, .networkConnectionLost),
                Ending("one that wants HTTP/1.1", HTTP2Script.reset(.http11Required)),
                Ending(
                    "a reset with an error, and the end of the connection", HTTP2Script.reset(.internalError), .properly,
                    .networkConnectionLost),
                Ending("that, without TLS's own end", HTTP2Script.reset(.internalError), .withoutTLS, .networkConnectionLost),
                Ending("that, by a reset of the connection", HTTP2Script.reset(.internalError), .byReset, .networkConnectionLost),
                Ending("GOAWAY after it, and the end", HTTP2Script.goAway(.noError, lastStream: 1), .properly, .networkConnectionLost),
                Ending(
                    "GOAWAY with an error, and the end", HTTP2Script.goAway(.internalError, lastStream: 1), .properly,
                    .networkConnectionLost),
                Ending("GOAWAY that leaves it out", HTTP2Script.goAway(.internalError, lastStream: 0), .never, .networkConnectionLost),
                Ending("that, and the end", HTTP2Script.goAway(.noError, lastStream: 0), .properly, .networkConnectionLost),
                Ending("DATA on no stream", HTTP2Script.frame(.data, stream: 0, [1])),
                Ending("that, and the end of the connection", HTTP2Script.frame(.data, stream: 0, [1]), .properly),
                Ending("DATA on a stream that is idle", HTTP2Script.frame(.data, stream: 3, [1])),
                Ending("DATA on a stream of the server's", HTTP2Script.frame(.data, stream: 2, [1])),
                Ending("a padding that is longer than its frame", HTTP2Script.frame(.data, flags: 8, [200, 1])),
                Ending("HEADERS on no stream", HTTP2Script.frame(.headers, flags: 4, stream: 0, [0x88])),
                Ending("HEADERS on a stream of the server's", HTTP2Script.frame(.headers, flags: 4, stream: 2, [0x88])),
                Ending("fields that cannot be decoded", HTTP2Script.frame(.headers, flags: 5, [0xff, 0xff, 0xff, 0x7f])),
                Ending("HEADERS without an end, and DATA", HTTP2Script.frame(.headers, [0x88]) + HTTP2Script.data([1])),
                Ending("PRIORITY of one byte, and the end", HTTP2Script.frame(.priority, [1]), .properly),
                Ending("RST_STREAM of one byte", HTTP2Script.frame(.reset, [1])),
                Ending("RST_STREAM on no stream", HTTP2Script.frame(.reset, stream: 0, [0, 0, 0, 2])),
                Ending("RST_STREAM on a stream that is idle", HTTP2Script.frame(.reset, stream: 3, [0, 0, 0, 2])),
                Ending("SETTINGS of one byte", HTTP2Script.frame(.settings, stream: 0, [1])),
                Ending("SETTINGS on a stream", HTTP2Script.frame(.settings, [])),
                Ending(
                    "SETTINGS whose acknowledgement has content", HTTP2Script.frame(.settings, flags: 1, stream: 0, [0, 3, 0, 0, 0, 1])),
                Ending("SETTINGS with a window that is too large", HTTP2Script.frame(.settings, stream: 0, [0, 4, 0xff, 0, 0, 0])),
                Ending("SETTINGS with frames that are too small", HTTP2Script.frame(.settings, stream: 0, [0, 5, 0, 0, 0, 1])),
                Ending("SETTINGS that switch pushing on", HTTP2Script.frame(.settings, stream: 0, [0, 2, 0, 0, 0, 2])),
                Ending("a PUSH_PROMISE", HTTP2Script.frame(.pushPromise, flags: 4, [0, 0, 0, 2, 0x88])),
                Ending("PING of one byte", HTTP2Script.frame(.ping, stream: 0, [1])),
                Ending("PING on a stream", HTTP2Script.frame(.ping, Array(repeating: 1, count: 8))),
                Ending("GOAWAY on a stream", HTTP2Script.frame(.goAway, Array(repeating: 0, count: 8))),
                Ending("GOAWAY of four bytes", HTTP2Script.frame(.goAway, stream: 0, [0, 0, 0, 1])),
                Ending("a window that grows by nothing", HTTP2Script.frame(.windowUpdate, [0, 0, 0, 0])),
                Ending("WINDOW_UPDATE of one byte", HTTP2Script.frame(.windowUpdate, [1])),
                Ending("a stream's window that is too large", HTTP2Script.frame(.windowUpdate, [0x7f, 0xff, 0xff, 0xff])),
                Ending("the connection's", HTTP2Script.frame(.windowUpdate, stream: 0, [0x7f, 0xff, 0xff, 0xff])),
                Ending("a CONTINUATION of nothing", HTTP2Script.frame(.continuation, flags: 4, [0x88])),
                Ending("a frame that is too large", [0xff, 0, 0, 0, 0, 0, 0, 0, 1], .properly),
                Ending("trailer fields that do not end it", HTTP2Script.frame(.headers, flags: 4, [0, 1, 0x61, 1, 0x62])),
            ], forms)
        func cutShort(ending: Ending, form: (hasLength: Bool, isLater: Bool)) async throws {
            let script = HTTP2Script(length: form.hasLength ? 20_000 : nil, first: Self.piece, isLater: form.isLater, ending)
            let (response, seconds) = try await FrameScriptServer.response(to: script)
            #expect(seconds < Self.patience)
            #expect(response.kind == .transportFailed(ending.code), "\(response.data?.count ?? 0) of 20,000 bytes, \(response.words)")
            #expect(Data(Self.piece).starts(with: response.data ?? Data()))
            // What arrived on its own is kept.
            if form.isLater { #expect(response.statusCode == 200 && response.data == Data(Self.piece), "\(response)") }
        }

        @Test(
            "The same frames before the head are an error, too, and the request is not sent again if the server may have acted on it",
            arguments: [
                Ending("the end of the connection", [], .properly, .networkConnectionLost),
                Ending("its end without TLS's own", [], .withoutTLS, .networkConnectionLost),
                Ending("its reset", [], .byReset, .networkConnectionLost),
                Ending("a reset without an error", HTTP2Script.reset(.noError), .never, .networkConnectionLost),
                Ending("a reset with an error", HTTP2Script.reset(.internalError), .never, .networkConnectionLost),
                Ending("GOAWAY after it, and the end", HTTP2Script.goAway(.noError, lastStream: 1), .properly, .networkConnectionLost),
                Ending("DATA", HTTP2Script.data([1])),
                Ending("DATA on no stream", HTTP2Script.frame(.data, stream: 0, [1])),
                Ending("SETTINGS of one byte", HTTP2Script.frame(.settings, stream: 0, [1])),
                Ending("a PUSH_PROMISE", HTTP2Script.frame(.pushPromise, flags: 4, [0, 0, 0, 2, 0x88])),
                Ending("a CONTINUATION of nothing", HTTP2Script.frame(.continuation, flags: 4, [0x88])),
                Ending("a frame that is too large", [0xff, 0, 0, 0, 0, 0, 0, 0, 1], .properly),
                Ending("HTTP/1.1", Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)),
            ], [false, true])
        func beforeHead(ending: Ending, isLater: Bool) async throws {
            let server = try FrameScriptServer(isSecure: true, closes: [ending.close])
            defer { server.stop() }
            let script = HTTP2Script(frames: (isLater ? HTTP2Script.moment : []) + ending.frames, close: ending.close)
            let (response, seconds) = try await server.response(to: script, method: .post)
            #expect(seconds < Self.patience)
            #expect(response.kind == .transportFailed(ending.code) && response.statusCode == nil, "\(response)")
            #expect(server.connectionCount == 1)
        }

        /// Such a stream was not processed (RFC 9113 section 8.7).
        @Test(
            "A stream refused before its head goes again on other connections, whatever its method, until it was refused too often",
            arguments: [
                Ending("by a reset, and the end of the connection", HTTP2Script.reset(.refusedStream), .properly),
                Ending("by GOAWAY", HTTP2Script.goAway(.noError, lastStream: 0), .properly),
                Ending("by GOAWAY with an error", HTTP2Script.goAway(.internalError, lastStream: 0)),
            ], [HTTPMethod.put, .post])
        func refused(ending: Ending, method: HTTPMethod) async throws {
            let server = try FrameScriptServer(isSecure: true, closes: [ending.close])
            defer { server.stop() }
            let script = HTTP2Script(frames: ending.frames, close: ending.close)
            let (response, seconds) = try await server.response(to: script, method: method)
            #expect(seconds < Self.patience)
            #expect(response.kind == .transportFailed(.networkConnectionLost), "\(response)")
            #expect(response.words.hasSuffix("the server refused the HTTP/2 stream 6 times"), "\(response.words)")
        }

        @Test("Random frames end a request, and a response with a length is never cut short")
        func random() async throws {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(state: seed)
            let scripts = (0..<200).map { _ in HTTP2Script.random(using: &generator) }
            let server = try FrameScriptServer(isSecure: true)
            defer { server.stop() }
            var wholes = 0
            try await withThrowingTaskGroup(of: (Int, DataResponse<Data?>).self) { group in
                var waiting = Array(scripts.enumerated())
                let ask: @Sendable (Int) async throws -> (Int, DataResponse<Data?>) = { number in
                    // A complete response has all the time that it needs. The others may wait for more.
                    let timeout: TimeInterval = scripts[number].isWhole ? 60 : 0.5
                    let configuration = SessionConfiguration.with { $0.timeoutIntervalForRequest = timeout }
                    return (number, try await server.response(to: scripts[number].script, configuration).response)
                }
                for _ in 0..<16 { if let next = waiting.popLast() { group.addTask { try await ask(next.offset) } } }
                for try await (number, response) in group {
                    if let next = waiting.popLast() { group.addTask { try await ask(next.offset) } }
                    let script = scripts[number]
                    if response.error == nil {
                        wholes += 1
                        #expect(response.content == script.content, "seed \(seed), script \(number)")
                    }
                    #expect(response.error == nil || !script.isWhole, "seed \(seed), script \(number): \(response)")
                }
            }
            #expect((1..<200).contains(wholes), "seed \(seed)")
        }
    }

    extension HTTP2Script {
        fileprivate init(length: Int?, first: [UInt8], isLater: Bool, _ ending: HTTP2FrameTests.Ending) {
            frames = Self.head(length: length) + Self.data(first) + (isLater ? Self.moment : []) + ending.frames
            close = ending.close
        }

        /// A response with a length and a random fault, and its body if it is complete.
        fileprivate static func random(using generator: inout SeededGenerator) -> (script: HTTP2Script, content: Data, isWhole: Bool) {
            let pieces = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                Array(pattern(Int.random(in: 1...3000, using: &generator)))
            }
            let content = Data(pieces.joined())
            var parts = [head(length: content.count)]
            for (index, piece) in pieces.enumerated() { parts.append(data(piece, isLast: index == pieces.count - 1)) }
            let fault = Int.random(in: 0..<5, using: &generator)
            switch fault {
            case 0: break
            case 1: parts.removeLast()
            case 2: parts.swapAt(0, Int.random(in: 0..<parts.count, using: &generator))
            default:
                let payload = (0..<Int.random(in: 0...12, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                // HEADERS are left out, because they could be another valid response.
                let kind = Kind.allCases.filter { $0 != .headers }.randomElement(using: &generator) ?? .data
                let flags = UInt8.random(in: 0...255, using: &generator)
                let stray = frame(kind, flags: flags, stream: UInt8.random(in: 0...3, using: &generator), payload)
                parts.insert(stray, at: Int.random(in: 0...parts.count, using: &generator))
            }
            if Bool.random(using: &generator) { parts.insert(moment, at: Int.random(in: 0...parts.count, using: &generator)) }
            let close = [Close.properly, .withoutTLS, .byReset, .never].randomElement(using: &generator) ?? .never
            // A connection that ends without TLS's close_notify may lose earlier data.
            let isWhole = fault == 0 && (close == .never || close == .properly)
            return (HTTP2Script(frames: Array(parts.joined()), close: close), content, isWhole)
        }
    }
#endif
