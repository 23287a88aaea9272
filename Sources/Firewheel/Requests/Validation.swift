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
        case .standard: [Validator(owner: .library, check: standard)]
        }
    }

    static func status<Codes: Sequence>(acceptable: Codes, of outcome: Outcome) -> FirewheelError? where Codes.Element == Int {
        guard let status = outcome.statusCode, !acceptable.contains(status) else { return nil }
        return FirewheelError(
            .responseValidationFailed(.unacceptableStatusCode(status)), detail: text(of: acceptable).map { "not in \($0)" })
    }

    /// The acceptable status codes as the caller wrote them; nil for a custom sequence type, and for a long list.
    private static func text<Codes: Sequence>(of codes: Codes) -> String? where Codes.Element == Int {
        switch codes {
        case let codes as Range<Int>: "\(codes)"
        case let codes as ClosedRange<Int>: "\(codes)"
        case let codes as PartialRangeFrom<Int>: "\(codes.lowerBound)..."
        case let codes as [Int] where codes.count <= 20: "\(codes)"
        case let codes as Set<Int> where codes.count <= 20: "\(codes.sorted())"
        default: nil
        }
    }

    /// Whose code iterates a sequence of status codes: the caller's own type may block.
    static func owner<Codes: Sequence>(of type: Codes.Type) -> CodeOwner where Codes.Element == Int {
        let isKnown =
            type == Range<Int>.self || type == ClosedRange<Int>.self || type == [Int].self || type == Set<Int>.self
            || type == PartialRangeFrom<Int>.self || type == CollectionOfOne<Int>.self
        return isKnown ? .library : .caller
    }

    /// The checks of `validate()`: the status, then the media type against the request's `Accept` field. Without one all types are
    /// acceptable.
    @Sendable static func standard(_ outcome: Outcome) -> (any Error)? {
        if let error = status(acceptable: 200..<300, of: outcome) { return error }
        guard let accept = outcome.hops.first?.request.headers.value(for: "Accept") else { return nil }
        return contentType(acceptable: accept.split(separator: ",").map { String($0.trimmingOptionalWhitespace()) }, of: outcome)
    }

    /// A body must have an acceptable type; an empty one has no type.
    static func contentType(acceptable: [String], of outcome: Outcome) -> FirewheelError? {
        let ranges = acceptable.compactMap { MediaType($0) }
        if ranges.contains(where: \.isWildcard) { return nil }
        do {
            if try isEmpty(outcome) { return nil }
        } catch {
            return error
        }
        let received = outcome.headers.value(for: "Content-Type")
        guard let received, let type = MediaType(received) else {
            return FirewheelError(.responseValidationFailed(.missingContentType(acceptable: acceptable.sorted())))
        }
        if ranges.contains(where: { $0.matches(type) }) { return nil }
        return FirewheelError(
            .responseValidationFailed(
                .unacceptableContentType(acceptable: acceptable.sorted(), received: "\(type.type)/\(type.subtype)")))
    }

    /// The result of a custom check.
    static func custom(_ check: () -> Result<Void, any Error>) -> FirewheelError? {
        guard case .failure(let error) = check() else { return nil }
        return FirewheelError(.responseValidationFailed(.customValidationFailed), underlyingError: error)
    }

    private static func isEmpty(_ outcome: Outcome) throws(FirewheelError) -> Bool {
        guard let url = outcome.temporaryURL else { return outcome.data?.isEmpty ?? true }
        do {
            return try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int == 0
        } catch {
            throw FirewheelError(.responseValidationFailed(.dataFileReadFailed(at: url)), underlyingError: error)
        }
    }
}
