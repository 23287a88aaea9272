/// A response's body that somebody watches.
struct WatchedDownload: Sendable {
    let progress: TransferProgress
    /// The size of the body in bytes; nil if it is not known.
    var total: Int64?
    /// For a body that is decoded: how many bytes of the coded one have been received, whose size is `total`. nil if the bytes that are
    /// handed over count.
    var coded: Int64?

    /// Bytes were handed over.
    func report(adding count: Int) {
        if let coded, let total {
            progress.reportCoded(min(coded, total), of: total)
        } else {
            progress.report(adding: Int64(count), of: total)
        }
    }

    /// A download goes on at an offset, or begins again at 0.
    func begin(at offset: Int64) { progress.begin(at: offset) }
}
