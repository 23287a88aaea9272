import Foundation

/// A stored response without its body, and what is derived from it once.
final class StoredResponse: Sendable {
    /// The status and the fields, without those that belong to one connection or exchange.
    let head: ResponseHead
    /// The request's fields that selected it.
    let selectors: CacheSelectors
    /// What the request was authorized with.
    let authorization: CacheSecret?
    /// Whether the content codings of the body have been undone.
    let isDecoded: Bool
    let hasQuery: Bool
    let control: CacheControl
    let freshness: Freshness
    /// The fields that ask the server whether the response is still current; empty if it has no validator.
    let conditions: [HTTPHeader]
    /// The lowercase names of fields that a ``CachedResponseHandler`` has set or removed. A newer head does not change them.
    let fixedFields: Set<String>

    /// - Parameters:
    ///   - head: As received.
    ///   - requestTime: When the request was sent, in seconds since 1970.
    ///   - responseTime: When the head arrived, in seconds since 1970.
    convenience init(
        _ head: ResponseHead, selectors: CacheSelectors, authorization: [UInt8]?, isDecoded: Bool, hasQuery: Bool,
        requestTime: TimeInterval, responseTime: TimeInterval, clientLifetime: TimeInterval?, fixedFields: Set<String>
    ) {
        let control = CacheControl(head.headers)
        let freshness = Freshness(
            head.headers, control: control, statusCode: head.statusCode, requestTime: requestTime, responseTime: responseTime,
            hasQuery: hasQuery, clientLifetime: clientLifetime)
        var kept = ResponseHead(statusCode: head.statusCode, httpVersion: head.httpVersion)
        kept.headers = StoredFields.kept(of: head.headers)
        self.init(
            kept, control, freshness, selectors: selectors, authorization: authorization.map { .plain($0) }, isDecoded: isDecoded,
            hasQuery: hasQuery, fixedFields: fixedFields)
    }

    /// A response from the disk.
    ///
    /// - Parameters:
    ///   - head: As it was stored.
    ///   - initialAge: In seconds. What else decides about the freshness is in the head.
    convenience init(
        stored head: ResponseHead, selectors: CacheSelectors, authorization: CacheSecret?, isDecoded: Bool, hasQuery: Bool,
        initialAge: TimeInterval, responseTime: TimeInterval, clientLifetime: TimeInterval?, fixedFields: Set<String>
    ) {
        let control = CacheControl(head.headers)
        let freshness = Freshness(
            head.headers, control: control, statusCode: head.statusCode, requestTime: responseTime, responseTime: responseTime,
            hasQuery: hasQuery, clientLifetime: clientLifetime, initialAge: initialAge)
        self.init(
            head, control, freshness, selectors: selectors, authorization: authorization, isDecoded: isDecoded, hasQuery: hasQuery,
            fixedFields: fixedFields)
    }

    private init(
        _ head: ResponseHead, _ control: CacheControl, _ freshness: Freshness, selectors: CacheSelectors, authorization: CacheSecret?,
        isDecoded: Bool, hasQuery: Bool, fixedFields: Set<String>
    ) {
        self.head = head
        self.control = control
        self.freshness = freshness
        self.selectors = selectors
        self.authorization = authorization
        self.isDecoded = isDecoded
        self.hasQuery = hasQuery
        self.fixedFields = fixedFields
        var conditions: [HTTPHeader] = []
        for (name, validator) in [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")] {
            guard let value = head.headers.values(for: validator).first else { continue }
            // Sent as it was received, if it may be sent at all (RFC 9110 section 5.5).
            let octets = FieldOctets.received(value)
            let isSendable = !octets.isEmpty && octets.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            if isSendable { conditions.append(HTTPHeader(name: name, octets: octets)) }
        }
        self.conditions = conditions
    }

    /// Whether the request that it answered was authorized in the same way.
    func isAuthorized(like request: CacheRequest) -> Bool {
        switch (authorization, request.authorization) {
        case (nil, nil): true
        case (let own?, let asked?): own.matches(asked)
        default: false
        }
    }

    /// Whether a 304 is about another representation, by a strong entity tag. Then it does not confirm this one (RFC 9111 section 4.3.4).
    func isContradicted(by newer: ResponseHead) -> Bool {
        guard let own = head.headers.values(for: "ETag").first, let other = newer.headers.values(for: "ETag").first else { return false }
        return own.hasPrefix("\"") && other.hasPrefix("\"") && own != other
    }

    /// The response of a request.
    convenience init(
        _ head: ResponseHead, of request: CacheRequest, varyingBy names: Set<String>, requestTime: TimeInterval, responseTime: TimeInterval,
        clientLifetime: TimeInterval?, fixedFields: Set<String> = []
    ) {
        self.init(
            head, selectors: CacheSelectors(names, of: request.headers), authorization: request.authorization,
            isDecoded: request.decodesContent, hasQuery: request.hasQuery, requestTime: requestTime, responseTime: responseTime,
            clientLifetime: clientLifetime, fixedFields: fixedFields)
    }

    /// The response with the fields of a newer head: a 304's, or that of a response to HEAD (RFC 9111 section 3.2).
    ///
    /// - Parameter request: The one that the newer head answers.
    func updated(
        by newer: ResponseHead, to request: CacheRequest, requestTime: TimeInterval, responseTime: TimeInterval,
        clientLifetime: TimeInterval?
    ) -> StoredResponse {
        var head = head
        head.headers = StoredFields.merged(head.headers, with: newer.headers, fixed: fixedFields)
        let names = newer.headers.contains(name: "Vary") ? CacheSelectors.names(in: head.headers) : nil
        return StoredResponse(
            head, selectors: names.map { CacheSelectors($0, of: request.headers) } ?? selectors, authorization: request.authorization,
            isDecoded: isDecoded, hasQuery: hasQuery, requestTime: requestTime, responseTime: responseTime, clientLifetime: clientLifetime,
            fixedFields: fixedFields)
    }

    /// Whether it may still be stored after an update.
    var isStorable: Bool { !control.isNoStore && CacheSelectors.names(in: head.headers) != nil }

    /// Whether a head of a response to HEAD belongs to the same representation (RFC 9111 section 4.3.5).
    func hasSameRepresentation(as newer: ResponseHead) -> Bool {
        for name in ["ETag", "Last-Modified", "Content-Length"] where !fixedFields.contains(name.lowercased()) {
            if let value = newer.headers.value(for: name), let own = head.headers.value(for: name), value != own { return false }
        }
        return true
    }

    /// Whether a request may be answered with it, as far as its fields and the form of its body decide.
    func fits(_ request: CacheRequest) -> Bool {
        guard selectors.match(request.headers) else { return false }
        return isDecoded == request.decodesContent || !head.headers.contains(name: "Content-Encoding")
    }

    /// The head for a caller: with the age, and without the fields that must not be reused.
    ///
    /// - Parameter age: In seconds.
    func served(age: TimeInterval, isValidated: Bool) -> ResponseHead {
        var fields = Array(head.headers)
        if !isValidated, !control.noCacheFields.isEmpty {
            fields.removeAll { control.noCacheFields.contains($0.name.lowercased()) }
        }
        fields.append(HTTPHeader(name: "Age", value: "\(Int(min(max(0, age), TimeInterval(DeltaSeconds.most))))"))
        return ResponseHead(statusCode: head.statusCode, httpVersion: head.httpVersion, headers: HTTPHeaders(received: fields))
    }
}

/// Which fields of responses a cache keeps (RFC 9111 section 3.1).
enum StoredFields {
    /// The lowercase names of fields of one connection or exchange (RFC 9110 sections 7.6.1 and 11.7, RFC 7615), and of the age, which each
    /// response gets anew.
    private static let dropped: Set<String> = [
        "age", "authentication-info", "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]
    /// The lowercase names of fields that describe the stored body, which a newer head does not change.
    private static let fixed: Set<String> = ["content-encoding", "content-length", "content-range"]

    static func kept(of headers: HTTPHeaders) -> HTTPHeaders {
        var dropped = dropped
        for field in headers.values(for: "Connection") { dropped.formUnion(QuotedList.members(of: field).map { $0.lowercased() }) }
        return HTTPHeaders(received: headers.filter { !dropped.contains($0.name.lowercased()) })
    }

    /// - Parameters:
    ///   - newer: A head's fields as received. All fields of a name replace those that are stored. Its age is kept, because it counts for
    ///     the freshness.
    ///   - names: The lowercase names of further fields that do not change. A `no-store` counts all the same.
    static func merged(_ stored: HTTPHeaders, with newer: HTTPHeaders, fixed names: Set<String>) -> HTTPHeaders {
        let age = names.contains("age") ? [] : newer.values(for: "Age").map { HTTPHeader(name: "Age", value: $0) }
        var fixed = fixed.union(names)
        if CacheControl(newer).isNoStore { fixed.remove("cache-control") }
        let changes = kept(of: newer).filter { !fixed.contains($0.name.lowercased()) }
        var replaced = Set(changes.map { $0.name.lowercased() })
        // An old date would make the response old.
        if !fixed.contains("date") { replaced.insert("date") }
        return HTTPHeaders(received: stored.filter { !replaced.contains($0.name.lowercased()) } + changes + age)
    }
}
