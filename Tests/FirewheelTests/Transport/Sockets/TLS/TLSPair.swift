#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A `TLSStream` and a server for it, over a pair of sockets and on one thread: bytes move when the test says so.
    final class TLSPair {
        let stream: TLSStream
        private(set) var clientDescriptor: Int32
        private(set) var serverDescriptor: Int32
        private let context: TLSFrontContext
        private let server: OpaquePointer
        private var isServerReady = false
        /// Bytes of the server that have not been put into its socket.
        private(set) var output: [UInt8] = []
        /// What the server has read.
        private(set) var received: [UInt8] = []
        /// Whether the client has sent close_notify.
        private(set) var hasEnded = false
        /// The most bytes that reach the client at once.
        var pieceSize = Int.max

        /// - Parameters:
        ///   - server: Shared by pairs that resume sessions.
        ///   - sendBuffer: The size of both sockets' buffers.
        init(
            _ client: TLSContext, _ server: TLSFrontContext, peer: TLSPeer = .test, protocols: [String] = ["http/1.1"],
            sessions: TLSSessions? = nil, sendBuffer: Int32? = nil
        ) throws {
            let descriptors = try FrontSocket.pair()
            if let sendBuffer { for descriptor in descriptors { FrontSocket.setOption(SOL_SOCKET, SO_SNDBUF, sendBuffer, of: descriptor) } }
            (clientDescriptor, serverDescriptor) = (descriptors[0], descriptors[1])
            context = server
            let stream = server.makeStream()
            do {
                self.server = try #require(stream)
                self.stream = try TLSStream(client, descriptor: descriptors[0], peer: peer, protocols: protocols, sessions: sessions)
            } catch {
                tlstest_stream_free(stream)
                for descriptor in descriptors { Glibc.close(descriptor) }
                throw error
            }
        }

        deinit {
            stream.close()
            tlstest_stream_free(server)
            for descriptor in [clientDescriptor, serverDescriptor] where descriptor >= 0 { Glibc.close(descriptor) }
        }

        // MARK: Bytes

        /// Moves what there is, in both directions.
        @discardableResult
        func move() -> Bool {
            var hasMoved = false
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = recv(serverDescriptor, &buffer, buffer.count, 0), count > 0 {
                hasMoved = true
                _ = tlstest_stream_feed(server, buffer, count)
            }
            if !isServerReady { isServerReady = tlstest_stream_handshake(server) == 0 }
            if isServerReady {
                var count = tlstest_stream_read(server, &buffer, buffer.count)
                while count > 0 {
                    received += buffer[..<count]
                    count = tlstest_stream_read(server, &buffer, buffer.count)
                }
                hasEnded = hasEnded || count == Int(TLSTEST_ENDED)
            }
            takeOutput()
            return deliver(pieceSize) || hasMoved
        }

        /// Puts so many of the server's bytes into its socket.
        @discardableResult
        func deliver(_ count: Int) -> Bool {
            let sent = output.withUnsafeBytes { Glibc.send(serverDescriptor, $0.baseAddress, min(count, $0.count), Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            output.removeFirst(sent)
            return true
        }

        /// Goes through the handshake. Returns the step at which nothing moves any more.
        @discardableResult
        func handshake() -> TLSStream.Step {
            while true {
                let step = stream.handshake()
                switch step {
                case .wantsReading, .wantsWriting: if !move() { return step }
                case .done, .asks, .failed:
                    while move() {}
                    return step
                }
            }
        }

        func requireHandshake() throws {
            let step = handshake()
            guard case .done = step else { throw MockServerError.tls(reason: "the handshake ended with \(step)") }
        }

        /// Bytes of the server for the client. They wait in `output`.
        func serverSends(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { tlstest_stream_write(server, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
                takeOutput()
            }
        }

        private func takeOutput() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = tlstest_stream_output(server, &buffer, buffer.count), count > 0 { output += buffer[..<count] }
        }

        /// Raw bytes in place of the server's.
        func serverSendsRaw(_ bytes: [UInt8]) { output += bytes }

        /// The client closes, and then the server, which would forget its session otherwise.
        func close() {
            stream.close()
            while move() {}
            serverCloses()
        }

        func serverCloses() { tlstest_stream_close(server) }
        func serverUpdatesKeys() -> Bool { tlstest_stream_update_keys(server) }
        func serverRenegotiates() -> Bool { tlstest_stream_renegotiate(server) }
        var serverError: String { String(cString: tlstest_stream_error(server)) }
        var serverName: String { String(cString: tlstest_stream_server_name(server)) }
        var isServerResumed: Bool { tlstest_stream_is_resumed(server) }

        /// Closes the server's socket, and waits until the client's has noticed: a process that another test starts has copies of all descriptors
        /// until it runs its program. A reset if the client has sent what was not read.
        func endConnection() {
            Glibc.close(serverDescriptor)
            serverDescriptor = -1
            var polled = pollfd(fd: clientDescriptor, events: 0, revents: 0)
            _ = poll(&polled, 1, 10_000)
        }

        /// Whether the client's socket would be announced.
        private var isReadable: Bool {
            var polled = pollfd(fd: clientDescriptor, events: Int16(POLLIN), revents: 0)
            return poll(&polled, 1, 0) == 1
        }

        /// Receives until there is nothing more, or the end.
        func receiveAll(pieces size: Int = 65_536) -> (bytes: [UInt8], last: TLSStream.Received) {
            var bytes: [UInt8] = []
            var idleCalls = 0
            var buffer = [UInt8](repeating: 0, count: size)
            while true {
                let result = buffer.withUnsafeMutableBytes { stream.receive(into: $0) }
                guard case .bytes(let count) = result else {
                    if case .wouldBlock = result {
                        if move() { continue }
                        // More than a few calls for nothing mean that it waits for something else.
                        idleCalls += 1
                        if isReadable || stream.hasMore, idleCalls < 20 { continue }
                    }
                    return (bytes, result)
                }
                bytes += buffer[..<count]
            }
        }

        /// Sends all of the bytes; the sizes of the calls follow a pattern.
        func sendAll(_ bytes: [UInt8], sizes: [Int] = [.max]) -> TLSStream.Sent {
            var position = 0
            var call = 0
            while position < bytes.count {
                let count = min(bytes.count - position, sizes[call % sizes.count])
                call += 1
                let result = bytes.withUnsafeBytes { stream.send(UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
                switch result {
                case .bytes(let sent): position += sent
                case .wouldBlock, .wantsReading: if !move() { return result }
                case .failed: return result
                }
            }
            return .bytes(position)
        }
    }

    extension TLSPeer {
        static let test = TLSPeer(host: "localhost", port: 443, isAddress: false)
    }

    extension TLSContext {
        static func trusting(_ authority: TestAuthority, _ options: TLSOptions = TLSOptions()) throws -> TLSContext {
            try load(options, places: TLSStorePlaces(file: authority.pemFile.path))
        }
    }

    extension TLSStream.Step {
        var failure: TLSFailure? { if case .failed(let failure) = self { failure } else { nil } }
        var isDone: Bool { if case .done = self { true } else { false } }
        var question: ServerCertificates? { if case .asks(let certificates) = self { certificates } else { nil } }
    }

    extension TLSFailure {
        /// Code and words for the test's peer.
        func words(_ peer: TLSPeer = .test) -> (code: URLError.Code, text: String)? {
            if case .failed(let code, let text) = error(for: peer) { (code, text) } else { nil }
        }
    }
#endif
