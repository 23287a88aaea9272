#if os(Linux)
    import Dispatch

    /// Whether there is a way to where requests lead.
    struct NetworkAnswer: Sendable {
        let status: NetworkStatus
        /// Whether the Internet cannot be reached either.
        let isOffline: Bool

        /// Asks the system, which may take a moment.
        init(_ destination: NetworkDestination, _ network: any NetworkPaths) {
            status = network.status(of: destination)
            isOffline = status == .unreachable && (destination == .anywhere || network.status(of: .anywhere) == .unreachable)
        }
    }

    /// Requests that lead to the same place, to which there was no route.
    struct UnroutedTransfers {
        /// An answer to another question for the same place does not count.
        let number: UInt64
        /// nil if the system does not report changes, or the process has no descriptor left for that.
        let observation: NetworkObservation?
        var transfers: [TransportTaskID: SocketTransfer] = [:]
        /// The last answer of the system: that there is no way. nil if it has not answered yet.
        var answer: NetworkAnswer?

        /// In the order in which they were made.
        var inOrder: [SocketTransfer] {
            transfers.sorted { ($0.key.request, $0.key.attempt, $0.key.hop) < ($1.key.request, $1.key.attempt, $1.key.hop) }.map(\.value)
        }
    }

    /// Requests that cannot be connected because there is no route.
    extension ConnectionPool {
        /// Asks whether there is a way to where a transfer leads, now and whenever that may have changed. The transfer is told by
        /// `hasNoNetwork` and, at last, `networkIsThere`.
        func seekNetwork(_ destination: NetworkDestination, for transfer: SocketTransfer) {
            if let group = unrouted[destination] {
                unrouted[destination]?.transfers[transfer.id] = transfer
                if let answer = group.answer {
                    transfer.hasNoNetwork(isOffline: answer.isOffline, canWait: group.observation != nil)
                }
                return
            }
            lastUnrouted += 1
            let (inbox, pool, network, number) = (loop.inbox, PoolReference(object: self), network, lastUnrouted)
            let ask: @Sendable () -> Void = {
                let answer = NetworkAnswer(destination, network)
                inbox.post(LoopMessage(pool: pool, command: .network(destination, number, answer)))
            }
            let observation = network.observe(ask)
            unrouted[destination] = UnroutedTransfers(number: number, observation: observation, transfers: [transfer.id: transfer])
            // The loop must not wait for the answer.
            if observation == nil { DispatchQueue.global().async(execute: ask) }
        }

        func stopSeekingNetwork(_ destination: NetworkDestination, for transfer: SocketTransfer) {
            unrouted[destination]?.transfers[transfer.id] = nil
            if unrouted[destination]?.transfers.isEmpty == true { unrouted[destination] = nil }
        }

        func networkIs(_ answer: NetworkAnswer, for destination: NetworkDestination, _ number: UInt64) {
            guard let group = unrouted[destination], group.number == number else { return }
            guard answer.status == .unreachable else {
                unrouted[destination] = nil
                for transfer in group.inOrder { transfer.networkIsThere() }
                return
            }
            unrouted[destination]?.answer = answer
            // A name may have addresses that can be reached in this network.
            let isOtherNetwork = group.answer?.isOffline == true && !answer.isOffline
            for transfer in group.inOrder {
                if isOtherNetwork, transfer.leadsToName {
                    stopSeekingNetwork(destination, for: transfer)
                    transfer.networkIsThere()
                } else {
                    transfer.hasNoNetwork(isOffline: answer.isOffline, canWait: group.observation != nil)
                }
            }
        }
    }
#endif
