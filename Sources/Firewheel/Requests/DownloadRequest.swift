import Foundation

/// A request whose response body goes to a file as it comes, whatever its size.
public final class DownloadRequest: Request, @unchecked Sendable {
    // Sound as its base class is: what it adds are constants of Sendable types.

    /// Says where a downloaded file is to go. Called when the response has passed validation, off the main queue.
    public typealias Destination = @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: Options)

    /// What may be done on the way to a destination.
    public struct Options: OptionSet, Sendable {
        /// Make the folders that lead to the destination. Otherwise they must be there.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Replace the file or symbolic link that is at the destination; of a link never what it points to. Otherwise nothing may be there. It is
        /// replaced at once when the new file is complete, which takes its permissions. A directory is never removed: it is an error.
        public static let removePreviousFile = Options(rawValue: 1 << 1)

        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    private let destination: Destination?
    private let file: FileSink

    init(source: RequestSource, driver: any RequestDriver, startsImmediately: Bool, destination: Destination?) {
        self.destination = destination
        file = FileSink()
        super.init(source: source, driver: driver, startsImmediately: startsImmediately)
    }

    /// Where the file is, once the download is over and has succeeded.
    public var fileURL: URL? { exchange?.file }

    // MARK: Validation

    /// Refuses a response for which the closure gives a failure. The file is still the temporary one.
    @discardableResult
    @_disfavoredOverload  // Else a closure of several statements that returns nothing would be taken for one that lacks its `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult) -> Self {
        addValidator { exchange in
            Validation.custom { exchange.response.map { validation(exchange.request, $0, exchange.temporaryURL) } ?? .success(()) }
        }
    }

    /// The same for a closure whose errors are of one type, as those of most are.
    @discardableResult
    public func validate<Failure: Error>(
        _ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) -> Result<Void, Failure>
    ) -> Self {
        addValidator { exchange in
            Validation.custom {
                exchange.response.map { response in validation(exchange.request, response, exchange.temporaryURL).mapError { $0 } }
                    ?? .success(())
            }
        }
    }

    /// Refuses a response for which the closure throws.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) throws -> Void) -> Self {
        addValidator { exchange in
            Validation.custom {
                Result { if let response = exchange.response { try validation(exchange.request, response, exchange.temporaryURL) } }
            }
        }
    }

    // MARK: The body

    override var delivery: TransportRequest.Delivery { .chunks }

    override var keepsBodyInMemory: Bool { false }

    override func receive(_ chunk: Data, of task: TransportTaskID) {
        file.write(chunk) { [weak self, driver] error in
            if let error {
                self.map { driver.fail($0, with: error) }
            } else {
                driver.acknowledge(task, bytes: chunk.count)
            }
        }
    }

    override func collect(
        _ result: TransportResult?, error: (any Error)?, on queue: DelegateQueue, done: @escaping @Sendable (Exchange) -> Void
    ) {
        let hasResponse = result?.head != nil && error == nil
        file.finish(createIfMissing: hasResponse) { url, fileError in
            let exchange = self.makeExchange(temporaryURL: url, error: error ?? fileError)
            queue.async { done(exchange) }
        }
    }

    override func place(_ exchange: Exchange, on queue: DelegateQueue, done: @escaping @Sendable (Exchange) -> Void) {
        guard let temporary = exchange.temporaryURL else { return queue.async { done(exchange) } }
        let settled: @Sendable (Exchange) -> Void = { placed in queue.async { done(placed) } }
        if let error = exchange.error {
            return file.discard { settled(exchange.with(temporaryURL: nil, destinationURL: nil, error: error)) }
        }
        let finish: @Sendable (Result<URL, FirewheelError>?) -> Void = { [destination] result in
            switch result {
            case .success(let url):
                settled(exchange.with(temporaryURL: temporary, destinationURL: destination == nil ? nil : url, error: nil))
            case .failure(let error):
                let failure = error.adding(request: exchange.request, response: exchange.response, responseData: nil)
                settled(exchange.with(temporaryURL: nil, destinationURL: nil, error: failure))
            case nil:
                let failure = FirewheelError(.explicitlyCancelled, request: exchange.request, response: exchange.response)
                settled(exchange.with(temporaryURL: nil, destinationURL: nil, error: failure))
            }
        }
        guard let destination, let response = exchange.response else {
            return file.keep(isWanted: { !self.isCancelled }, done: finish)
        }
        file.place(
            { temporary in
                let (url, options) = destination(temporary, response)
                return FilePlacement(
                    url: url, createsFolders: options.contains(.createIntermediateDirectories),
                    replacesFile: options.contains(.removePreviousFile))
            }, isWanted: { !self.isCancelled }, done: finish)
    }

    override func bodyForError(_ exchange: Exchange) -> Data? {
        exchange.temporaryURL.flatMap(FileSink.beginning(of:))
    }

    // MARK: Responses

    func respond<Value>(
        with serializer: DownloadResponseSerializer<Value>, delivery: ResponseDelivery,
        handler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        attach(
            ResponseHandler(Value.self, isInline: serializer.handsOver) { exchange, error in
                let result = serializer.serialize(exchange, error: error)
                let timeline = exchange.times.timeline(serialized: .now())
                let response = TransferBox(value: DownloadResponse(exchange: exchange, timeline: timeline, result: result))
                return ResponseHandler.Made(error: response.value.error, delivery: delivery) { handler(response.value) }
            })
    }
}
