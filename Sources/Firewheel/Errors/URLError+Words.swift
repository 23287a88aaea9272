import Foundation

extension FirewheelError {
    /// The error of a failed exchange: the code that URLSession on Apple's systems would report, and an explanation.
    ///
    /// Its `underlyingError` is a `URLError` with the explanation, since code that handles network errors looks for one.
    static func transportFailed(_ code: URLError.Code, _ words: String) -> FirewheelError {
        let failure = TransportFailure(words.isEmpty ? code.words : words)
        let info: [String: Any] = [NSLocalizedDescriptionKey: failure.description, NSUnderlyingErrorKey: failure]
        return FirewheelError(.transportFailed(code), underlyingError: URLError(code, userInfo: info))
    }
}

extension URLError {
    /// The transport's explanation, else the meaning of the code. Foundation's text is not used, since it may contain a URL.
    var words: String {
        (userInfo[NSUnderlyingErrorKey] as? TransportFailure)?.description ?? code.words
    }
}

extension URLError.Code {
    /// The meaning of the code, with its number.
    var words: String { name.map { "\($0) (URLError \(rawValue))" } ?? "URLError \(rawValue)" }

    /// The meaning of the codes that this library reports and of other common ones.
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
        case .resourceUnavailable: "resource unavailable"
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
