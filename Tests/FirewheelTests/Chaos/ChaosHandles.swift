import Foundation

@testable import Firewheel

#if os(Linux)
    /// Inspects on the loop what a transport holds: its transfers and its connections.
    final class ChaosHandles: Sendable {
        private struct Census: Sendable {
            /// Whether nothing is under way: what is left is idle.
            var isIdle = false
            /// Whether nothing is left.
            var isEmpty = false
            var description = ""
        }

        private let opened: SocketTransport.Opened

        /// nil for a transport that cannot be inspected.
        init?(_ transport: any Transport) {
            guard let opened = try? (transport as? SocketTransport)?.open() else { return nil }
            self.opened = opened
        }

        /// Whether nothing is under way.
        var areBack: Bool { census.isIdle }

        /// Whether nothing is left.
        var areFreed: Bool { census.isEmpty }

        var description: String { census.description }

        private var census: Census {
            let found = Locked(Census())
            let isDone = DispatchSemaphore(value: 0)
            let inspect = PoolCommand.inspect { [pool = opened.pool] in
                found.withLock { $0 = Self.count(pool.object) }
                isDone.signal()
            }
            opened.inbox.post(LoopMessage(pool: opened.pool, command: inspect))
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
