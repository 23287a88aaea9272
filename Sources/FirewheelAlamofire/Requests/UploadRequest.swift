/// A request that sends data, a file, a stream or a form, and whose response body is kept in memory.
public final class UploadRequest: DataRequest, @unchecked Sendable {
    // Sound like its base class.

    /// What an upload sends.
    public enum Uploadable: @unchecked Sendable {
        // Sound because the engine alone reads the stream, once the request was created.
        /// Data in memory.
        case data(Data)
        /// A file; `shouldRemove` tells whether it is a temporary one.
        case file(URL, shouldRemove: Bool)
        /// A stream, which can be read once.
        case stream(InputStream)
    }

    /// What the request sends, if that was known when it was created; nil for a form.
    public let uploadable: Uploadable?

    init(
        _ base: Firewheel.UploadRequest, uploading uploadable: Uploadable?, convertible: any URLRequestConvertible,
        settings: RequestSettings
    ) {
        self.uploadable = uploadable
        super.init(base, convertible: convertible, settings: settings)
    }
}
