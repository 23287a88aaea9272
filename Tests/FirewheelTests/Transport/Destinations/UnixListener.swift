#if os(Linux)
    import Foundation
    import Glibc

    @testable import FirewheelTesting

    /// A Unix socket of a test. Its file is removed with it.
    final class UnixListener: Sendable {
        /// As a session's configuration has it.
        let path: String
        let descriptor: Int32

        /// - Parameters:
        ///   - backlog: nil for a socket without a listener.
        ///   - isAbstract: Whether it has an abstract name, and no file.
        ///   - kind: Default: a stream.
        init(backlog: Int32? = 512, isAbstract: Bool = false, kind: __socket_type = SOCK_STREAM) throws {
            let name = "firewheel-\(UUID().uuidString)"
            // Not in TMPDIR, whose path may be too long.
            path = isAbstract ? "@\(name)" : "/tmp/\(name).sock"
            descriptor = socket(AF_UNIX, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes: [UInt8] = isAbstract ? [0] + name.utf8 : path.utf8 + [0]
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(2 + bytes.count)) == 0 }
            }
            guard isBound, backlog == nil || listen(descriptor, backlog ?? 0) == 0 else { throw Loopback.failure("bind", descriptor) }
        }

        deinit {
            unlink(path)
        }
    }

    /// Passes the connections of a Unix socket on to a server on the loopback address.
    final class UnixFront: Sendable {
        private let socket: UnixListener
        private let listener: FrontListener

        init(to port: Int, isAbstract: Bool = false) throws {
            socket = try UnixListener(isAbstract: isAbstract)
            listener = try FrontListener(name: "mock-unix", listener: socket.descriptor, port: 0) { arrival in
                guard let server = try? RawConnection(port: port) else { return }
                arrival.pass(to: server.descriptor)
            }
        }

        var path: String { socket.path }

        func stop() { listener.stop() }
    }
#endif
