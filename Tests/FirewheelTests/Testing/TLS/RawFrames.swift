#if os(Linux)
    import Foundation

    /// A client of HTTP/2 with prior knowledge that sends frames by hand and gives the server's as they come (RFC 9113, RFC 7541).
    final class RawFrames {
        struct Frame: Equatable {
            var type: UInt8
            var flags: UInt8
            var stream: UInt32
            var payload: [UInt8]

            static let data: UInt8 = 0
            static let headers: UInt8 = 1
            static let reset: UInt8 = 3
            static let goAway: UInt8 = 7
            var endsStream: Bool { flags & 1 != 0 }
        }

        private let connection: RawConnection

        /// Sends the preface and the client's settings.
        init(port: Int, windowSize: UInt32 = 65_535) throws {
            connection = try RawConnection(port: port)
            connection.send(Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
            send(type: 4, flags: 0, stream: 0, [0, 4] + Self.bytes(windowSize))
        }

        func send(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) {
            let size = UInt32(payload.count)
            connection.send(Data(Self.bytes(size).dropFirst() + [type, flags] + Self.bytes(stream) + payload))
        }

        /// Sends a request's head.
        func request(
            _ stream: UInt32, _ method: String = "GET", _ path: String = "/", fields: [(String, String)] = [], endsStream: Bool = true
        ) {
            let all = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost")] + fields
            send(type: Frame.headers, flags: endsStream ? 5 : 4, stream: stream, Self.block(all))
        }

        /// A block of literal fields that are not indexed.
        static func block(_ fields: [(String, String)]) -> [UInt8] {
            fields.flatMap { name, value in
                [0, UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8) + [UInt8(truncatingIfNeeded: value.utf8.count)]
                    + Array(value.utf8)
            }
        }

        /// The frames up to the end of a stream, or of the connection; SETTINGS, PING and WINDOW_UPDATE are left out.
        func frames(untilEndOf stream: UInt32) -> [Frame] {
            var frames: [Frame] = []
            while let frame = next() {
                if ![4, 6, 8].contains(frame.type) { frames.append(frame) }
                let isEnd = frame.type <= 1 && frame.endsStream || frame.type == Frame.reset
                if frame.stream == stream, isEnd { break }
            }
            return frames
        }

        /// nil at the end of the connection, or after thirty seconds.
        func next() -> Frame? {
            let head = connection.readBytes(count: 9)
            guard head.count == 9 else { return nil }
            let size = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let stream = head[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
            return Frame(type: head[3], flags: head[4], stream: stream, payload: connection.readBytes(count: size))
        }

        private static func bytes(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    }
#endif
