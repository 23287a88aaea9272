#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// A socket to the kernel's tables of routes and network interfaces.
    struct NetlinkSocket {
        /// The groups of reports about network interfaces, addresses of this machine, routes, and the rules by which routes are chosen.
        static let allChanges =
            UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE)
            | bit(RTNLGRP_IPV4_RULE) | bit(RTNLGRP_IPV6_RULE)

        private static func bit(_ group: rtnetlink_groups) -> UInt32 { 1 << (group.rawValue - 1) }

        /// What has become of a question.
        enum Result: Equatable {
            case answered
            /// With the errno.
            case refused(Int32)
            /// The kernel has not answered.
            case failed
        }

        let descriptor: Int32

        /// - Parameter groups: Which reports it receives. Default: none.
        /// - Returns: nil if the process has no descriptor left, or may not use netlink.
        init?(groups: UInt32 = 0) {
            let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | (groups == 0 ? 0 : SOCK_NONBLOCK.rawValue))
            descriptor = socket(AF_NETLINK, kind, NETLINK_ROUTE)
            guard descriptor >= 0 else { return nil }
            // A question is closed at once.
            guard groups == 0 || DescriptorReserve.isKept(behind: descriptor) else {
                close()
                return nil
            }
            var address = sockaddr_nl()
            (address.nl_family, address.nl_groups) = (sa_family_t(AF_NETLINK), groups)
            let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
            }
            guard result == 0 else {
                close()
                return nil
            }
        }

        func close() {
            Glibc.close(descriptor)
        }

        /// Discards what was received. What has changed is found out with a question, since reports may be lost.
        func drain() {
            var bytes: UInt64 = 0
            // The kernel discards the rest of a message that does not fit.
            while recv(descriptor, &bytes, 8, Int32(MSG_DONTWAIT)) >= 0 || errno == ENOBUFS || errno == EINTR {}
        }

        /// Asks the kernel, and hands over the messages of its answer.
        static func ask(_ question: [UInt8], _ take: (NetlinkMessage) -> Void) -> Result {
            guard let socket = NetlinkSocket() else { return .failed }
            defer { socket.close() }
            // The kernel answers before the question is sent; this is for one that does not answer at all.
            var patience = timeval(tv_sec: 1, tv_usec: 0)
            setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            guard send(socket.descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else { return .failed }
            // The kernel sends at most 32 KiB at once.
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(socket.descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .failed }
                for message in NetlinkMessage.messages(in: buffer[..<count]) {
                    if message.type == Int(NLMSG_DONE) { return .answered }
                    if let code = message.refusal { return code == 0 ? .answered : .refused(code) }
                    take(message)
                    // Only the answer to a question for several has an end.
                    if !message.isOneOfSeveral { return .answered }
                }
            }
        }
    }
#endif
