import Foundation

// Validations that look at the head only, and so are the same for every kind of request. What a download's validation refuses never reaches
// its destination.
extension Request {
    /// What a validation of your own returns: `.success(())`, or `.failure` with an error.
    public typealias ValidationResult = Result<Void, any Error>

    /// Refuses a response with a status outside of 200 to 299, or of another media type than the request's `Accept` header names.
    @discardableResult
    public func validate() -> Self {
        addValidator(.library, Validation.standard)
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
