#if os(Linux)
    /// The pending events of a channel's transfers, grouped so that each receiver is called once per batch.
    struct CurlOutbox {
        typealias Batch = (receiver: any TransportReceiver, events: [TransportEvent])

        private var batches: [Batch] = []
        /// Transfers with a head or chunks to report, each listed once.
        private var withNews: [CurlTransfer] = []

        /// Marks a transfer as having news to report, unless it ends or is paused before that.
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

        /// Removes and returns the events since the last call, in order for each transfer.
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
