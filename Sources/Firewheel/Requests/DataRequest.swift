import Foundation

/// A request whose response body is kept in memory.
public class DataRequest: Request, @unchecked Sendable {
    // Sound as its base class is: it stores nothing of its own.

    /// The body, once it has been received.
    public var data: Data? { outcome?.data }

    // MARK: Validation

    /// Refuses a response for which the closure gives a failure; its error arrives as `responseValidationFailed(.customValidationFailed)`
    /// with `underlyingError`. Called on a thread where it may block, unless an earlier validation has failed.
    @discardableResult
    @_disfavoredOverload  // Else a closure of several statements that returns nothing would be taken for one that lacks its `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult) -> Self {
        addValidator { outcome in
            Validation.custom { outcome.response.map { validation(outcome.request, $0, outcome.data) } ?? .success(()) }
        }
    }

    /// The same for a closure whose errors are of one type, as those of most are.
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

    /// Refuses a response for which the closure throws; otherwise the same.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) throws -> Void) -> Self {
        addValidator { outcome in
            Validation.custom {
                Result { if let response = outcome.response { try validation(outcome.request, response, outcome.data) } }
            }
        }
    }

    // MARK: Responses

    func respond<Value>(
        with serializer: DataResponseSerializer<Value>, delivery: ResponseDelivery,
        handler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        // One that only hands over decodes nothing, and makes no error with a body.
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
