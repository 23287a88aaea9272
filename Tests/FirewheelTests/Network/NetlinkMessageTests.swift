#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Testing

    @testable import Firewheel

    /// The kernel's messages about routes and interfaces (rtnetlink(7)), as bytes.
    @Suite("Messages of netlink")
    struct NetlinkMessageTests {
        private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }

        private static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }

        private static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
            padded(bytes(UInt16(4 + value.count)) + bytes(UInt16(type)) + value)
        }

        private static func message(_ type: Int, flags: Int32 = NLM_F_MULTI, _ payload: [UInt8]) -> [UInt8] {
            padded(bytes(UInt32(16 + payload.count)) + bytes(UInt16(type)) + bytes(UInt16(flags)) + bytes(UInt64(0)) + payload)
        }

        private static func route(
            length: UInt8 = 0, table: UInt8 = 254, type: Int = Int(RTN_UNICAST), _ attributes: [UInt8] = []
        ) -> [UInt8] {
            message(Int(RTM_NEWROUTE), [UInt8(AF_INET), length, 0, 0, table, 3, 0, UInt8(type), 0, 0, 0, 0] + attributes)
        }

        private static func link(flags: Int, _ attributes: [UInt8]) -> [UInt8] {
            message(Int(RTM_NEWLINK), flags: 0, [0, 0, 1, 0] + bytes(UInt32(2)) + bytes(UInt32(flags)) + bytes(UInt32(0)) + attributes)
        }

        private static func routes(_ datagram: [UInt8]) -> [NetworkRoute] {
            NetlinkMessage.messages(in: datagram[...]).compactMap { NetworkRoute($0) }
        }

        private let oif = attribute(Int(RTA_OIF.rawValue), bytes(UInt32(2)))

        @Test("A datagram consists of several messages, each padded to four bytes, and the last one ends the answer")
        func several() {
            let datagram =
                Self.route(oif) + Self.message(Int(RTM_NEWADDR), [1, 2, 3]) + Self.route(length: 24, oif)
                + Self.message(Int(NLMSG_DONE), Self.bytes(UInt32(0)))
            let messages = NetlinkMessage.messages(in: datagram[...])
            #expect(messages.map(\.type) == [Int(RTM_NEWROUTE), Int(RTM_NEWADDR), Int(RTM_NEWROUTE), Int(NLMSG_DONE)])
            #expect(messages.allSatisfy(\.isOneOfSeveral) && messages[1].payload.elementsEqual([1, 2, 3]))
            #expect(Self.routes(datagram).map(\.prefixLength) == [0, 24])
        }

        @Test("A default route is a usable one of the main table for all destinations, through any of its interfaces")
        func defaultRoutes() {
            let hop = { (index: UInt32) in Self.bytes(UInt16(8)) + [0, 0] + Self.bytes(index) }
            let several = Self.attribute(Int(RTA_MULTIPATH.rawValue), hop(5) + hop(6))
            let table = { (number: UInt32) in Self.attribute(Int(RTA_TABLE.rawValue), Self.bytes(number)) }
            for (datagram, interfaces) in [
                (Self.route(oif), [2]), (Self.route(several), [5, 6]), (Self.route(table: 253, oif), [2]),
                (Self.route(table: 252, table(254) + oif), [2]), (Self.route(length: 24, oif), nil), (Self.route(length: 1, oif), nil),
                (Self.route(table: 255, oif), nil), (Self.route(table: 100, oif), nil), (Self.route(table(51_820) + oif), nil),
                (Self.route(type: Int(RTN_UNREACHABLE), oif), nil), (Self.route(type: Int(RTN_BLACKHOLE)), nil),
            ] as [([UInt8], [UInt32]?)] {
                let route = Self.routes(datagram).first
                #expect(route?.isDefault == (interfaces != nil), "\(String(describing: route))")
                if let interfaces { #expect(route?.interfaces == interfaces) }
            }
        }

        @Test("An interface is up if it is switched on and has a carrier")
        func links() throws {
            let name = { (name: String) in Self.attribute(Int(IFLA_IFNAME), Array(name.utf8) + [0]) }
            let (up, running, loopback) = (Int(IFF_UP), Int(IFF_RUNNING), Int(IFF_LOOPBACK))
            for (flags, text, isUp, isLoopback, isCellular) in [
                (up | running, "eth0", true, false, false), (up, "wlan0", false, false, false), (running, "eth0", false, false, false),
                (up | running | loopback, "lo", true, true, false), (up | running, "wwan0", true, false, true),
                (up | running, "wwp0s20f0u6", true, false, true), (up | running, "rmnet_data0", true, false, true),
                (0, "", false, false, false),
            ] {
                let message = try #require(NetlinkMessage.messages(in: Self.link(flags: flags, name(text))[...]).first)
                let link = try #require(NetworkLink(message))
                #expect(link.name == text && link.isUp == isUp && link.isLoopback == isLoopback && link.isCellular == isCellular)
            }
        }

        @Test("A refusal has the system's error, and an acknowledgement has 0")
        func refusals() {
            let refusal = { (code: Int32) in
                NetlinkMessage.messages(in: Self.message(Int(NLMSG_ERROR), Self.bytes(code))[...]).first?.refusal
            }
            #expect(refusal(-ENETUNREACH) == ENETUNREACH && refusal(0) == 0 && refusal(.min) == .max)
            #expect(NetlinkMessage.messages(in: Self.message(Int(NLMSG_ERROR), [1])[...]).first?.refusal == EPROTO)
            #expect(NetlinkMessage.messages(in: Self.route()[...]).first?.refusal == nil)
        }

        @Test("Questions have the lengths and numbers that the kernel expects")
        func questions() throws {
            for question in [
                NetlinkMessage.allRoutes(AF_INET), NetlinkMessage.link(7), NetlinkMessage.route(to: NetworkAddress(bytes: [10, 0, 0, 1])),
                NetlinkMessage.route(to: NetworkAddress(bytes: [UInt8](repeating: 1, count: 16), zone: 9)),
            ] {
                let messages = NetlinkMessage.messages(in: question[...])
                #expect(messages.count == 1 && messages.first.map { $0.payload.count + 16 } == question.count)
            }
            let route = try #require(
                NetlinkMessage.messages(in: NetlinkMessage.route(to: NetworkAddress(bytes: [10, 0, 0, 1]))[...]).first)
            #expect(
                route.type == Int(RTM_GETROUTE)
                    && Array(route.payload) == [2, 32] + [UInt8](repeating: 0, count: 10) + [8, 0, 1, 0, 10, 0, 0, 1])
        }

        @Test("A message that is cut short anywhere, or whose lengths lie, is read up to there")
        func cut() {
            let datagram = Self.route(oif) + Self.link(flags: 65, Self.attribute(Int(IFLA_IFNAME), Array("eth0".utf8)))
            for count in 0...datagram.count {
                let messages = NetlinkMessage.messages(in: datagram[..<count])
                #expect(messages.count <= 2 && (count < datagram.count || messages.count == 2))
                for message in messages { _ = (NetworkRoute(message), NetworkLink(message), message.refusal) }
            }
            for length in [0, 1, 15, 17, 255, 65_535] as [UInt32] {
                var lying = datagram
                lying.replaceSubrange(0..<4, with: Self.bytes(length))
                #expect(Self.routes(lying).allSatisfy { $0.interfaces.count <= 1 })
            }
            for length in [0, 1, 3, 5, 4_000, 65_535] as [UInt16] {
                #expect(
                    Self.routes(Self.route(Self.bytes(length) + Self.bytes(UInt16(RTA_OIF.rawValue)) + Self.bytes(UInt32(2)))).count == 1)
                let hops = Self.attribute(Int(RTA_MULTIPATH.rawValue), Self.bytes(length) + [0, 0] + Self.bytes(UInt32(2)))
                #expect(Self.routes(Self.route(hops)).first?.interfaces.count ?? 9 <= 1)
            }
        }

        @Test("Random bytes, and messages with random changes, never trap")
        func random() {
            var generator = SeededGenerator(state: 34)
            let valid = Self.route(oif) + Self.link(flags: 65, Self.attribute(Int(IFLA_IFNAME), Array("eth0".utf8))) + Self.route(length: 8)
            for round in 0..<20_000 {
                var bytes = valid
                if round % 2 == 0 {
                    bytes = (0..<Int.random(in: 0...96, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                } else {
                    for _ in 0..<Int.random(in: 1...6, using: &generator) {
                        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
                for message in NetlinkMessage.messages(in: bytes[...]) {
                    _ = (NetworkRoute(message), NetworkLink(message), message.refusal)
                }
            }
        }
    }
#endif
