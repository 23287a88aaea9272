#if os(Linux)
    import Foundation
    import Glibc

    /// Takes in one connection on the loopback address, waits for the first bytes, answers with its own and closes. What it answers need not be HTTP.
    final class RawServer: Sendable {
        let port: Int
        private let descriptor: Int32
        private let isDone = DispatchSemaphore(value: 0)

        init(answer: [UInt8]) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0 && listen(descriptor, 1) == 0
                }
            }
            guard isListening else { throw BoundSocket.Failure() }
            self.descriptor = descriptor
            port = Int(UInt16(bigEndian: address.sin_port))
            let isDone = isDone
            let thread = Thread {
                Self.serve(descriptor, answer)
                isDone.signal()
            }
            thread.start()
        }

        deinit {
            // Ends a thread that nobody has connected to.
            shutdown(descriptor, Int32(SHUT_RDWR))
            isDone.wait()
            close(descriptor)
        }

        private static func serve(_ listener: Int32, _ answer: [UInt8]) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            _ = recv(connection, &bytes, bytes.count, 0)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            shutdown(connection, Int32(SHUT_WR))
            // A close with bytes unread would be a reset.
            while recv(connection, &bytes, bytes.count, 0) > 0 {}
            close(connection)
        }
    }
#endif
