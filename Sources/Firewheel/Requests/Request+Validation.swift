import Foundation

// Validations of the head, the same for all kinds of requests. A rejected download never reaches its destination. Any validation of a
// request itself replaces `SessionConfiguration.validation`.
extension Request {
    /// The result of a custom validation: `.success(())`, or `.failure` with an error.
    public typealias ValidationResult = Result<Void, any Error>

    /// Rejects a response with a status outside 200 to 299, or with a media type that the request's `Accept` field does not list.
    ///
    /// A 304 (Not Modified) passes if the request is a GET or HEAD with an `If-None-Match` or `If-Modified-Since` field of yours.
    /// Serializers take its missing body for an empty one. For a download it does not pass, because there is no file.
    @discardableResult
    public func validate() -> Self {
        addValidators(Validation.standard)
    }

    /// Replaces the session's validation (``SessionConfiguration/validation``) for this request: `.validate(.none)` removes it, and
    /// `.validate(.standard)` is the same as `.validate()`. Other validations of the request itself are kept.
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
