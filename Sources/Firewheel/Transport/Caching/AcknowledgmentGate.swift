/// Passes acknowledgments on to the network for bytes that the client has taken and that are on the disk, so that neither of them has more
/// than the request's window in memory.
struct AcknowledgmentGate: Sendable {
    private var acknowledged = 0
    private var settled = 0
    private var passed = 0

    /// - Returns: The bytes to acknowledge.
    mutating func acknowledge(_ bytes: Int) -> Int {
        // A client may acknowledge more than it has.
        let (sum, isTooLarge) = acknowledged.addingReportingOverflow(max(0, bytes))
        acknowledged = isTooLarge ? .max : sum
        return take()
    }

    /// Handles that bytes need no more memory for the disk.
    ///
    /// - Returns: The bytes to acknowledge.
    mutating func settle(_ bytes: Int) -> Int {
        settled += bytes
        return take()
    }

    private mutating func take() -> Int {
        let most = min(acknowledged, settled)
        defer { passed = most }
        return most - passed
    }
}
