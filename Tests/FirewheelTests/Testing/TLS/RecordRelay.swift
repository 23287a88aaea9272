#if os(Linux)
    import Foundation
    import Glibc

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Passes connections on to a server that can be exchanged for another one under the same address, and can change the server's TLS
    /// records on their way.
    final class RecordRelay: Sendable {
        /// What is passed on in place of a record.
        struct Edit: Sendable {
            enum Ending: Sendable {
                /// FIN.
                case end
                case reset
            }

            var bytes: [UInt8]
            var ending: Ending?
        }

        private let listener: FrontListener
        private let target: Locked<Int>

        /// - Parameters:
        ///   - port: The server's, on the loopback address.
        ///   - isIPv6: Whether it listens on ::1 instead of 127.0.0.1.
        ///   - edit: Called with each of the server's records on a connection, the five bytes of its head included.
        init(to port: Int, isIPv6: Bool = false, edit: (@Sendable (_ record: [UInt8]) -> Edit)? = nil) throws {
            let target = Locked(port)
            self.target = target
            listener = try FrontListener(name: "mock-relay", isIPv6: isIPv6) { arrival in
                guard let server = FrontSocket.connect(to: target.withLock { $0 }, unless: arrival.stop) else { return }
                defer { close(server) }
                Self.run(arrival, server, edit)
            }
        }

        var port: Int { listener.port }

        /// Has later connections lead to another server.
        func lead(to port: Int) { target.withLock { $0 = port } }

        /// Ends all connections and returns when their threads have ended.
        func stop() { listener.stop() }

        private static func run(_ arrival: FrontListener.Arrival, _ server: Int32, _ edit: (@Sendable ([UInt8]) -> Edit)?) {
            let client = arrival.client
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
            defer { buffer.deallocate() }
            var held: [UInt8] = []
            while true {
                var polled = [client, server, arrival.stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, 3, -1) > 0 || errno == EINTR, polled[2].revents == 0 else { return }
                if polled[0].revents != 0 {
                    let count = recv(client, buffer.baseAddress, buffer.count, 0)
                    guard count > 0 else { return end(server, client, buffer, arrival.stop) }
                    guard send(buffer[..<count], to: server, arrival.stop) else { return }
                }
                guard polled[1].revents != 0 else { continue }
                let count = recv(server, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else {
                    if count < 0 { FrontSocket.resetOnClose(client) }
                    return end(client, client, buffer, arrival.stop)
                }
                guard let edit else {
                    guard send(buffer[..<count], to: client, arrival.stop) else { return }
                    continue
                }
                held += buffer[..<count]
                while let record = takeRecord(&held) {
                    let edited = edit(record)
                    guard edited.bytes.withUnsafeBytes({ send($0[...], to: client, arrival.stop) }) else { return }
                    switch edited.ending {
                    case .end: return end(client, client, buffer, arrival.stop)
                    case .reset:
                        FrontSocket.waitUntilSent(client, unless: arrival.stop)
                        return FrontSocket.resetOnClose(client)
                    case nil: break
                    }
                }
            }
        }

        private static func takeRecord(_ held: inout [UInt8]) -> [UInt8]? {
            guard held.count >= 5 else { return nil }
            let size = 5 + Int(held[3]) << 8 + Int(held[4])
            guard held.count >= size else { return nil }
            defer { held.removeFirst(size) }
            return Array(held[..<size])
        }

        /// Sends FIN one way, and drops what the client still says.
        private static func end(_ told: Int32, _ client: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ stop: Int32) {
            shutdown(told, Int32(SHUT_WR))
            if told == client { FrontSocket.drain(client, unless: stop) }
        }

        private static func send(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32, _ stop: Int32) -> Bool {
            var rest = UnsafeRawBufferPointer(rebasing: bytes)
            while !rest.isEmpty {
                var polled = [
                    pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&polled, 2, -1) > 0 || errno == EINTR, polled[1].revents == 0 else { return false }
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }

        private static func send(_ bytes: Slice<UnsafeMutableRawBufferPointer>, to descriptor: Int32, _ stop: Int32) -> Bool {
            send(UnsafeRawBufferPointer(rebasing: bytes)[...], to: descriptor, stop)
        }
    }
#endif
