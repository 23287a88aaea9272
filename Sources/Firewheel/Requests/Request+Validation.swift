import Foundation

// Validations of the head, the same for all kinds of requests. A rejected download never reaches its destination. A request's own
// validation of any form replaces that of `SessionConfiguration.validation`.
extension Request {
    /// The result of a custom validation: `.success(())`, or `.failure` with an error.
    public typealias ValidationResult = Result<Void, any Error>

    /// Rejects a response with a status outside 200 to 299, or with a media type that the request's `Accept` field does not list.
    @discardableResult
    public func validate() -> Self {
        addValidator(.library, Validation.standard)
    }

    /// Validates in the given way instead of the one of ``SessionConfiguration/validation``: `.validate(.none)` removes the session's
    /// validation from this request, and `.validate(.standard)` is `.validate()`. Other validations of the request itself stay.
    @discardableResult
    public func validate(_ validation: ResponseValidation) -> Self {
        addValidators(Validation.validators(of: validation))
    }

    /// Rejects a response with any other status code.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptable: Codes) -> Self where Codes.Element == Int {
        addValidator(Validation.owner(of: Codes.self)) { Validation.status(acceptable: acceptable, of: $0) }
    }

    /// Rejects a response whose body has any other media type. Types may have wildcards: `image/*`, `*/*`.
    @discardableResult
    public func validate<Types: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> Types
    ) -> Self where Types.Element == String {
        addValidator { Validation.contentType(acceptable: Array(acceptable()), of: $0) }
    }
}
