import Foundation

/// A request whose response body is kept in memory.
public class DataRequest: Request, @unchecked Sendable {
    // Sound as its base class is: it stores nothing of its own.

    /// The body, once it has been received.
    public var data: Data? { exchange?.data }

    // MARK: Validation

    /// Refuses a response for which the closure gives a failure; its error arrives as `responseValidationFailed(.customValidationFailed)`
    /// with `underlyingError`. Called on the session's delegate queue, unless an earlier validation has failed.
    @discardableResult
    @_disfavoredOverload  // Else a closure of several statements that returns nothing would be taken for one that lacks its `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult) -> Self {
        addValidator { exchange in
            Validation.custom { exchange.response.map { validation(exchange.request, $0, exchange.data) } ?? .success(()) }
        }
    }

    /// The same for a closure whose errors are of one type, as those of most are.
    @discardableResult
    public func validate<Failure: Error>(
        _ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) -> Result<Void, Failure>
    ) -> Self {
        addValidator { exchange in
            Validation.custom {
                exchange.response.map { response in validation(exchange.request, response, exchange.data).mapError { $0 } } ?? .success(())
            }
        }
    }

    /// Refuses a response for which the closure throws; otherwise the same.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, Data?) throws -> Void) -> Self {
        addValidator { exchange in
            Validation.custom {
                Result { if let response = exchange.response { try validation(exchange.request, response, exchange.data) } }
            }
        }
    }

    // MARK: Responses

    func respond<Value>(
        with serializer: DataResponseSerializer<Value>, delivery: ResponseDelivery,
        handler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        attach(
            ResponseHandler(Value.self, isInline: serializer.handsOver) { exchange, error in
                let result = serializer.serialize(exchange, error: error)
                let timeline = exchange.times.timeline(serialized: .now())
                let response = TransferBox(value: DataResponse(exchange: exchange, timeline: timeline, result: result))
                return ResponseHandler.Made(error: response.value.error, delivery: delivery) { handler(response.value) }
            })
    }
}
