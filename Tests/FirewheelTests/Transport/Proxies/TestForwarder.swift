#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A proxy on the loopback address that sends http requests on (RFC 9112 section 3.2.2) and changes nothing but their request lines, so
    /// that a server behind it sees what a client does.
    final class TestForwarder: Sendable {
        private let listener: FrontListener

        init() throws {
            listener = try FrontListener(name: "mock-forwarder") { arrival in
                var requests = Requests()
                var first: [UInt8] = []
                while requests.port == nil {
                    guard let bytes = arrival.read(), !bytes.isEmpty else { return }
                    first += requests.forwarded(bytes)
                }
                guard let server = requests.port.flatMap({ try? RawConnection(port: $0, ipv6: requests.isIPv6) }) else {
                    return arrival.send(Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
                }
                arrival.pass(to: server.descriptor, first: first) { requests.forwarded($0) }
            }
        }

        var port: Int { listener.port }

        func stop() { listener.stop() }

        /// The requests of a client, one after the other.
        private struct Requests {
            private enum State {
                case head
                case body(Int)
                /// The line with the size of a chunk, or of a trailer.
                case chunkLine(isTrailer: Bool)
                /// With the line end behind it.
                case chunk(Int)
            }

            private var state = State.head
            private var line: [UInt8] = []
            /// The port of their server; 0 for one that is not written for a proxy.
            private(set) var port: Int?
            /// Whether the server's address is of IPv6.
            private(set) var isIPv6 = false

            /// The bytes for the server.
            mutating func forwarded(_ bytes: [UInt8]) -> [UInt8] {
                var output: [UInt8] = []
                var position = 0
                while position < bytes.count {
                    switch state {
                    case .head:
                        takeLine(bytes, &position)
                        guard line.count >= 4, Array(line[(line.count - 4)...]) == [13, 10, 13, 10] else { continue }
                        output += endHead()
                    case .body(let count), .chunk(let count):
                        let piece = bytes[position...].prefix(count)
                        position += piece.count
                        output += piece
                        let left = count - piece.count
                        if case .body = state {
                            state = left == 0 ? .head : .body(left)
                        } else {
                            state = left == 0 ? .chunkLine(isTrailer: false) : .chunk(left)
                        }
                    case .chunkLine(let isTrailer):
                        takeLine(bytes, &position)
                        guard line.last == 10 else { continue }
                        output += line
                        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                        line = []
                        let size = Int(text.prefix { $0 != ";" }, radix: 16) ?? 0
                        if isTrailer {
                            state = text.isEmpty ? .head : state
                        } else {
                            state = size == 0 ? .chunkLine(isTrailer: true) : .chunk(size + 2)
                        }
                    }
                }
                return output
            }

            /// Takes bytes up to the end of a line. By lines, since taking them one by one takes long with a sanitizer.
            private mutating func takeLine(_ bytes: [UInt8], _ position: inout Int) {
                let end = bytes[position...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
                line += bytes[position..<end]
                position = end
            }

            private mutating func endHead() -> [UInt8] {
                defer { line = [] }
                let end = line.firstIndex(of: 10) ?? 0
                let words = String(decoding: line[..<end], as: UTF8.self).split(separator: " ")
                guard words.count == 3, let target = TargetURI(String(words[1])) else {
                    port = port ?? 0
                    return line
                }
                port = port ?? target.origin.port
                isIPv6 = target.origin.host.contains(":")
                let fields = String(decoding: line, as: UTF8.self).lowercased().components(separatedBy: "\r\n")
                if fields.contains("transfer-encoding: chunked") { state = .chunkLine(isTrailer: false) }
                let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
                if length > 0 { state = .body(length) }
                let path = target.string.dropFirst(target.origin.description.count)
                return Array("\(words[0]) \(path) HTTP/1.1\r".utf8) + line[end...]
            }
        }
    }
#endif
