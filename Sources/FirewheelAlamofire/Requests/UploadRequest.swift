/// A request that sends data, a file, a stream or a form, and whose response body is kept in memory.
public final class UploadRequest: DataRequest, @unchecked Sendable {
    // Sound like its base class; a file manager is for use on any thread.

    /// What an upload sends.
    public enum Uploadable: @unchecked Sendable {
        // Sound because the engine alone reads the stream, once the request was created.
        /// Data in memory.
        case data(Data)
        /// A file; `shouldRemove` tells whether it is a temporary one, which is removed when the request has ended.
        case file(URL, shouldRemove: Bool)
        /// A stream, which can be read once.
        case stream(InputStream)
    }

    /// What makes the value of ``uploadable``.
    public let upload: any UploadableConvertible
    /// The file manager that the request was created with.
    public let fileManager: FileManager

    init(
        _ base: Firewheel.UploadRequest, upload: any UploadableConvertible, fileManager: FileManager,
        convertible: any URLRequestConvertible, settings: RequestSettings
    ) {
        self.upload = upload
        self.fileManager = fileManager
        super.init(base, convertible: convertible, settings: settings)
    }

    /// What the request sends. nil until that is made, which is when the request is, and if it cannot be made.
    ///
    /// A form is data, or a temporary file if its parts have at least as many bytes as its threshold.
    public var uploadable: Uploadable? {
        if let form = upload as? MultipartUpload { return form.uploadable }
        return base.currentRequest == nil ? nil : upload as? Uploadable
    }
}

/// A type that makes what an upload sends.
public protocol UploadableConvertible: Sendable {
    /// What the upload sends.
    ///
    /// - Throws: Any error.
    func createUploadable() throws -> UploadRequest.Uploadable
}

extension UploadRequest.Uploadable: UploadableConvertible {
    /// The value itself.
    public func createUploadable() throws -> UploadRequest.Uploadable { self }
}

/// A type that makes a `URLRequest` and what an upload sends with it.
public protocol UploadConvertible: UploadableConvertible, URLRequestConvertible {}
