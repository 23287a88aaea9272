/// The most bytes a second in each direction, averaged over some tenths of a second. A body is held up for at most five seconds by others
/// that share the limit, so more than fifty large ones at once exceed it, and so do bodies below a tenth of it, which are never held up
/// themselves. The idle timeout of an upload with a limit is at least ten seconds, since a body that waits is not idle.
public struct Bandwidth: Sendable, Hashable {
    /// Bytes of request bodies a second. nil, and values below 1, mean no limit.
    public var upload: Int?
    /// Bytes of response bodies a second, after decoding. nil, and values below 1, mean no limit.
    public var download: Int?

    /// Limits of both directions.
    ///
    /// - Parameters:
    ///   - upload: Bytes of request bodies a second. Default: nil, no limit.
    ///   - download: Bytes of response bodies a second, after decoding. Default: nil, no limit.
    public init(upload: Int? = nil, download: Int? = nil) {
        self.upload = upload
        self.download = download
    }
}
