/// A request whose response body is written to a file.
public final class DownloadRequest: Request, @unchecked Sendable {
    // Sound like its base class.

    /// Validates a response: with the request, the response and the downloaded file.
    public typealias Validation = @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ fileURL: URL?) -> ValidationResult
    /// Decides where the downloaded file is moved.
    public typealias Destination = Firewheel.DownloadRequest.Destination
    /// How the file is moved.
    public typealias Options = Firewheel.DownloadRequest.Options

    /// What a download begins with.
    public enum Downloadable: Sendable {
        /// A request for the whole file.
        case request(any URLRequestConvertible)
        /// The resume data of an earlier download.
        case resumeData(Data)
    }

    let downloadBase: Firewheel.DownloadRequest
    /// What the download began with.
    public let downloadable: Downloadable

    init(_ base: Firewheel.DownloadRequest, downloadable: Downloadable, settings: RequestSettings) {
        downloadBase = base
        self.downloadable = downloadable
        super.init(base, settings: settings)
    }

    /// A destination in a folder of the system, such as the user's documents, under the name that the server suggests, made safe. If the
    /// name is taken, the file is numbered, unless the options have `.removePreviousFile`.
    public class func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: Options = []
    ) -> Destination {
        Firewheel.DownloadRequest.suggestedDownloadDestination(for: directory, in: domain, options: options)
    }

    /// The downloaded file, once it is in its place. Without a destination it is in the temporary folder, where it is the caller's, to be
    /// moved or removed, as soon as the caller has its URL.
    public var fileURL: URL? { downloadBase.fileURL }

    /// The data with which the download can be resumed; nil if it cannot.
    public var resumeData: Data? { downloadBase.resumeData }

    // MARK: Cancelling

    /// Ends the download with `AFError.explicitlyCancelled`.
    ///
    /// - Parameter shouldProduceResumeData: Whether what was received stays, to be resumed later.
    @discardableResult
    public func cancel(producingResumeData shouldProduceResumeData: Bool) -> Self {
        keep()
        downloadBase.cancel(producingResumeData: shouldProduceResumeData)
        return self
    }

    /// Ends the download with `AFError.explicitlyCancelled`, and calls a closure with the data with which it can be resumed; nil if it
    /// cannot.
    @preconcurrency
    @discardableResult
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (_ data: Data?) -> Void) -> Self {
        keep()
        downloadBase.cancel(queue: underlyingQueue, byProducingResumeData: completionHandler)
        return self
    }

    // MARK: Validation

    /// Rejects a response for which the closure returns a failure.
    @preconcurrency
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        downloadBase.validate { request, response, fileURL -> Firewheel.Request.ValidationResult in
            validation(request, response, fileURL).mapError { $0 }
        }
        return self
    }

    // MARK: Responses

    /// Attaches a handler, which starts the request if it starts immediately.
    ///
    /// - Parameter handler: Called on a thread of the engine, so it must not call the caller's code.
    func respond<Value>(
        with serializer: Firewheel.DownloadResponseSerializer<Value>, handler: @escaping @Sendable (AFDownloadResponse<Value>) -> Void
    ) -> Self {
        let owner = willAttach()
        _ = downloadBase.respond(with: serializer, delivery: .direct) {
            let response = AFDownloadResponse($0)
            (owner.request as? DownloadRequest)?.didParse(response, with: serializer)
            handler(response)
        }
        didAttach()
        return self
    }

    /// Attaches a handler of the caller's.
    func respond<Value>(
        with serializer: Firewheel.DownloadResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (AFDownloadResponse<Value>) -> Void
    ) -> Self {
        // All deliveries pass through the root queue, so that what is sent there earlier is delivered before.
        let root = underlyingQueue
        return respond(with: serializer) { response in
            let made = TransferBox(value: response)
            root.async { queue.async { handler(made.value) } }
        }
    }

    /// Calls a handler on the main actor with the downloaded file.
    @discardableResult
    public func response(completionHandler: @escaping @MainActor (AFDownloadResponse<URL?>) -> Void) -> Self {
        respond(with: .unserialized, on: .main, onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the downloaded file.
    @discardableResult
    public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (AFDownloadResponse<URL?>) -> Void) -> Self {
        respond(with: .unserialized, on: queue, completionHandler)
    }

    /// Calls a handler on the main actor with the response that a serializer makes from the file.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (AFDownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: .main, onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the response that a serializer makes from the file.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: queue, completionHandler)
    }

    /// The same for a ``ResponseSerializer``, which would be ambiguous otherwise in leading-dot syntax.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (AFDownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: .main, onMainActor(completionHandler))
    }

    /// The same for a ``ResponseSerializer``.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: queue, completionHandler)
    }

    /// Calls a handler on the main actor with the file's URL.
    @discardableResult
    public func responseURL(completionHandler: @escaping @MainActor (AFDownloadResponse<URL>) -> Void) -> Self {
        respond(with: .url, on: .main, onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file's URL.
    @discardableResult
    public func responseURL(queue: DispatchQueue, completionHandler: @escaping @Sendable (AFDownloadResponse<URL>) -> Void) -> Self {
        respond(with: .url, on: queue, completionHandler)
    }
}
