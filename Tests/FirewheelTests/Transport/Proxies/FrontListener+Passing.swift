#if os(Linux)
    import Foundation
    import Glibc

    @testable import FirewheelTesting

    /// What test proxies do with a connection.
    extension FrontListener.Arrival {
        /// The next bytes; empty at the end of the connection, nil if the proxy stops.
        func read() -> [UInt8]? {
            while wait([(client, Int16(POLLIN))]) != nil {
                if let bytes = Self.receive(from: client) { return bytes }
            }
            return nil
        }

        func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty, Self.sendSome(&rest, to: client), wait([(client, Int16(POLLOUT))]) != nil {}
        }

        /// Ends the connection after what was sent. What still comes is read, because the system would otherwise reset the connection.
        func end() {
            shutdown(client, Int32(SHUT_WR))
            while let bytes = read(), !bytes.isEmpty {}
        }

        /// Passes bytes on in both directions at once, until one end closes.
        ///
        /// - Parameters:
        ///   - first: Bytes for the server that have come already.
        ///   - change: What becomes of bytes for the server.
        func pass(to server: Int32, first: [UInt8] = [], change: (([UInt8]) -> [UInt8])? = nil) {
            var (up, down) = (first[...], [UInt8]()[...])
            var isServerOpen = true
            while isServerOpen || !down.isEmpty {
                let forClient = Int16(up.isEmpty ? POLLIN : 0) | Int16(down.isEmpty ? 0 : POLLOUT)
                let forServer = Int16(down.isEmpty && isServerOpen ? POLLIN : 0) | Int16(up.isEmpty ? 0 : POLLOUT)
                guard let ready = wait([(client, forClient), (server, forServer)]) else { return }
                if ready[0] != 0, up.isEmpty, let bytes = Self.receive(from: client) {
                    guard !bytes.isEmpty else { return }
                    up = (change?(bytes) ?? bytes)[...]
                }
                if ready[1] != 0, down.isEmpty, isServerOpen, let bytes = Self.receive(from: server) {
                    isServerOpen = !bytes.isEmpty
                    down = bytes[...]
                }
                // A server that reads no more may still send.
                if !up.isEmpty, !Self.sendSome(&up, to: server) { up = [] }
                guard down.isEmpty || Self.sendSome(&down, to: client) else { return }
            }
            end()
        }

        /// What the descriptors are ready for; nil if the proxy stops. One that waits for nothing is not looked at.
        private func wait(_ sources: [(descriptor: Int32, events: Int16)]) -> [Int16]? {
            while true {
                var polled = [pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
                polled += sources.map { pollfd(fd: $0.events == 0 ? -1 : $0.descriptor, events: $0.events, revents: 0) }
                guard poll(&polled, nfds_t(polled.count), -1) > 0 || errno == EINTR, polled[0].revents == 0 else { return nil }
                let ready = polled.dropFirst().map(\.revents)
                if ready.contains(where: { $0 != 0 }) { return ready }
            }
        }

        /// Empty at the end of the connection, nil if there is nothing yet.
        private static func receive(from source: Int32) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(source, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            return Array(buffer[..<max(0, count)])
        }

        /// Sends as much as the system takes. False if the connection is broken.
        private static func sendSome(_ bytes: inout ArraySlice<UInt8>, to target: Int32) -> Bool {
            let count = bytes.withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            bytes = bytes.dropFirst(count)
            return true
        }
    }
#endif
