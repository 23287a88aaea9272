import Foundation

/// A form that an upload sends.
package protocol FormUpload: Sendable {
    /// The value of the request's `Content-Type`. Asked for once per attempt, after the `URLRequest` was created.
    var contentType: String { get }

    /// The body. Called once per attempt, after the adapters, by one thread at a time. It may block.
    ///
    /// - Throws: Any error, as of a `URLRequestConvertible`.
    func body() throws -> BodySource

    /// The request has ended, so that no body is asked for or read any more. Must not block.
    func end()
}

/// A form as it was when the request was created. Its body is made once, because parts from streams can be read only once.
final class UploadForm: FormUpload {
    let contentType: String
    private let content: Result<MultipartContent, FirewheelError>
    private let threshold: UInt64
    private let made = Locked<Result<BodySource, FirewheelError>?>(nil)

    init(_ form: MultipartFormData, threshold: UInt64) {
        contentType = form.contentType
        content = Result { () throws(FirewheelError) in try form.content() }
        self.threshold = threshold
    }

    /// The body. Reads streams into memory if the form is small, so it may block.
    func body() throws(FirewheelError) -> BodySource {
        if let made = made.withLock({ $0 }) { return try made.get() }
        let result = content.flatMap { content in
            Result { () throws(FirewheelError) in try content.makeBody(threshold: threshold) }
        }
        made.withLock { $0 = result }
        return try result.get()
    }

    func end() {}
}
