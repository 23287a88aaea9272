import Foundation

/// A request whose response body goes to a file as it comes, whatever its size.
public final class DownloadRequest: Request, @unchecked Sendable {
    // Sound as its base class is: it stores nothing of its own.

    /// Says where a downloaded file is to go. Called when the response has passed validation, on a thread where it may block.
    public typealias Destination = @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: Options)

    /// What may be done on the way to a destination.
    public struct Options: OptionSet, Sendable {
        /// Make the folders that lead to the destination. Otherwise they must be there.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Replace the file or symbolic link that is at the destination; of a link never what it points to. Otherwise nothing may be there.
        /// It is replaced at once when the new file is complete, which takes its permissions. A directory is never removed: it is an error.
        public static let removePreviousFile = Options(rawValue: 1 << 1)

        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// Where the file is, once the download is over and has succeeded.
    public var fileURL: URL? { outcome?.file }

    // MARK: Validation

    /// Refuses a response for which the closure gives a failure. The file is still the temporary one. Called on a thread where it may
    /// block.
    @discardableResult
    @_disfavoredOverload  // Else a closure of several statements that returns nothing would be taken for one that lacks its `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult) -> Self {
        addValidator { outcome in
            Validation.custom { outcome.response.map { validation(outcome.request, $0, outcome.temporaryURL) } ?? .success(()) }
        }
    }

    /// The same for a closure whose errors are of one type, as those of most are.
    @discardableResult
    public func validate<Failure: Error>(
        _ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) -> Result<Void, Failure>
    ) -> Self {
        addValidator { outcome in
            Validation.custom {
                outcome.response.map { response in validation(outcome.request, response, outcome.temporaryURL).mapError { $0 } }
                    ?? .success(())
            }
        }
    }

    /// Refuses a response for which the closure throws.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) throws -> Void) -> Self {
        addValidator { outcome in
            Validation.custom {
                Result { if let response = outcome.response { try validation(outcome.request, response, outcome.temporaryURL) } }
            }
        }
    }

    // MARK: Responses

    func respond<Value>(
        with serializer: DownloadResponseSerializer<Value>, delivery: ResponseDelivery,
        handler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        // One that only hands over decodes nothing, and makes no error with a body.
        let decoder = serializer.handsOver ? nil : call.decoder
        let serializer = decoder.map(serializer.decoding) ?? serializer
        return attach(
            ResponseHandler(Value.self, owner: serializer.handsOver ? .library : .caller) { outcome, error, replacement in
                let result = replacement.map { .failure($0) } ?? serializer.serialize(outcome, error: error, decoder: decoder)
                let timeline = outcome.times.timeline(serialized: .now())
                let response = TransferBox(value: DownloadResponse(outcome: outcome, timeline: timeline, result: result))
                return ResponseHandler.Made(error: response.value.error, delivery: delivery) { handler(response.value) }
            })
    }
}
