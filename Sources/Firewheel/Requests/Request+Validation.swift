import Foundation

// Validations that look at the head only, and so are the same for every kind of request. What a download's validation refuses never reaches
// its destination. A request's own validation, of whatever form, replaces that of `SessionConfiguration.validation`.
extension Request {
    /// What a validation of your own returns: `.success(())`, or `.failure` with an error.
    public typealias ValidationResult = Result<Void, any Error>

    /// Refuses a response with a status outside of 200 to 299, or of another media type than the request's `Accept` header names.
    @discardableResult
    public func validate() -> Self {
        addValidator(.library, Validation.standard)
    }

    /// Validates as said here, in place of what ``SessionConfiguration/validation`` says: `.validate(.none)` removes the session's
    /// validation from this request, and `.validate(.standard)` is `.validate()`. Other validations of the request itself stay.
    @discardableResult
    public func validate(_ validation: ResponseValidation) -> Self {
        addValidators(Validation.validators(of: validation))
    }

    /// Refuses a response with another status than these.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptable: Codes) -> Self where Codes.Element == Int {
        addValidator(Validation.owner(of: Codes.self)) { Validation.status(acceptable: acceptable, of: $0) }
    }

    /// Refuses a response with a body of another media type than these. Types may have wildcards: `image/*`, `*/*`.
    @discardableResult
    public func validate<Types: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> Types
    ) -> Self where Types.Element == String {
        addValidator { Validation.contentType(acceptable: Array(acceptable()), of: $0) }
    }
}
