#if os(Linux)
    import Glibc

    /// Sockets of tests on the loopback address.
    enum Loopback {
        /// A socket with a port that the system chooses.
        static func bind() throws -> (descriptor: Int32, port: Int) {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            guard isBound else { throw failure("bind", descriptor) }
            return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
        }

        /// A socket that connections can be made to.
        static func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
            let bound = try bind()
            guard Glibc.listen(bound.descriptor, backlog) == 0 else { throw failure("listen", bound.descriptor) }
            return bound
        }

        /// The error for a call that has failed, after which the descriptor is closed.
        static func failure(_ call: String, _ descriptor: Int32) -> MockServerError {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            return .system(call: call, code: code)
        }
    }
#endif
