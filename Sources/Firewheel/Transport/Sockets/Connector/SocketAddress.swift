#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// An address that a socket can be connected to, or is.
    struct SocketAddress: Equatable {
        /// The IP address as text, or the path or abstract name of a Unix socket.
        let text: String
        /// nil for a Unix socket.
        let port: Int?
        private let storage: sockaddr_storage
        private let size: socklen_t

        var family: Int32 { Int32(storage.ss_family) }

        static func == (left: SocketAddress, right: SocketAddress) -> Bool {
            left.text == right.text && left.port == right.port
        }

        /// - Parameter numeric: An IP address, an IPv6 one with or without brackets, perhaps with a zone: the name of a network interface
        ///   of this machine, or its number.
        init?(numeric: String, port: Int) {
            var hints = addrinfo()
            hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            let parts = (numeric.hasPrefix("[") ? numeric.dropFirst().dropLast() : numeric[...]).split(separator: "%", maxSplits: 1)
            guard let text = parts.first, getaddrinfo(String(text), String(port), &hints, &list) == 0, let first = list?.pointee,
                let address = first.ai_addr
            else { return nil }
            defer { freeaddrinfo(list) }
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(Int(first.ai_addrlen), bytes.count)))
            }
            if parts.count == 2 {
                // The system takes the name of an interface for link-local addresses only.
                guard first.ai_family == AF_INET6, let zone = Self.interface(String(parts[1])) else { return nil }
                withUnsafeMutableBytes(of: &storage) { $0.assumingMemoryBound(to: sockaddr_in6.self)[0].sin6_scope_id = zone }
            }
            self.init(storage, first.ai_addrlen)
        }

        init(_ socket: UnixSocket) {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = socket.bytes
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) { storage in withUnsafeBytes(of: &address) { storage.copyMemory(from: $0) } }
            (text, port, self.storage) = (socket.text, nil, storage)
            size = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count)
        }

        /// The number of a network interface; nil if there is none of this name or number.
        private static func interface(_ zone: String) -> UInt32? {
            let index = if_nametoindex(zone)
            return index != 0 ? index : UInt32(zone).flatMap { $0 == 0 ? nil : $0 }
        }

        /// The address at this end of a connected socket.
        init?(localOf descriptor: Int32) {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let result = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            guard result == 0 else { return nil }
            self.init(storage, size)
        }

        private init?(_ storage: sockaddr_storage, _ size: socklen_t) {
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            var copy = storage
            let (address, port): (String?, UInt16) = withUnsafeBytes(of: &copy) { bytes in
                switch Int32(storage.ss_family) {
                case AF_INET:
                    var parts = bytes.load(as: sockaddr_in.self)
                    let address = inet_ntop(AF_INET, &parts.sin_addr, &text, socklen_t(text.count)).map { String(cString: $0) }
                    return (address, UInt16(bigEndian: parts.sin_port))
                case AF_INET6:
                    var parts = bytes.load(as: sockaddr_in6.self)
                    let address = inet_ntop(AF_INET6, &parts.sin6_addr, &text, socklen_t(text.count)).map { String(cString: $0) }
                    return (address, UInt16(bigEndian: parts.sin6_port))
                default:
                    return (nil, 0)
                }
            }
            guard let address else { return nil }
            self.text = address
            self.port = Int(port)
            self.storage = storage
            self.size = size
        }

        /// Without the port. Only for IP addresses.
        var networkAddress: NetworkAddress {
            withUnsafeBytes(of: storage) { bytes in
                guard family == AF_INET6 else {
                    return withUnsafeBytes(of: bytes.load(as: sockaddr_in.self).sin_addr) { NetworkAddress(bytes: [UInt8]($0)) }
                }
                let address = bytes.load(as: sockaddr_in6.self)
                return withUnsafeBytes(of: address.sin6_addr) { NetworkAddress(bytes: [UInt8]($0), zone: address.sin6_scope_id) }
            }
        }

        func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
            var storage = storage
            return withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
            }
        }
    }

    extension AddressFamily {
        /// As the system has it.
        var number: Int32 {
            switch self {
            case .any: AF_UNSPEC
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            }
        }

        /// In messages; that of ``any`` is not needed.
        var name: String { self == .ipv6 ? "IPv6" : "IPv4" }
    }
#endif
