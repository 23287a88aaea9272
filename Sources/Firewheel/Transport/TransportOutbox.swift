/// A transfer that a ``TransportOutbox`` reports on.
protocol ReportingTransfer: AnyObject {
    var id: TransportTaskID { get }
    var receiver: any TransportReceiver { get }
    /// Whether its news may be reported now: not while it is paused, and not after its end.
    var reportsNews: Bool { get }
    /// How many bytes of a body that is decoded have been received; nil for others.
    var encodedCount: Int64? { get }

    /// Returns what is to be reported since the last call.
    func takeNews(beforeEnd isAtEnd: Bool) -> [TransportEvent.Kind]
}

/// The pending events of transfers, grouped so that each receiver is called once per batch.
struct TransportOutbox<Transfer: ReportingTransfer> {
    typealias Batch = (receiver: any TransportReceiver, events: [TransportEvent])

    private var batches: [Batch] = []
    /// Transfers with a head or chunks to report, each listed once.
    private var withNews: [Transfer] = []

    /// Marks a transfer as having news to report, unless it ends or is paused before that.
    mutating func noteNews(of transfer: Transfer) {
        withNews.append(transfer)
    }

    mutating func post(_ kind: consuming TransportEvent.Kind, of transfer: Transfer) {
        var event = TransportEvent(id: transfer.id, kind: kind)
        if case .chunk = event.kind { event.encodedCount = transfer.encodedCount }
        if let index = batches.firstIndex(where: { $0.receiver === transfer.receiver }) {
            batches[index].events.append(event)
        } else {
            batches.append((transfer.receiver, [event]))
        }
    }

    /// Removes and returns the events since the last call, in order for each transfer.
    mutating func take() -> [Batch] {
        for transfer in withNews where transfer.reportsNews {
            for kind in transfer.takeNews(beforeEnd: false) { post(kind, of: transfer) }
        }
        withNews.removeAll(keepingCapacity: true)
        let taken = batches
        batches.removeAll(keepingCapacity: true)
        return taken
    }
}
