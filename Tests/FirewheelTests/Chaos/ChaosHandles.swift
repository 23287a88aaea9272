import Foundation

@testable import Firewheel

#if os(Linux)
    import CFirewheelCurl

    /// Inspects on the loop what a transport holds: its transfers, its connections, and libcurl's easy handles, whose number libcurl does
    /// not report.
    final class ChaosHandles: Sendable {
        private enum Opened {
            case curl(CurlTransport.Opened)
            case sockets(SocketTransport.Opened)
        }

        private struct Census: Sendable {
            /// Whether nothing is under way: what is left is idle.
            var isIdle = false
            /// Whether nothing is left.
            var isEmpty = false
            var description = ""
        }

        private let opened: Opened

        /// nil for a transport that cannot be inspected.
        init?(_ transport: any Transport) {
            if let opened = try? (transport as? CurlTransport)?.open() {
                self.opened = .curl(opened)
            } else if let opened = try? (transport as? SocketTransport)?.open() {
                self.opened = .sockets(opened)
            } else {
                return nil
            }
        }

        /// Whether nothing is under way.
        var areBack: Bool { census.isIdle }

        /// Whether nothing is left.
        var areFreed: Bool { census.isEmpty }

        var description: String { census.description }

        private var census: Census {
            let found = Locked(Census())
            let isDone = DispatchSemaphore(value: 0)
            switch opened {
            case .curl(let opened):
                opened.inbox.post(
                    .inspect { [reference = opened.reference] in
                        found.withLock { $0 = Self.count(reference.channel) }
                        isDone.signal()
                    })
            case .sockets(let opened):
                let inspect = PoolCommand.inspect { [pool = opened.pool] in
                    found.withLock { $0 = Self.count(pool.object) }
                    isDone.signal()
                }
                opened.inbox.post(LoopMessage(pool: opened.pool, command: inspect))
            }
            isDone.wait()
            return found.withLock { $0 }
        }

        private static func count(_ pool: ConnectionPool) -> Census {
            let (transfers, connections) = (pool.transfers.count, pool.connections.count)
            let busy = pool.connections.values.count { !$0.isIdle }
            return Census(
                isIdle: transfers == 0 && busy == 0, isEmpty: transfers == 0 && connections == 0,
                description: "\(transfers) transfers, \(connections) connections, of which \(busy) are in use")
        }

        private static func count(_ channel: CurlChannel) -> Census {
            let (living, idle) = (channel.handleCount.value, channel.handles.idle.count)
            var (attached, occupied) = (0, 0)
            guard let multi = fwcurl_multi_make() else { return Census() }
            defer { _ = fwcurl_multi_free(multi) }
            for handle in channel.handles.idle {
                if handle.transfer != nil { occupied += 1 }
                // Adding fails for a handle that is in another multi handle.
                if fwcurl_multi_add(multi, handle.easy) == 0 {
                    _ = fwcurl_multi_remove(multi, handle.easy)
                } else {
                    attached += 1
                }
            }
            return Census(
                isIdle: living == idle && attached == 0 && occupied == 0, isEmpty: living == 0,
                description: "\(living) easy handles, \(idle) idle, of which \(attached) are attached and \(occupied) have a transfer")
        }
    }
#else
    /// Without a transport that can be inspected there is nothing to count.
    final class ChaosHandles: Sendable {
        let areBack = true
        let areFreed = true
        let description = ""

        init?(_ transport: any Transport) { return nil }
    }
#endif
