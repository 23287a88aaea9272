import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What comes behind a head while the client decides on it (``TransportRequest/heldHeads``).
///
/// On Apple's systems that is nothing, since URLSession waits to be allowed to go on. FoundationNetworking does not, and cannot be made to.
struct URLSessionHeld {
    /// The most bytes that are kept.
    private static let window = 1 << 20
    /// Seconds for which a body that nobody wants may hold up the end: OkHttp's `DISCARD_STREAM_TIMEOUT_MILLIS`.
    static let patience: TimeInterval = 0.1
    /// The most bytes of a body that are read for the connection's sake.
    static let mostDiscarded = 64 << 10

    /// Lets URLSession go on.
    var allow: (@Sendable (URLSession.ResponseDisposition) -> Void)?
    /// What the client has decided. While the request is paused it is kept.
    var decision: TransportRequest.HeldBody?
    private(set) var pieces: [Data] = []
    private var count = 0
    private(set) var hasEnded = false
    private(set) var error: TransportError?

    /// - Returns: False if it is more than can be kept: then it has ended.
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
