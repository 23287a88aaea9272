#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// What carries the bytes of a connection: a connected socket. Used on the loop's thread only.
    final class Wire {
        /// What came of an attempt to receive.
        enum Receipt {
            case bytes(Int)
            /// Nothing has come yet.
            case nothing
            /// The peer has ended the connection.
            case end
            /// The connection is broken, with the errno.
            case failed(Int32)
        }

        /// What came of an attempt to send.
        enum Sent {
            case bytes(Int)
            /// The kernel takes no more for now.
            case nothing
            /// The connection is broken, with the errno.
            case failed(Int32)
        }

        @exclusivity(unchecked) var socket: WatchedSocket
        let remote: SocketAddress
        let local: SocketAddress?

        init(_ socket: WatchedSocket, to remote: SocketAddress) {
            self.socket = socket
            self.remote = remote
            local = SocketAddress(localOf: socket.descriptor)
        }

        /// A closed connection is an error here, and not a signal for the whole process.
        private static let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Receipt {
            while true {
                let count = recv(socket.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { return .bytes(count) }
                if count == 0 { return .end }
                if errno == EAGAIN { return .nothing }
                if errno != EINTR { return .failed(errno) }
            }
        }

        /// - Parameter hasMore: Whether more follows at once, so that a small packet need not be sent on its own.
        func send(_ bytes: UnsafeRawBufferPointer, hasMore: Bool = false) -> Sent {
            while true {
                let count = Glibc.send(
                    socket.descriptor, bytes.baseAddress, bytes.count, Self.sendFlags | (hasMore ? Int32(MSG_MORE) : 0))
                if count >= 0 { return .bytes(count) }
                if errno == EAGAIN { return .nothing }
                if errno != EINTR { return .failed(errno) }
            }
        }

        /// Whether nothing has come since it was last read to its end.
        var isQuiet: Bool {
            var byte: UInt8 = 0
            return recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
        }

        /// The number of sent bytes that the peer has not acknowledged.
        var bytesHeldByKernel: Int {
            var count: Int32 = 0
            // SIOCOUTQ, which is this number under another name.
            return ioctl(socket.descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }
    }
#endif
