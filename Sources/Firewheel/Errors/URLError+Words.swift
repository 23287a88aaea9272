import Foundation

extension FirewheelError {
    /// A failed exchange: the code as URLSession on Apple's systems reports it, and what happened in plain words.
    ///
    /// Its `underlyingError` is a `URLError` with the words, since that is what code that handles network errors looks for.
    static func transportFailed(_ code: URLError.Code, _ words: String) -> FirewheelError {
        let failure = TransportFailure(words)
        let info: [String: Any] = [NSLocalizedDescriptionKey: failure.description, NSUnderlyingErrorKey: failure]
        return FirewheelError(.transportFailed(code), underlyingError: URLError(code, userInfo: info))
    }
}

extension URLError {
    /// A transport's own words, else what the code means. Foundation's are not used, since they may name a URL.
    var words: String {
        (userInfo[NSUnderlyingErrorKey] as? TransportFailure)?.description ?? code.words
    }
}

extension URLError.Code {
    /// What the code means, with the number.
    var words: String { name.map { "\($0) (URLError \(rawValue))" } ?? "URLError \(rawValue)" }

    /// The meaning of those codes that this library reports, and of others that are common.
    var name: String? {
        switch self {
        case .appTransportSecurityRequiresSecureConnection: "a secure connection is required"
        case .badServerResponse: "bad server response"
        case .badURL: "bad URL"
        case .cancelled: "cancelled"
        case .cannotConnectToHost: "cannot connect to host"
        case .cannotDecodeContentData: "cannot decode content data"
        case .cannotDecodeRawData: "cannot decode raw data"
        case .cannotFindHost: "cannot find host"
        case .cannotParseResponse: "cannot parse response"
        case .dataLengthExceedsMaximum: "data length exceeds maximum"
        case .dnsLookupFailed: "DNS lookup failed"
        case .httpTooManyRedirects: "too many redirects"
        case .networkConnectionLost: "connection lost"
        case .notConnectedToInternet: "not connected to the Internet"
        case .redirectToNonExistentLocation: "redirect to a location that does not exist"
        case .secureConnectionFailed: "secure connection failed"
        case .serverCertificateHasBadDate: "the server's certificate has expired"
        case .serverCertificateHasUnknownRoot: "the server's certificate is from an unknown authority"
        case .serverCertificateNotYetValid: "the server's certificate is not valid yet"
        case .serverCertificateUntrusted: "the server's certificate is not trusted"
        case .timedOut: "timed out"
        case .unknown: "unknown error"
        case .unsupportedURL: "unsupported URL"
        case .userAuthenticationRequired: "user authentication required"
        default: nil
        }
    }
}
