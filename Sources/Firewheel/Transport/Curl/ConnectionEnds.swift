#if os(Linux)
    import CFirewheelCurl
    import CFirewheelSystem
    import Glibc

    /// The local and remote address of a TCP connection, which together identify it. A local port alone may serve connections to several
    /// servers.
    struct ConnectionEnds {
        struct End: Equatable {
            /// The numeric address, as libcurl writes it.
            let address: String
            let port: Int32
        }

        let local: End
        /// nil once the connection has broken or was shut down locally.
        let remote: End?

        /// nil if the socket is not a TCP socket, or has no address yet.
        init?(of descriptor: Int32) {
            guard let local = End({ getsockname(descriptor, $0, $1) }) else { return nil }
            self.local = local
            remote = End { getpeername(descriptor, $0, $1) }
        }

        /// Whether a handle's transfer is on the connection with these ends. If only the local end is known it decides alone: treating an
        /// idle connection as busy is harmless, the reverse is not.
        func areThose(of easy: UnsafeMutableRawPointer) -> Bool {
            var measured = fwcurl_measured()
            fwcurl_measure(easy, &measured)
            guard local.isThat(measured.local_address, measured.local_port) else { return false }
            return remote?.isThat(measured.remote_address, measured.remote_port) ?? true
        }
    }

    extension ConnectionEnds.End {
        fileprivate init?(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let result = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &size) }
            }
            guard result == 0 else { return nil }
            let text: String?
            switch Int32(storage.ss_family) {
            case AF_INET:
                let parts = Self.read(&storage, as: sockaddr_in.self)
                (text, port) = (Self.text(AF_INET, parts.sin_addr), Int32(UInt16(bigEndian: parts.sin_port)))
            case AF_INET6:
                let parts = Self.read(&storage, as: sockaddr_in6.self)
                (text, port) = (Self.text(AF_INET6, parts.sin6_addr), Int32(UInt16(bigEndian: parts.sin6_port)))
            default: return nil
            }
            guard let text else { return nil }
            address = text
        }

        fileprivate func isThat(_ address: UnsafePointer<CChar>?, _ port: Int) -> Bool {
            Int(self.port) == port && address.map { String(cString: $0) } == self.address
        }

        private static func read<Address>(_ storage: inout sockaddr_storage, as type: Address.Type) -> Address {
            withUnsafeBytes(of: &storage) { $0.load(as: type) }
        }

        private static func text<Address>(_ family: Int32, _ address: Address) -> String? {
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            return withUnsafeBytes(of: address) { bytes in
                inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)).map { String(cString: $0) }
            }
        }
    }
#endif
