import Foundation

/// The checks of `validate`, as pure functions. Each gives the error that refuses the response; nil passes it.
enum Validation {
    static func status<Codes: Sequence>(acceptable: Codes, of exchange: Exchange) -> FirewheelError? where Codes.Element == Int {
        guard let status = exchange.statusCode, !acceptable.contains(status) else { return nil }
        return FirewheelError(.responseValidationFailed(.unacceptableStatusCode(status)))
    }

    /// The check of `validate()`: the status, then the media type against those that the request's `Accept` header names. Without one all are
    /// acceptable.
    @Sendable static func standard(_ exchange: Exchange) -> (any Error)? {
        if let error = status(acceptable: 200..<300, of: exchange) { return error }
        guard let accept = exchange.hops.first?.request.headers.value(for: "Accept") else { return nil }
        return contentType(acceptable: accept.split(separator: ",").map { String($0.trimmingOptionalWhitespace()) }, of: exchange)
    }

    /// A body has to be of an acceptable type; an empty one has none.
    static func contentType(acceptable: [String], of exchange: Exchange) -> FirewheelError? {
        let ranges = acceptable.compactMap { MediaType($0) }
        if ranges.contains(where: \.isWildcard) { return nil }
        do {
            if try isEmpty(exchange) { return nil }
        } catch {
            return error
        }
        let received = exchange.headers.value(for: "Content-Type")
        guard let received, let type = MediaType(received) else {
            return FirewheelError(.responseValidationFailed(.missingContentType(acceptable: acceptable.sorted())))
        }
        if ranges.contains(where: { $0.matches(type) }) { return nil }
        return FirewheelError(
            .responseValidationFailed(
                .unacceptableContentType(acceptable: acceptable.sorted(), received: "\(type.type)/\(type.subtype)")))
    }

    /// The outcome of a check of the caller's own.
    static func custom(_ check: () -> Result<Void, any Error>) -> FirewheelError? {
        guard case .failure(let error) = check() else { return nil }
        return FirewheelError(.responseValidationFailed(.customValidationFailed), underlyingError: error)
    }

    private static func isEmpty(_ exchange: Exchange) throws(FirewheelError) -> Bool {
        guard let url = exchange.temporaryURL else { return exchange.data?.isEmpty ?? true }
        do {
            return try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int == 0
        } catch {
            throw FirewheelError(.responseValidationFailed(.dataFileReadFailed(at: url)), underlyingError: error)
        }
    }
}
