#if os(Linux)
    /// The events of a channel's transfers on their way out, gathered so that each receiver is called once for all that came together.
    struct CurlOutbox {
        typealias Batch = (receiver: any TransportReceiver, events: [TransportEvent])

        private var batches: [Batch] = []
        /// Those that have a head or chunks to tell of, once for each.
        private var withNews: [CurlTransfer] = []

        /// Something of a transfer can be told, if it has not ended or been paused by the time that it is.
        mutating func noteNews(of transfer: CurlTransfer) {
            withNews.append(transfer)
        }

        mutating func post(_ kind: TransportEvent.Kind, of transfer: CurlTransfer) {
            let event = TransportEvent(id: transfer.request.id, kind: kind)
            if let index = batches.firstIndex(where: { $0.receiver === transfer.receiver }) {
                batches[index].events.append(event)
            } else {
                batches.append((transfer.receiver, [event]))
            }
        }

        /// All that has come since last time, those of one transfer in their order.
        mutating func take() -> [Batch] {
            for transfer in withNews where transfer.stage == .running && !transfer.hasEnded && !transfer.isPaused {
                for kind in transfer.takeNews(beforeEnd: false) { post(kind, of: transfer) }
            }
            withNews.removeAll(keepingCapacity: true)
            let taken = batches
            batches.removeAll(keepingCapacity: true)
            return taken
        }
    }
#endif
