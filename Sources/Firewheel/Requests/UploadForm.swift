import Foundation

/// A form that an upload sends, as it was when the request was created. Its body is made once, because parts from streams can be read only
/// once.
final class UploadForm: Sendable {
    let contentType: String
    private let content: Result<MultipartContent, FirewheelError>
    private let threshold: UInt64
    private let made = Locked<Result<BodySource, FirewheelError>?>(nil)

    init(_ form: MultipartFormData, threshold: UInt64) {
        contentType = form.contentType
        content = Result { () throws(FirewheelError) in try form.content() }
        self.threshold = threshold
    }

    /// The body. Reads streams into memory if the form is small, so it may block. Called by one thread at a time.
    func body() throws(FirewheelError) -> BodySource {
        if let made = made.withLock({ $0 }) { return try made.get() }
        let result = content.flatMap { content in
            Result { () throws(FirewheelError) in try content.makeBody(threshold: threshold) }
        }
        made.withLock { $0 = result }
        return try result.get()
    }
}
