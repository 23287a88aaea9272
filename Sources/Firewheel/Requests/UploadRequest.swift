/// A request that sends data, a file, a stream or a form, and whose response body is kept in memory.
///
/// The body is sent again after a redirect that keeps it (307, 308), a challenge or a retry. One that can be produced only once, from a
/// stream or an async sequence, is an error then: `uploadBodyFailed(.notRepeatable)`.
public final class UploadRequest: DataRequest, @unchecked Sendable {
    // Sound like its base class: it has no stored properties.
}
