/// A form for uploads, `multipart/form-data` (RFC 7578), with parts from memory, files and streams.
///
/// Names and file names are sent as browsers send them: with `"` as `%22` and line breaks escaped, which Alamofire sends unchanged.
///
/// A part that cannot be added makes the form fail when it is encoded or sent, with the first such error. All methods can be called on any
/// thread. A form can be encoded and sent as often as its parts can be read: any number of times with parts from memory and files, once
/// with a part from a stream.
open class MultipartFormData: @unchecked Sendable {
    // Sound because its stored properties are constants: a file manager, which is for use on any thread, and otherwise of Sendable types. A
    // subclass declares what it adds.

    /// The size, in bytes, from which a form is written to a temporary file instead of being encoded in memory.
    public static let encodingMemoryThreshold: UInt64 = 10_000_000

    let base: Firewheel.MultipartFormData
    let fileManager: FileManager
    /// The value of `Content-Type`, if it was set.
    private let givenContentType = Locked<String?>(nil)

    /// Creates a form without parts.
    ///
    /// - Parameters:
    ///   - fileManager: Its temporary folder is where a large form is written before it is sent. Default: the shared one.
    ///   - boundary: 1 to 70 of the characters that RFC 2046 section 5.1.1 allows, not ending with a space. Default: nil, for a random one.
    public init(fileManager: FileManager = .default, boundary: String? = nil) {
        self.fileManager = fileManager
        base = Firewheel.MultipartFormData(boundary: boundary)
    }

    /// What separates the parts. It must not occur in them.
    public var boundary: String { base.boundary }

    /// The value of the request's `Content-Type`. Default: `multipart/form-data` with the boundary.
    open var contentType: String {
        get { givenContentType.withLock { $0 } ?? base.contentType }
        set { givenContentType.withLock { $0 = newValue } }
    }

    /// The number of bytes of the parts' contents, without the boundaries and the parts' header fields.
    public var contentLength: UInt64 { base.contentsLength }

    // MARK: Parts

    /// Adds a part from memory.
    ///
    /// - Parameters:
    ///   - data: The part's content.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name that the server sees; a server takes a part with one for a file. Default: nil, none.
    ///   - mimeType: The part's `Content-Type`. Default: nil, none.
    public func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
        base.append(data, withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a file, with the last component of its URL as the file name, and the media type of its extension (`application/octet-stream` if
    /// it has none or an unknown one).
    ///
    /// That it is a regular file is checked now. It is read when the form is encoded or sent, and must not change until then.
    ///
    /// - Parameters:
    ///   - fileURL: The file's URL.
    ///   - name: The name of the form's field.
    public func append(_ fileURL: URL, withName name: String) {
        base.append(fileURL, withName: name)
    }

    /// Adds a file, with this file name and media type.
    ///
    /// That it is a regular file is checked now. It is read when the form is encoded or sent, and must not change until then.
    ///
    /// - Parameters:
    ///   - fileURL: The file's URL.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name that the server sees.
    ///   - mimeType: The part's `Content-Type`.
    public func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
        base.append(fileURL, withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a part from a stream, which can be read only once.
    ///
    /// - Parameters:
    ///   - stream: Opened, read and closed on a thread that may block. The caller must not use it any more.
    ///   - length: The number of bytes that the stream has; more or fewer are an error.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name that the server sees.
    ///   - mimeType: The part's `Content-Type`.
    public func append(_ stream: InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String) {
        // The caller gives the stream away, which Alamofire's signature cannot say.
        let given = TransferBox(value: stream)
        base.append(given.value, withLength: length, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a part from a stream, which can be read only once.
    ///
    /// - Parameters:
    ///   - stream: Opened, read and closed on a thread that may block. The caller must not use it any more.
    ///   - length: The number of bytes that the stream has; more or fewer are an error.
    ///   - headers: The part's header fields, as they are. RFC 7578 section 4.2 demands a `Content-Disposition` with a name.
    public func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        let given = TransferBox(value: stream)
        base.append(given.value, withLength: length, headers: headers)
    }

    // MARK: Encoding

    /// The whole form in memory. It reads files and streams on the calling thread, which may block.
    ///
    /// - Throws: ``AFError`` of case `multipartEncodingFailed`: the first error of a part, or that of reading one. A stream that was read
    ///   before has no bytes any more: `inputStreamReadFailed` with an ``AFError/UnexpectedInputStreamLength``.
    public func encode() throws -> Data {
        try reading { try base.encode() }
    }

    /// Writes the form to a new file. It reads files and streams on the calling thread, which may block. The file is removed if that fails.
    ///
    /// - Parameter fileURL: Where there is no file yet.
    /// - Throws: The same as ``encode()``, and `multipartEncodingFailed` with `outputStreamFileAlreadyExists`, `outputStreamURLInvalid` or
    ///   `outputStreamWriteFailed`.
    public func writeEncodedData(to fileURL: URL) throws {
        try reading { try base.writeEncodedData(to: fileURL) }
    }

    /// Writes the form to a new temporary file, which is removed with its last reference.
    func writeTemporaryFile() throws -> TemporaryFile {
        try reading { try base.writeTemporaryFile(in: fileManager.temporaryDirectory) }
    }

    private func reading<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as FirewheelError {
            // Alamofire reads a stream again, and finds no bytes.
            guard error.kind == .uploadBodyFailed(.notRepeatable), case .length(let announced, let read) = error.subject else {
                throw AFError(error)
            }
            let length = AFError.UnexpectedInputStreamLength(
                bytesExpected: UInt64(clamping: announced), bytesRead: UInt64(clamping: read))
            throw AFError.multipartEncodingFailed(reason: .inputStreamReadFailed(error: length))
        }
    }
}
