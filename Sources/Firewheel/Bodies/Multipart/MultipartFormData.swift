import Foundation

/// A form for uploads, `multipart/form-data` (RFC 7578), with parts from memory, files and streams.
///
/// ```swift
/// session.upload(to: "https://api.example.com/photos") { form in
///     form.append(Data("Ada".utf8), withName: "author")
///     form.append(photo, withName: "photo")
/// }
/// ```
///
/// Names and file names are sent as browsers send them (the HTML standard's multipart/form-data encoding algorithm): as UTF-8, with `"` as
/// `%22`, CR as `%0D` and LF as `%0A`; a line break of a name, though not of a file name, becomes CR LF first. Those with other control
/// characters but tab are an error. The data of a part is sent unchanged.
///
/// A part that cannot be added makes the form fail when it is encoded or sent, with the first such error (`multipartEncodingFailed`). All
/// methods can be called on any thread. A body that was made of the form does not change with it.
public final class MultipartFormData: Sendable {
    private struct State: Sendable {
        var parts: [MultipartPart] = []
        /// The length of the form.
        var length: Int64
        /// Why the form cannot be encoded: its first error.
        var failure: FirewheelError?
    }

    /// What separates the parts. It must not occur in them.
    public let boundary: String
    private let state: Locked<State>

    /// Creates a form without parts.
    ///
    /// - Parameter boundary: 1 to 70 of the characters that RFC 2046 section 5.1.1 allows, not ending with a space. Default: nil, for
    ///   `firewheel.boundary.` and 16 random hexadecimal digits.
    public init(boundary: String? = nil) {
        let boundary = boundary ?? MultipartPart.randomBoundary()
        self.boundary = boundary
        let failure = MultipartPart.isValidBoundary(boundary) ? nil : FirewheelError(.multipartEncodingFailed(.boundaryInvalid))
        state = Locked(State(length: Int64(MultipartPart.end(boundary).count), failure: failure))
    }

    /// The value of the request's `Content-Type`.
    public var contentType: String {
        "multipart/form-data; boundary=" + (boundary.isHTTPToken ? boundary : "\"\(boundary)\"")
    }

    /// The number of bytes of the whole form, with the boundaries and the parts' header fields.
    public var contentLength: UInt64 { UInt64(state.withLock { $0.length }) }

    /// The number of bytes of the parts' contents alone, without boundaries and header fields.
    package var contentsLength: UInt64 {
        // The sum cannot overflow, because the length of the form does not.
        state.withLock { UInt64($0.parts.reduce(0) { $0 + $1.contentLength }) }
    }

    /// Why the form cannot be encoded: its first error; nil if there is none so far.
    package var failure: FirewheelError? { state.withLock { $0.failure } }

    // MARK: Parts

    /// Adds a part from memory.
    ///
    /// - Parameters:
    ///   - data: The part's content.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name that the server sees; a server takes a part with one for a file. Default: nil, none.
    ///   - mimeType: The part's `Content-Type`. Default: nil, none.
    public func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
        add { boundary throws(FirewheelError) in
            let head = try MultipartPart.head(boundary, name: name, fileName: fileName, mimeType: mimeType)
            return MultipartPart(head: head, content: .data(data))
        }
    }

    /// Adds a file, with the last component of its URL as the file name, and the media type of its extension (`application/octet-stream` if
    /// it has none or an unknown one).
    ///
    /// The file is read when the form is encoded or sent. That it is a regular file is checked now; its length must not change from now on.
    ///
    /// - Parameters:
    ///   - fileURL: The file's URL.
    ///   - name: The name of the form's field.
    public func append(_ fileURL: URL, withName name: String) {
        add { boundary throws(FirewheelError) in
            let fileName = fileURL.lastPathComponent
            guard !fileName.isEmpty, MultipartPart.hasNoControls(fileName.utf8) else {
                throw FirewheelError(.multipartEncodingFailed(.bodyPartFilenameInvalid(in: fileURL)))
            }
            return try Self.file(fileURL, boundary, name, fileName, MIMEType.ofFile(extension: fileURL.pathExtension))
        }
    }

    /// Adds a file, with this file name and media type.
    ///
    /// The file is read when the form is encoded or sent. That it is a regular file is checked now; its length must not change from now on.
    ///
    /// - Parameters:
    ///   - fileURL: The file's URL.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name that the server sees.
    ///   - mimeType: The part's `Content-Type`.
    public func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
        add { boundary throws(FirewheelError) in try Self.file(fileURL, boundary, name, fileName, mimeType) }
    }

    /// Adds a part from a stream, which can be read only once: so the form can be encoded or sent only once.
    ///
    /// - Parameters:
    ///   - stream: Opened, read and closed on a thread that may block. One that is open is read on from where it is.
    ///   - length: The number of bytes that the stream has; more or fewer are an error.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name that the server sees.
    ///   - mimeType: The part's `Content-Type`.
    public func append(
        _ stream: sending InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
    ) {
        let source = StreamSource(stream)
        add { boundary throws(FirewheelError) in
            let head = try MultipartPart.head(boundary, name: name, fileName: fileName, mimeType: mimeType)
            return MultipartPart(head: head, content: .stream(source, length: Int64(clamping: length)))
        }
    }

    /// Adds a part from a stream, which can be read only once: so the form can be encoded or sent only once.
    ///
    /// - Parameters:
    ///   - stream: Opened, read and closed on a thread that may block. One that is open is read on from where it is.
    ///   - length: The number of bytes that the stream has; more or fewer are an error.
    ///   - headers: The part's header fields, as they are. RFC 7578 section 4.2 demands a `Content-Disposition` with a name.
    public func append(_ stream: sending InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        let source = StreamSource(stream)
        add { boundary throws(FirewheelError) in
            MultipartPart(
                head: try MultipartPart.head(boundary, headers: headers), content: .stream(source, length: Int64(clamping: length)))
        }
    }

    private static func file(
        _ url: URL, _ boundary: String, _ name: String, _ fileName: String, _ mimeType: String
    ) throws(FirewheelError) -> MultipartPart {
        let length: Int64
        do throws(FirewheelError) {
            length = try UploadFile.size(of: url)
        } catch {
            throw .ofPart(from: url, error)
        }
        let head = try MultipartPart.head(boundary, name: name, fileName: fileName, mimeType: mimeType)
        return MultipartPart(head: head, content: .file(url, length: length))
    }

    /// Adds a part, or keeps the error.
    private func add(_ make: (_ boundary: String) throws(FirewheelError) -> MultipartPart) {
        do throws(FirewheelError) {
            let part = try make(boundary)
            state.withLock { state in
                let (length, overflow) = state.length.addingReportingOverflow(part.length)
                if overflow {
                    state.failure = state.failure ?? FirewheelError(.multipartEncodingFailed(.unexpectedInputStreamLength))
                } else {
                    state.length = length
                    state.parts.append(part)
                }
            }
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// The parts as they are now.
    ///
    /// - Throws: The first error of a part.
    func content() throws(FirewheelError) -> MultipartContent {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        return MultipartContent(state.parts, boundary: boundary)
    }
}
