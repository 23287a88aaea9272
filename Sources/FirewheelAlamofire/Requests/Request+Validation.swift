// Validations of the head, the same for all kinds of requests. A rejected download never reaches its destination.
extension Request {
    /// Rejects a response with a status outside 200 to 299, or with a media type that the request's `Accept` field does not list.
    @discardableResult
    public func validate() -> Self {
        base.validateInSteps()
        return self
    }

    /// Rejects a response with any other status code.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptable: Codes) -> Self where Codes.Element == Int {
        base.validate(statusCode: acceptable)
        return self
    }

    /// Rejects a response whose body has any other media type. Types may have wildcards: `image/*`, `*/*`.
    @discardableResult
    public func validate<Types: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> Types
    ) -> Self where Types.Element == String {
        base.validate(contentType: acceptable())
        return self
    }
}
