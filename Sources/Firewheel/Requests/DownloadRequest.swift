import Foundation

/// A request whose response body is written to a file as it arrives, whatever its size.
public final class DownloadRequest: Request, @unchecked Sendable {
    // Sound like its base class: it has no stored properties.

    /// Returns the destination of a downloaded file. Called when the response has passed validation, on a thread that may block.
    public typealias Destination = @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: Options)

    /// Options for moving a file to its destination.
    public struct Options: OptionSet, Sendable {
        /// Create missing parent folders of the destination. Otherwise they must exist.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Replace an existing file or symbolic link at the destination, never the target of a link. Otherwise the destination must not
        /// exist. The replacement is atomic, happens when the new file is complete, and keeps the permissions. A directory is never
        /// removed: it is an error.
        public static let removePreviousFile = Options(rawValue: 1 << 1)

        /// Number the file if its name is taken, unless the previous one is to be replaced.
        static let numberTakenName = Options(rawValue: 1 << 2)

        /// The options as bits, for `OptionSet`.
        public let rawValue: Int

        /// Creates options from bits, for `OptionSet`. Unknown bits are ignored.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// The file's URL, once the download has succeeded: its destination, or in the temporary folder. In the latter case reading it makes
    /// the file yours; see ``DownloadResponse/fileURL``.
    public var fileURL: URL? { outcome?.claimFile() }

    // MARK: Validation

    /// Rejects a response for which the closure returns a failure. The file is still the temporary one. Called on a thread that may block.
    @discardableResult
    @_disfavoredOverload  // Otherwise a multi-statement closure without a result would be taken for one with a missing `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult) -> Self {
        addValidator { outcome in
            Validation.custom { outcome.response.map { validation(outcome.request, $0, outcome.temporaryURL) } ?? .success(()) }
        }
    }

    /// Rejects a response for which the closure returns a failure with a typed error.
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

    /// Rejects a response for which the closure throws an error.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?) throws -> Void) -> Self {
        addValidator { outcome in
            Validation.custom {
                Result { if let response = outcome.response { try validation(outcome.request, response, outcome.temporaryURL) } }
            }
        }
    }

    // MARK: Responses

    package func respond<Value>(
        with serializer: DownloadResponseSerializer<Value>, delivery: ResponseDelivery,
        handler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        // A handler without a serializer decodes nothing, and creates no error that has a body.
        let decoder = serializer.handsOver ? nil : call.decoder
        let serializer = decoder.map(serializer.decoding) ?? serializer
        return attach(
            ResponseHandler(Value.self, owner: serializer.handsOver ? .library : .caller) { outcome, error, replacement in
                let result = replacement.map { .failure($0) } ?? serializer.serialize(outcome, error: error, decoder: decoder)
                let timeline = outcome.times.timeline(serialized: .now())
                let response = TransferBox(value: DownloadResponse(outcome: outcome, timeline: timeline, result: result))
                // Only with the response does a file become the caller's: before a retry, which downloads another one, it is removed.
                let isTaken = response.value.error == nil && serializer.takesFile(outcome.facts, outcome.file)
                return ResponseHandler.Made(error: response.value.error, delivery: delivery) {
                    if isTaken { _ = outcome.claimFile() }
                    handler(response.value)
                }
            })
    }
}
