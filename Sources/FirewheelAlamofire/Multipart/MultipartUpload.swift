/// A form that an upload sends. It is encoded when the request is made, so that parts can be added until then, by the request's own
/// `asURLRequest()` for example. It is encoded once: a retry sends the same bytes, because streams can be read only once.
final class MultipartUpload: UploadConvertible, FormUpload {
    private enum Encoded: Sendable {
        case data(Data)
        case file(URL)
    }

    private struct State: Sendable {
        var encoded: Result<Encoded, any Error>?
        /// The file of a large form. It is removed with its last reference.
        var file: TemporaryFile?
        var isOver = false
    }

    private let form: MultipartFormData
    private let threshold: UInt64
    private let request: any URLRequestConvertible
    private let state = Locked(State())

    /// - Parameters:
    ///   - form: What is sent.
    ///   - threshold: The size of all parts, in bytes, from which the form is written to a temporary file.
    ///   - request: The request without the form.
    init(_ form: MultipartFormData, threshold: UInt64, with request: any URLRequestConvertible) {
        self.form = form
        self.threshold = threshold
        self.request = request
    }

    var contentType: String { form.contentType }

    func asURLRequest() throws -> URLRequest {
        var request = try request.asURLRequest()
        request.headers.add(.contentType(contentType))
        return request
    }

    /// What is sent; nil if the form was not encoded, or could not be.
    var uploadable: UploadRequest.Uploadable? { (try? state.withLock { $0.encoded }?.get()).map(Self.uploadable) }

    func createUploadable() throws -> UploadRequest.Uploadable { Self.uploadable(try encoded()) }

    private static func uploadable(_ encoded: Encoded) -> UploadRequest.Uploadable {
        switch encoded {
        case .data(let data): .data(data)
        case .file(let url): .file(url, shouldRemove: true)
        }
    }

    func body() throws -> BodySource {
        switch try encoded() {
        case .data(let data): .data(data)
        case .file(let url): try .wholeFile(url)
        }
    }

    private func encoded() throws -> Encoded {
        if let encoded = state.withLock({ $0.encoded }) { return try encoded.get() }
        var file: TemporaryFile?
        let encoded = Result<Encoded, any Error> {
            if form.contentLength < threshold { return .data(try form.encode()) }
            let written = try form.writeTemporaryFile()
            file = written
            return .file(written.url)
        }
        let kept = state.withLock { state in
            // Somebody else may have called `createUploadable()` meanwhile.
            if let first = state.encoded { return first }
            state.encoded = encoded
            if !state.isOver { state.file = file }
            return encoded
        }
        return try kept.get()
    }

    func end() {
        let file = state.withLock { state in
            state.isOver = true
            return state.file.take()
        }
        withExtendedLifetime(file) {}
    }
}
