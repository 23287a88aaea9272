import Foundation

/// What one hop sends: a request that has been built and checked, and can go out as it is.
///
/// A class because it is passed on a lot and never changed.
final class HopRequest: Sendable {
    let method: HTTPMethod
    /// The URL as it was given, absolute, with its fragment.
    let url: String
    let target: TargetURI
    /// The session's headers with the request's own set over them.
    let headers: HTTPHeaders
    /// What policies add for this hop alone. A next hop starts without them.
    let added: HTTPHeaders
    let body: Data?
    /// Seconds, see `SessionConfiguration.timeoutIntervalForRequest`.
    let idleTimeout: TimeInterval
    /// The credential that goes with it, and for which challenge. nil: none.
    let answer: ChallengeAnswer?

    init(
        method: HTTPMethod, url: String, target: TargetURI, headers: HTTPHeaders, added: HTTPHeaders = [:], body: Data?,
        idleTimeout: TimeInterval, answer: ChallengeAnswer? = nil
    ) {
        self.method = method
        self.url = url
        self.target = target
        self.headers = headers
        self.added = added
        self.body = body
        self.idleTimeout = idleTimeout
        self.answer = answer
    }

    /// The same request with fields that a policy adds to this hop.
    func adding(_ fields: HTTPHeaders) -> HopRequest {
        HopRequest(
            method: method, url: url, target: target, headers: headers, added: added.merging(fields), body: body, idleTimeout: idleTimeout,
            answer: answer)
    }

    /// The same request, which answers a challenge.
    func answering(_ answer: ChallengeAnswer) -> HopRequest {
        HopRequest(
            method: method, url: url, target: target, headers: headers, added: added, body: body, idleTimeout: idleTimeout, answer: answer)
    }

    /// The same request as it was before policies added to it, with an idle timeout of the caller's if there is one.
    func fresh(idleTimeout own: TimeInterval?) -> HopRequest {
        if added.isEmpty, own == nil { return self }
        return HopRequest(
            method: method, url: url, target: target, headers: headers, body: body, idleTimeout: own ?? idleTimeout,
            answer: answer?.round == 0 ? nil : answer)
    }

    /// The same request with the body of an earlier attempt's if the two are equal: all attempts are kept, and a large body is to be there
    /// once.
    func sharingBody(of earlier: HopRequest?) -> HopRequest {
        guard let body, let other = earlier?.body, body == other else { return self }
        return HopRequest(
            method: method, url: url, target: target, headers: headers, added: added, body: other, idleTimeout: idleTimeout, answer: answer)
    }

    /// The fields as they are sent. A policy's field goes over one of the caller's with the same name.
    var sentHeaders: HTTPHeaders { added.isEmpty ? headers : headers.merging(added) }

    /// The request as Foundation has it. Building one is slow, so it is done only when somebody asks.
    func makeURLRequest() -> URLRequest? {
        guard let url = URL(string: url) ?? URL(string: target.string) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = sentHeaders.dictionary
        request.httpBody = body
        request.timeoutInterval = idleTimeout
        return request
    }
}

// MARK: - Checking

extension HopRequest {
    /// A request whose method, fields and body have been found to be such that they can be sent.
    ///
    /// - Parameters:
    ///   - own: The request's own fields.
    ///   - defaults: Fields that are sent where the request has none of the name.
    /// - Throws: ``FirewheelError``.
    convenience init(
        checking method: HTTPMethod, url: String, target: TargetURI, headers own: HTTPHeaders, over defaults: HTTPHeaders, body: Data?,
        idleTimeout: TimeInterval
    ) throws {
        if let problem = own.problem { throw problem }
        try method.validate(body: body)
        self.init(
            method: method, url: url, target: target, headers: own.isEmpty ? defaults : defaults.merging(own),
            body: method.allowsBody ? body : nil, idleTimeout: idleTimeout)
    }
}

extension HTTPHeaders {
    /// What is wrong with the first field that cannot be sent.
    var problem: FirewheelError? {
        first { !$0.isValid }.map { header in
            // A whole line given as a name may have a credential behind its colon.
            let name = header.name.isHTTPToken ? header.name : String(header.name.prefix { $0 != ":" }).debugDescription
            let problem =
                header.name.isHTTPToken
                ? "the value of the header field \(name) holds CR, LF or NUL" : "\(name) is not the name of a header field"
            return FirewheelError(.invalidHeader, detail: problem)
        }
    }
}
