#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Frames of every kind that are right by themselves, at times at which they may not come.
    @Suite("HTTP/2 on the wire: frames at the wrong time", .enabled(if: HTTP2Bench.isPossible), .timeLimit(.minutes(5)))
    struct HTTP2WrongTimesTests {
        struct Frame: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let bytes: [UInt8]

            init(_ name: String, _ bytes: [UInt8]) {
                testDescription = name
                self.bytes = bytes
            }
        }

        /// Below the idle timeout.
        private static let patience: TimeInterval = 15
        private static let ping = HTTP2Script.frame(.ping, stream: 0, Array(repeating: 1, count: 8))

        /// Frames of all kinds but SETTINGS and CONTINUATION. The first request's stream is 1.
        private static let frames = [
            Frame("DATA", HTTP2Script.data([1])), Frame("HEADERS", HTTP2Script.frame(.headers, flags: 4, [0x88])),
            Frame("PRIORITY", HTTP2Script.frame(.priority, [0, 0, 0, 0, 1])), Frame("RST_STREAM", HTTP2Script.reset(.cancel)),
            Frame("PUSH_PROMISE", HTTP2Script.frame(.pushPromise, flags: 4, [0, 0, 0, 2, 0x88])), Frame("PING", ping),
            Frame("GOAWAY", HTTP2Script.goAway(.noError, lastStream: 1)),
            Frame("WINDOW_UPDATE", HTTP2Script.frame(.windowUpdate, stream: 0, [0, 0, 0, 1])),
            Frame("a frame of no known kind", [0, 0, 1, 200, 0, 0, 0, 0, 1, 1]),
        ]

        /// Those that end a connection without requests.
        private static let unwanted = ["PUSH_PROMISE", "GOAWAY"]

        /// Has a server send frames in answer to a request, which has to fail in time.
        private static func expectFailure(
            of bench: HTTP2WireBench, _ server: FramesServer, settings: [(UInt8, UInt32)]?, _ frames: [UInt8]
        ) throws {
            let start = MonotonicInstant.now()
            let id = try bench.start(server.url, method: .post)
            let peer = try server.accept(settings: settings)
            _ = try peer.request()
            peer.send(frames)
            guard case .failed(.cannotParseResponse, _)? = try bench.end(of: id).error else {
                Issue.record("\(try bench.text(of: id))")
                return
            }
            #expect(peer.isEnded())
            #expect(MonotonicInstant.now().seconds(since: start) < patience)
        }

        @Test(
            "Whatever comes before the server's SETTINGS ends the connection (section 3.4)",
            arguments: frames + [
                Frame("CONTINUATION", HTTP2Script.frame(.continuation, flags: 4, [0x88])),
                Frame("an acknowledgement of SETTINGS", HTTP2Script.frame(.settings, flags: 1, stream: 0, [])),
            ])
        func beforeSettings(frame: Frame) async {
            await HTTP2WireBench.run { server, bench in
                try Self.expectFailure(of: bench, server, settings: nil, frame.bytes + HTTP2Bench.settings)
            }
        }

        @Test(
            "Whatever comes between HEADERS and its CONTINUATION ends the connection (section 6.10)",
            arguments: frames + [
                Frame("SETTINGS", HTTP2Bench.settings),
                Frame("CONTINUATION of another stream", HTTP2Script.frame(.continuation, flags: 4, stream: 3, [])),
            ])
        func withinSection(frame: Frame) async {
            await HTTP2WireBench.run { server, bench in
                let continuation = HTTP2Script.frame(.continuation, flags: 4, [])
                try Self.expectFailure(
                    of: bench, server, settings: [], HTTP2Script.frame(.headers, flags: 1, [0x88]) + frame.bytes + continuation)
            }
        }

        @Test(
            "What may come on a connection without requests leaves it usable (sections 5.1, 6.3 to 6.9)",
            arguments: frames.filter { !unwanted.contains($0.testDescription) } + [Frame("SETTINGS", HTTP2Bench.settings)])
        func harmless(frame: Frame) async {
            await HTTP2WireBench.run { server, bench in
                let start = MonotonicInstant.now()
                let peer = try Self.idleConnection(bench, server)
                peer.send(frame.bytes + Self.ping)
                while try peer.next(.ping).flags & 1 == 0 {}
                let next = try bench.start(server.url)
                peer.answer(try peer.request(), "next")
                #expect(try bench.text(of: next) == "next")
                #expect(MonotonicInstant.now().seconds(since: start) < Self.patience)
            }
        }

        @Test(
            "What may not come there ends it, and the next request goes to another one",
            arguments: frames.filter { unwanted.contains($0.testDescription) } + [
                Frame("CONTINUATION", HTTP2Script.frame(.continuation, flags: 4, [0x88])),
                Frame("DATA on an idle stream", HTTP2Script.frame(.data, stream: 3, [1])),
                Frame("HEADERS on an idle stream", HTTP2Script.frame(.headers, flags: 4, stream: 3, [0x88])),
                Frame("RST_STREAM on an idle stream", HTTP2Script.frame(.reset, stream: 3, [0, 0, 0, 8])),
                Frame("WINDOW_UPDATE on an idle stream", HTTP2Script.frame(.windowUpdate, stream: 3, [0, 0, 0, 1])),
                Frame("HEADERS on a stream of the server's", HTTP2Script.frame(.headers, flags: 4, stream: 2, [0x88])),
            ])
        func harmful(frame: Frame) async {
            await HTTP2WireBench.run { server, bench in
                let start = MonotonicInstant.now()
                let peer = try Self.idleConnection(bench, server)
                peer.send(frame.bytes)
                #expect(peer.isEnded())
                let next = try bench.start(server.url)
                let other = try server.accept()
                other.answer(try other.request(), "next")
                #expect(try bench.text(of: next) == "next")
                #expect(MonotonicInstant.now().seconds(since: start) < Self.patience)
            }
        }

        /// A connection whose first request is over.
        private static func idleConnection(_ bench: HTTP2WireBench, _ server: FramesServer) throws -> FramesPeer {
            let id = try bench.start(server.url)
            let peer = try server.accept()
            peer.answer(try peer.request(), "first")
            #expect(try bench.text(of: id) == "first")
            return peer
        }
    }
#endif
