import Foundation

/// A request whose response body is kept in memory.
public class DataRequest: Request, @unchecked Sendable {
    // Sound like its base class: it has no stored properties.

    /// The body, once it has been received.
    public var data: Data? { outcome?.data }

    // MARK: Validation

    /// Rejects a response for which the closure returns a failure. The error is `responseValidationFailed(.customValidationFailed)`, with
    /// the closure's as `underlyingError`. Called on a thread that may block, unless an earlier validation has failed.
    @discardableResult
    @_disfavoredOverload  // Otherwise a multi-statement closure without a result would be taken for one with a missing `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult) -> Self {
        addValidator { outcome in
            Validation.custom { outcome.response.map { validation(outcome.request, $0, outcome.data) } ?? .success(()) }
        }
    }

    /// Rejects a response for which the closure returns a failure with a typed error.
    @discardableResult
    public func validate<Failure: Error>(
        _ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) -> Result<Void, Failure>
    ) -> Self {
        addValidator { outcome in
            Validation.custom {
                outcome.response.map { response in validation(outcome.request, response, outcome.data).mapError { $0 } } ?? .success(())
            }
        }
    }

    /// Rejects a response for which the closure throws an error.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) throws -> Void) -> Self {
        addValidator { outcome in
            Validation.custom {
                Result { if let response = outcome.response { try validation(outcome.request, response, outcome.data) } }
            }
        }
    }

    // MARK: Responses

    package func respond<Value>(
        with serializer: DataResponseSerializer<Value>, delivery: ResponseDelivery,
        handler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        // A handler without a serializer decodes nothing, and creates no error that has a body.
        let decoder = serializer.handsOver ? nil : call.decoder
        let serializer = decoder.map(serializer.decoding) ?? serializer
        return attach(
            ResponseHandler(Value.self, owner: serializer.handsOver ? .library : .caller) { outcome, error, replacement in
                let result = replacement.map { .failure($0) } ?? serializer.serialize(outcome, error: error, decoder: decoder)
                let timeline = outcome.times.timeline(serialized: .now())
                let response = TransferBox(value: DataResponse(outcome: outcome, timeline: timeline, result: result))
                return ResponseHandler.Made(error: response.value.error, delivery: delivery) { handler(response.value) }
            })
    }
}
