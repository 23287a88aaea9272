import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The data that arrives behind a held head before the client decides (``TransportRequest/heldHeads``).
///
/// On Apple platforms there is none, since URLSession waits for its completion handler. FoundationNetworking does not wait.
struct URLSessionHeld {
    /// The most bytes to keep.
    private static let window = 1 << 20
    /// The most seconds to wait for the end of a discarded body: OkHttp's `DISCARD_STREAM_TIMEOUT_MILLIS`.
    static let patience: TimeInterval = 0.1
    /// The most bytes of a discarded body to read, to keep the connection usable.
    static let mostDiscarded = 64 << 10

    /// Lets URLSession continue.
    var allow: (@Sendable (URLSession.ResponseDisposition) -> Void)?
    /// The client's decision, kept while the request is paused.
    var decision: TransportRequest.HeldBody?
    private(set) var pieces: [Data] = []
    private var count = 0
    private(set) var hasEnded = false
    private(set) var error: TransportError?

    /// - Returns: False if the data exceeds the limit, which ends the transfer.
    mutating func keep(_ data: Data) -> Bool {
        guard !hasEnded else { return true }
        count += data.count
        guard count <= Self.window else {
            pieces = []
            end(.failed(.dataLengthExceedsMaximum, "more of the body came than is kept while the response's head is held"))
            return false
        }
        pieces.append(data)
        return true
    }

    mutating func end(_ error: TransportError?) {
        guard !hasEnded else { return }
        hasEnded = true
        self.error = error
    }
}
