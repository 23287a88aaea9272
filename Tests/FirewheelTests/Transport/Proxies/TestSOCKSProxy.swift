#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A SOCKS proxy on the loopback address, written from RFC 1928 and 1929 and from the memo about SOCKS 4a. It connects to a port of
    /// 127.0.0.1 whatever the name or address of the server is, or of ::1 for an IPv6 address, and records what it is asked for.
    final class TestSOCKSProxy: Sendable {
        /// What a client has asked for.
        struct Asked: Sendable, Equatable {
            let version: Int
            var host = ""
            var port = 0
            var user: String?
            var password: String?
        }

        private let listener: FrontListener
        private let log = Journal<Asked>()
        private let begun = Journal<Void>()
        private let ended = Journal<Void>()

        /// - Parameters:
        ///   - users: Their passwords; nil if nobody has to say who it is.
        ///   - reply: What is sent instead of the reply to a request; nil for the reply.
        ///   - isSlow: Whether each byte is sent on its own.
        ///   - isEarly: Whether all that it has to say is sent at once.
        ///   - isIPv6: Whether it listens on ::1.
        init(
            users: [String: String]? = nil, reply: [UInt8]? = nil, isSlow: Bool = false, isEarly: Bool = false, isIPv6: Bool = false
        ) throws {
            let (log, begun, ended) = (log, begun, ended)
            listener = try FrontListener(name: "mock-socks", isIPv6: isIPv6) { arrival in
                begun.add(())
                defer { ended.add(()) }
                if isEarly {
                    arrival.send([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                    return arrival.end()
                }
                var conversation = Conversation(arrival: arrival, isSlow: isSlow)
                guard let asked = conversation.ask(users) else { return }
                log.add(asked)
                let good: [UInt8] = asked.version == 5 ? [5, 0, 0, 3, 4] + Array("name".utf8) + [1, 2] : [0, 90, 0, 0, 0, 0, 0, 0]
                let refusal: [UInt8] = asked.version == 5 ? [5, 5, 0, 1, 0, 0, 0, 0, 0, 0] : [0, 91, 0, 0, 0, 0, 0, 0]
                let server = reply == nil ? try? RawConnection(port: asked.port, ipv6: asked.host.hasPrefix("[")) : nil
                conversation.say(reply ?? (server == nil ? refusal : good))
                if let server { arrival.pass(to: server.descriptor) } else { arrival.end() }
            }
        }

        var port: Int { listener.port }
        var asked: [Asked] { log.entries }
        var connectionCount: Int { begun.count }
        var openCount: Int { begun.count - ended.count }

        func stop() { listener.stop() }

        /// The beginning of a connection.
        private struct Conversation {
            let arrival: FrontListener.Arrival
            let isSlow: Bool
            private var input: [UInt8] = []

            init(arrival: FrontListener.Arrival, isSlow: Bool) { (self.arrival, self.isSlow) = (arrival, isSlow) }

            func say(_ bytes: [UInt8]) {
                guard isSlow else { return arrival.send(bytes) }
                for byte in bytes { arrival.send([byte]) }
            }

            private mutating func take(_ count: Int) -> [UInt8]? {
                while input.count < count {
                    guard let more = arrival.read(), !more.isEmpty else { return nil }
                    input += more
                }
                defer { input.removeFirst(count) }
                return Array(input.prefix(count))
            }

            private mutating func takeText(until end: UInt8) -> String? {
                var bytes: [UInt8] = []
                while let byte = take(1)?[0] {
                    if byte == end { return String(decoding: bytes, as: UTF8.self) }
                    bytes.append(byte)
                }
                return nil
            }

            private mutating func takeText(behindLength: Void) -> String? {
                guard let count = take(1)?[0], let bytes = take(Int(count)) else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }

            /// nil for a client that may not pass, or says something else.
            mutating func ask(_ users: [String: String]?) -> Asked? {
                guard let version = take(1)?[0] else { return nil }
                return version == 5 ? ask5(users) : version == 4 ? ask4() : nil
            }

            private mutating func ask5(_ users: [String: String]?) -> Asked? {
                guard let count = take(1)?[0], let methods = take(Int(count)) else { return nil }
                let method: UInt8 = users == nil ? 0 : 2
                guard methods.contains(method) else {
                    say([5, 255])
                    return nil
                }
                say([5, method])
                var asked = Asked(version: 5)
                if let users {
                    guard take(1) == [1], let user = takeText(behindLength: ()), let password = takeText(behindLength: ()) else {
                        return nil
                    }
                    (asked.user, asked.password) = (user, password)
                    say([1, users[user] == password ? 0 : 1])
                    guard users[user] == password else { return nil }
                }
                guard take(3) == [5, 1, 0], let type = take(1)?[0] else { return nil }
                switch type {
                case 1: asked.host = take(4).map { $0.map(String.init).joined(separator: ".") } ?? ""
                case 3: asked.host = takeText(behindLength: ()) ?? ""
                case 4: asked.host = take(16).map { "[\($0.map { String($0, radix: 16) }.joined(separator: " "))]" } ?? ""
                default: return nil
                }
                guard let port = take(2) else { return nil }
                asked.port = Int(port[0]) << 8 | Int(port[1])
                return asked
            }

            private mutating func ask4() -> Asked? {
                guard take(1) == [1], let port = take(2), let address = take(4), let user = takeText(until: 0) else { return nil }
                let isName = address[..<3] == [0, 0, 0] && address[3] != 0
                let host = isName ? takeText(until: 0) : address.map(String.init).joined(separator: ".")
                return Asked(version: 4, host: host ?? "", port: Int(port[0]) << 8 | Int(port[1]), user: user.isEmpty ? nil : user)
            }
        }
    }
#endif
