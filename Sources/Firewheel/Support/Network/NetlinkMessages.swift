#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// A message of the kernel about routes and network interfaces (netlink(7), rtnetlink(7)).
    ///
    /// Read byte by byte, because the macros of the C headers are not imported, and because nothing in a message is to be believed that its
    /// length does not bear out.
    struct NetlinkMessage {
        /// Such as `RTM_NEWROUTE`.
        let type: Int
        /// Whether others follow, up to one of type `NLMSG_DONE`.
        let isOneOfSeveral: Bool
        let payload: ArraySlice<UInt8>

        private static let headerSize = 16

        /// The messages that a datagram consists of, up to the first that is cut short.
        static func messages(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
            var messages: [NetlinkMessage] = []
            var rest = datagram
            while let length = rest.number(at: 0, as: UInt32.self).map(Int.init), let type = rest.number(at: 4, as: UInt16.self),
                let flags = rest.number(at: 6, as: UInt16.self)
            {
                guard length >= headerSize, length <= rest.count else { break }
                messages.append(
                    NetlinkMessage(
                        type: Int(type), isOneOfSeveral: flags & UInt16(NLM_F_MULTI) != 0,
                        payload: rest.prefix(length).dropFirst(headerSize)))
                rest = rest.dropFirst(length.aligned)
            }
            return messages
        }

        /// The errno of a refusal, or 0 of an acknowledgement; nil for other messages.
        var refusal: Int32? {
            guard type == Int(NLMSG_ERROR) else { return nil }
            return payload.number(at: 0, as: Int32.self).map { $0 == .min ? .max : -$0 } ?? EPROTO
        }

        /// A question for all routes of a family: `AF_INET` or `AF_INET6`.
        static func allRoutes(_ family: Int32) -> [UInt8] {
            question(Int(RTM_GETROUTE), flags: NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH, routeHeader(family, length: 0))
        }

        /// A question for the route to an address.
        static func route(to address: NetworkAddress) -> [UInt8] {
            let family = address.bytes.count == 4 ? AF_INET : AF_INET6
            var body = routeHeader(family, length: address.bytes.count * 8) + attribute(Int(RTA_DST.rawValue), address.bytes)
            if address.zone != 0 { body += attribute(Int(RTA_OIF.rawValue), bytes(of: address.zone)) }
            return question(Int(RTM_GETROUTE), flags: NLM_F_REQUEST, body)
        }

        /// A question for a network interface.
        static func link(_ index: UInt32) -> [UInt8] {
            question(Int(RTM_GETLINK), flags: NLM_F_REQUEST, [UInt8(AF_UNSPEC), 0, 0, 0] + bytes(of: index) + bytes(of: UInt64(0)))
        }

        private static func question(_ type: Int, flags: Int32, _ body: [UInt8]) -> [UInt8] {
            bytes(of: UInt32(headerSize + body.count)) + bytes(of: UInt16(type)) + bytes(of: UInt16(flags)) + bytes(of: UInt64(0)) + body
        }

        private static func routeHeader(_ family: Int32, length: Int) -> [UInt8] {
            [UInt8(family), UInt8(length)] + [UInt8](repeating: 0, count: NetworkRoute.headerSize - 2)
        }

        private static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
            bytes(of: UInt16(4 + value.count)) + bytes(of: UInt16(type)) + value
        }

        private static func bytes(of number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }
    }

    /// A route of the kernel.
    struct NetworkRoute: Equatable {
        static let headerSize = 12

        /// How many bits of a destination decide whether the route is for it; 0 for a default route.
        let prefixLength: Int
        let table: UInt32
        /// Such as `RTN_UNICAST`.
        let type: Int
        /// The numbers of the network interfaces that it leads through.
        let interfaces: [UInt32]

        /// nil if the message is not a route.
        init?(_ message: NetlinkMessage) {
            let payload = message.payload
            guard message.type == Int(RTM_NEWROUTE), payload.count >= Self.headerSize else { return nil }
            prefixLength = Int(payload[payload.startIndex + 1])
            type = Int(payload[payload.startIndex + 7])
            var table = UInt32(payload[payload.startIndex + 4])
            var interfaces: [UInt32] = []
            for (type, value) in payload.dropFirst(Self.headerSize).attributes {
                switch type {
                case Int(RTA_TABLE.rawValue): table = value.number(at: 0, as: UInt32.self) ?? table
                case Int(RTA_OIF.rawValue): interfaces += value.number(at: 0, as: UInt32.self).map { [$0] } ?? []
                case Int(RTA_MULTIPATH.rawValue): interfaces += Self.hops(value)
                default: break
                }
            }
            (self.table, self.interfaces) = (table, interfaces)
        }

        /// The interfaces of a route with several hops.
        private static func hops(_ value: ArraySlice<UInt8>) -> [UInt32] {
            var interfaces: [UInt32] = []
            var rest = value
            while let length = rest.number(at: 0, as: UInt16.self).map(Int.init), let index = rest.number(at: 4, as: UInt32.self) {
                guard length >= 8, length <= rest.count else { break }
                interfaces.append(index)
                rest = rest.dropFirst(length.aligned)
            }
            return interfaces
        }

        /// Whether it leads to a host or to several, as opposed to one that refuses or discards.
        var leadsSomewhere: Bool {
            [RTN_UNICAST, RTN_LOCAL, RTN_BROADCAST, RTN_ANYCAST, RTN_MULTICAST].contains { type == Int($0) }
        }

        /// Whether it leads to all hosts for which there is no other route, by the rules that apply to all of the machine's traffic.
        var isDefault: Bool {
            prefixLength == 0 && type == Int(RTN_UNICAST)
                && [UInt32(RT_TABLE_MAIN.rawValue), UInt32(RT_TABLE_DEFAULT.rawValue)].contains(table)
        }
    }

    /// A network interface of the kernel.
    struct NetworkLink: Equatable {
        private static let headerSize = 16

        let name: String
        private let flags: UInt32

        /// nil if the message is not a network interface.
        init?(_ message: NetlinkMessage) {
            let payload = message.payload
            guard message.type == Int(RTM_NEWLINK), payload.count >= Self.headerSize, let flags = payload.number(at: 8, as: UInt32.self)
            else { return nil }
            self.flags = flags
            let name = payload.dropFirst(Self.headerSize).attributes.first { $0.type == Int(IFLA_IFNAME) }?.value ?? []
            self.name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        }

        /// Whether it is switched on and can send: a cable is plugged in, a wireless network is joined.
        var isUp: Bool { flags & UInt32(IFF_UP) != 0 && flags & UInt32(IFF_RUNNING) != 0 }
        var isLoopback: Bool { flags & UInt32(IFF_LOOPBACK) != 0 }
        /// By its name: `ww` begins those of systemd and of the kernel for modems (systemd.net-naming-scheme(7)), `rmnet` Qualcomm's.
        var isCellular: Bool { name.hasPrefix("ww") || name.hasPrefix("rmnet") }
    }

    extension ArraySlice<UInt8> {
        /// nil if the number is not there as a whole.
        fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number? {
            guard count - offset >= MemoryLayout<Number>.size else { return nil }
            return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }

        /// The attributes of a message, up to the first that is cut short.
        fileprivate var attributes: [(type: Int, value: ArraySlice<UInt8>)] {
            var attributes: [(type: Int, value: ArraySlice<UInt8>)] = []
            var rest = self
            while let length = rest.number(at: 0, as: UInt16.self).map(Int.init), let type = rest.number(at: 2, as: UInt16.self) {
                guard length >= 4, length <= rest.count else { break }
                // The two highest bits tell how the value is built.
                attributes.append((Int(type & 0x3FFF), rest.prefix(length).dropFirst(4)))
                rest = rest.dropFirst(length.aligned)
            }
            return attributes
        }
    }

    extension Int {
        /// Messages and attributes begin at multiples of four.
        fileprivate var aligned: Int { (self + 3) & ~3 }
    }
#endif
