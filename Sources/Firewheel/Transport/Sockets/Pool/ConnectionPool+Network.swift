#if os(Linux)
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
        let observation: NetworkObservation
        var transfers: [TransportTaskID: SocketTransfer] = [:]
        /// The last answer of the system: that there is no way. nil if it has not answered yet.
        var answer: NetworkAnswer?

        /// In the order in which they were made.
        var inOrder: [SocketTransfer] {
            transfers.sorted { ($0.key.request, $0.key.attempt, $0.key.hop) < ($1.key.request, $1.key.attempt, $1.key.hop) }.map(\.value)
        }
    }

    /// Requests that cannot be connected for want of a route.
    extension ConnectionPool {
        /// Asks whether there is a way to where a transfer leads, now and whenever that may have changed. The transfer is told by
        /// `hasNoNetwork` and, at last, `networkIsThere`.
        func seekNetwork(_ destination: NetworkDestination, for transfer: SocketTransfer) {
            guard unrouted[destination] == nil else {
                unrouted[destination]?.transfers[transfer.id] = transfer
                if let answer = unrouted[destination]?.answer { transfer.hasNoNetwork(isOffline: answer.isOffline) }
                return
            }
            let (inbox, pool, network) = (loop.inbox, PoolReference(object: self), network)
            let observation = network.observe {
                inbox.post(LoopMessage(pool: pool, command: .network(destination, NetworkAnswer(destination, network))))
            }
            guard let observation else { return transfer.networkIsThere(hasWaited: false, isKnown: false) }
            unrouted[destination] = UnroutedTransfers(observation: observation, transfers: [transfer.id: transfer])
        }

        func stopSeekingNetwork(_ destination: NetworkDestination, for transfer: SocketTransfer) {
            unrouted[destination]?.transfers[transfer.id] = nil
            if unrouted[destination]?.transfers.isEmpty == true { unrouted[destination] = nil }
        }

        func networkIs(_ answer: NetworkAnswer, for destination: NetworkDestination) {
            guard let group = unrouted[destination] else { return }
            if answer.status == .unreachable {
                unrouted[destination]?.answer = answer
                for transfer in group.inOrder { transfer.hasNoNetwork(isOffline: answer.isOffline) }
            } else {
                unrouted[destination] = nil
                for transfer in group.inOrder { transfer.networkIsThere(hasWaited: group.answer != nil, isKnown: true) }
            }
        }
    }
#endif
