import Foundation

/// A validation of a response.
struct Validator: Sendable {
    let owner: CodeOwner
    /// nil if the response is valid.
    let check: @Sendable (Outcome) -> (any Error)?
}

/// The checks of `validate` as pure functions. Each returns the error of a rejected response; nil if it is valid.
enum Validation {
    /// The validators that a session applies to all its requests.
    static func validators(of validation: ResponseValidation) -> [Validator] {
        switch validation {
        case .none: []
        case .standard: standard
        }
    }

    static func status<Codes: Sequence>(acceptable: Codes, of outcome: Outcome) -> FirewheelError? where Codes.Element == Int {
        // It has opened the WebSocket that was asked for: other requests never get one.
        if outcome.statusCode == 101, outcome.isUnread { return nil }
        let status = outcome.statusCode
        return status == 407 ? challenge(acceptable: acceptable, of: outcome) : ResponseChecks.status(status, acceptable: acceptable)
    }

    /// The error for a proxy's challenge says what the proxy asks for: whoever set up the proxy needs to know that.
    @inline(never)
    private static func challenge<Codes: Sequence>(acceptable: Codes, of outcome: Outcome) -> FirewheelError? where Codes.Element == Int {
        guard let error = ResponseChecks.status(outcome.statusCode, acceptable: acceptable) else { return nil }
        guard let wanted = Challenge.wanted(by: outcome.headers.values(for: "Proxy-Authenticate")) else { return error }
        return FirewheelError(error.kind, detail: "\(error.detail ?? "not acceptable"): it asks for \(wanted)")
    }

    /// Whose code iterates a sequence of status codes: the caller's own type may block.
    static func owner<Codes: Sequence>(of type: Codes.Type) -> CodeOwner where Codes.Element == Int {
        let isKnown =
            type == Range<Int>.self || type == ClosedRange<Int>.self || type == [Int].self || type == Set<Int>.self
            || type == PartialRangeFrom<Int>.self || type == CollectionOfOne<Int>.self
        return isKnown ? .library : .caller
    }

    /// The checks of `validate()`: the status, then the media type against the request's `Accept` field. Without one all types are
    /// acceptable. A 304 that the caller has asked for passes, unless it is a download's, which has no file.
    static let standard = [Validator(owner: .library) { isCurrent($0) ? nil : standardStatus($0) ?? standardContentType($0) }]

    /// A validation of the status and one of the media type, as Alamofire's: both are reported, and a 304 does not pass.
    static let standardSteps = [standardStatus, standardContentType].map { Validator(owner: .library, check: $0) }

    private static func isCurrent(_ outcome: Outcome) -> Bool { outcome.isNotModified && outcome.temporaryURL == nil }

    @inline(__always)  // Used twice, and nearly every request comes by.
    @Sendable private static func standardStatus(_ outcome: Outcome) -> (any Error)? { status(acceptable: 200..<300, of: outcome) }

    @inline(__always)
    @Sendable private static func standardContentType(_ outcome: Outcome) -> (any Error)? {
        guard let accept = outcome.hops.first?.request.headers.value(for: "Accept") else { return nil }
        return contentType(acceptable: accept.split(separator: ",").map { String($0.trimmingOptionalWhitespace()) }, of: outcome)
    }

    /// A body must have an acceptable type; an empty one has no type.
    static func contentType(acceptable: [String], of outcome: Outcome) -> FirewheelError? {
        ResponseChecks.contentType(outcome.headers.singleton("Content-Type"), acceptable: acceptable) { () throws(FirewheelError) in
            if outcome.isUnread { return outcome.announcesNoBody }
            guard let file = outcome.temporaryURL else { return outcome.data?.isEmpty ?? true }
            return try ResponseChecks.isEmpty(file)
        }
    }

    /// The result of a custom check.
    static func custom(_ check: () -> Result<Void, any Error>) -> FirewheelError? {
        guard case .failure(let error) = check() else { return nil }
        return FirewheelError(.responseValidationFailed(.customValidationFailed), underlyingError: error)
    }
}
