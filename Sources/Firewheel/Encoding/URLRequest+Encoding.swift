import Foundation

// Adding encoded parameters to a request, for both `ParameterEncoding` and `ParameterEncoder`.

extension URLEncoding.Destination {
    func isQuery(for method: HTTPMethod) -> Bool {
        switch self {
        case .methodDependent: method == .get || method == .head || method == .delete
        case .query(let methods): methods.contains(method)
        case .queryString: true
        case .httpBody: false
        }
    }
}

extension URLRequest {
    package func encodingForm(
        _ parameters: some Encodable, with encoder: URLEncodedFormEncoder, into destination: URLEncoding.Destination
    ) throws -> URLRequest {
        let url = try urlForEncoding()
        let text: String = try encoder.encode(parameters)
        var request = self
        if destination.isQuery(for: method ?? .get) {
            if !text.isEmpty { request.url = try url.appendingToQuery(text) }
        } else {
            request.setForm(text)
        }
        return request
    }

    /// Sets a form's text as the body, with its Content-Type unless there is one.
    mutating func setForm(_ text: String) {
        setBody(Data(text.utf8), contentType: "application/x-www-form-urlencoded; charset=utf-8")
    }

    /// The request with any text appended to its query. Characters that a query cannot contain (RFC 3986 section 3.4) are percent-encoded.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed(.missingURL)` if the request has no URL.
    package func addingToQuery(_ text: String) throws -> URLRequest {
        let url = try urlForEncoding()
        guard !text.isEmpty else { return self }
        var request = self
        request.url = try url.appendingToQuery(Percent.encodingForQuery(text))
        return request
    }

    package func encodingJSON(_ parameters: some Encodable, with encoder: JSONEncoder) throws -> URLRequest {
        _ = try urlForEncoding()
        let body: Data
        do {
            let isUnordered = try JSONPreflight.check(parameters, userInfo: encoder.userInfo)
            body = isUnordered ? try encoder.encode(OrderedJSON(parameters)) : try encoder.encode(parameters)
        } catch {
            throw FirewheelError(.parameterEncodingFailed(.jsonEncodingFailed), underlyingError: error)
        }
        var request = self
        request.setBody(body, contentType: "application/json")
        return request
    }

    func encodingPropertyList(_ parameters: some Encodable, as format: PropertyListSerialization.PropertyListFormat) throws -> URLRequest {
        _ = try urlForEncoding()
        let body: Data
        do {
            let root = PropertyListNode()
            try SinkEncoder(root).encode(parameters)
            switch format {
            case .xml: body = try PropertyListXML.data(of: root)
            case .binary: body = PropertyListBinary.data(of: root)
            // OpenStep, which Foundation can only read, and future formats.
            default: throw ParameterFailure.unwritableFormat
            }
        } catch {
            throw FirewheelError(.parameterEncodingFailed(.propertyListEncodingFailed), underlyingError: error)
        }
        var request = self
        request.setBody(body, contentType: "application/x-plist")
        return request
    }

    func urlForEncoding() throws -> URL {
        guard let url else { throw FirewheelError(.parameterEncodingFailed(.missingURL)) }
        return url
    }

    private mutating func setBody(_ body: Data, contentType: String) {
        setIfAbsent(.contentType(contentType))
        httpBody = body
    }
}

extension URL {
    /// This URL with encoded text appended to its query, before its fragment.
    ///
    /// Works on the text, because `URLComponents.percentEncodedQuery` traps on invalid characters, which the URL's existing query may
    /// contain.
    func appendingToQuery(_ text: String) throws -> URL {
        let whole = absoluteString
        let base = whole.utf8.prefix { $0 != UInt8(ascii: "#") }
        let fragment = whole[base.endIndex...]
        let separator: String
        if let mark = base.firstIndex(of: UInt8(ascii: "?")) {
            separator = base.index(after: mark) == base.endIndex ? "" : "&"
        } else {
            separator = "?"
        }
        guard let url = URL(string: whole[..<base.endIndex] + separator + text + fragment) else {
            throw FirewheelError.invalidURL(whole, base: nil)
        }
        return url
    }
}
