#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// What carries the bytes of a connection: a connected socket, perhaps with TLS. Used on the loop's thread only.
    final class Wire {
        /// What came of an attempt to receive.
        enum Receipt {
            case bytes(Int)
            /// Nothing has come yet.
            case nothing
            /// The peer has ended the connection.
            case end
            /// The connection has ended where TLS does not: somebody else may have cut it (RFC 8446 section 6.1).
            case cutOff
            /// The connection is broken, with the errno.
            case failed(Int32)
            /// What came is not TLS as it should be.
            case violated(TransportError)
        }

        /// What came of an attempt to send.
        enum Sent {
            case bytes(Int)
            /// The kernel takes no more for now, or ``Wire/needsReading``.
            case nothing
            /// The connection is broken, with the errno.
            case failed(Int32)
        }

        @exclusivity(unchecked) var socket: WatchedSocket
        let remote: SocketAddress
        let local: SocketAddress?
        /// nil without TLS.
        let tls: TLSStream?
        /// Bytes that were received with a proxy's last ones, and come first.
        @exclusivity(unchecked) var early: [UInt8] = []
        /// Whether TLS has to send something before it can receive more.
        @exclusivity(unchecked) private(set) var needsWriting = false
        /// Whether TLS has to receive something before it can send what was last to be sent.
        @exclusivity(unchecked) private(set) var needsReading = false

        init(_ socket: WatchedSocket, to remote: SocketAddress, tls: TLSStream? = nil) {
            self.socket = socket
            self.remote = remote
            self.tls = tls
            local = SocketAddress(localOf: socket.descriptor)
        }

        /// A closed connection is an error here, and not a signal for the whole process.
        private static let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Receipt {
            if !early.isEmpty { return receiveEarly(into: buffer) }
            if let tls { return receive(into: buffer, from: tls) }
            while true {
                let count = recv(socket.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { return .bytes(count) }
                if count == 0 { return .end }
                if errno == EAGAIN { return .nothing }
                if errno != EINTR { return .failed(errno) }
            }
        }

        private func receiveEarly(into buffer: UnsafeMutableRawBufferPointer) -> Receipt {
            let count = min(buffer.count, early.count)
            buffer.copyBytes(from: early[..<count])
            early.removeFirst(count)
            return .bytes(count)
        }

        /// - Parameter hasMore: Whether more follows at once, so that a small packet need not be sent on its own.
        func send(_ bytes: UnsafeRawBufferPointer, hasMore: Bool = false) -> Sent {
            if let tls { return send(bytes, over: tls) }
            while true {
                let count = Glibc.send(
                    socket.descriptor, bytes.baseAddress, bytes.count, Self.sendFlags | (hasMore ? Int32(MSG_MORE) : 0))
                if count >= 0 { return .bytes(count) }
                if errno == EAGAIN { return .nothing }
                if errno != EINTR { return .failed(errno) }
            }
        }

        /// Whether there is something to receive that the socket may not announce; see ``EventLoop/lookAgain(at:)``.
        var hasMore: Bool { !early.isEmpty || tls?.hasMore ?? false }

        /// Whether no data has come since it was last read to its end. With TLS, what is not data is read.
        var isQuiet: Bool {
            guard early.isEmpty else { return false }
            guard tls != nil else {
                var byte: UInt8 = 0
                return recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
            }
            return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
                if case .nothing = receive(into: byte) { !hasMore } else { false }
            }
        }

        /// The number of sent bytes that the peer has not acknowledged. Over a Unix socket it is the memory of those that were not read,
        /// which falls as the peer goes on, too.
        var bytesHeldByKernel: Int {
            var count: Int32 = 0
            // SIOCOUTQ, which is this number under another name.
            return ioctl(socket.descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }

        func close(on loop: EventLoop) {
            tls?.close()
            loop.close(socket)
        }

        // MARK: TLS

        // Once the process exits, OpenSSL is not called any more, and its connections count as broken.

        private func receive(into buffer: UnsafeMutableRawBufferPointer, from tls: TLSStream) -> Receipt {
            needsWriting = false
            guard TLSGate.enter() else { return .failed(ECONNABORTED) }
            defer { TLSGate.leave() }
            switch tls.receive(into: buffer) {
            case .bytes(let count): return .bytes(count)
            case .wouldBlock: return .nothing
            case .wantsWriting:
                needsWriting = true
                return .nothing
            case .ended: return .end
            case .truncated: return .cutOff
            case .failed(.connection(let code)): return .failed(code)
            case .failed(let failure):
                return .violated(failure.error(for: tls.peer, options: tls.options, isHandshake: false))
            }
        }

        private func send(_ bytes: UnsafeRawBufferPointer, over tls: TLSStream) -> Sent {
            needsReading = false
            guard TLSGate.enter() else { return .failed(ECONNABORTED) }
            defer { TLSGate.leave() }
            switch tls.send(bytes) {
            case .bytes(let count): return .bytes(count)
            case .wouldBlock: return .nothing
            case .wantsReading:
                needsReading = true
                return .nothing
            case .failed(.connection(let code)): return .failed(code)
            // What is wrong with the connection is told by receiving.
            case .failed: return .failed(EPIPE)
            }
        }
    }
#endif
