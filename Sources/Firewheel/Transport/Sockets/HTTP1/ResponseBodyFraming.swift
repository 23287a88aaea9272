/// How the end of a response's body is found (RFC 9112 section 6.3).
enum ResponseBodyFraming: Equatable {
    /// There is no body.
    case none
    /// The body has this many bytes, at least one.
    case length(Int64)
    case chunked
    /// The body ends with the connection.
    case untilClose

    /// - Parameters:
    ///   - isHead: Whether the request was a HEAD, whose response has no body.
    ///   - isConnect: Whether it was a CONNECT, whose successful response has none either, whatever its fields say (RFC 9110 section
    ///     9.3.6). Default: false.
    init(statusCode: Int, isHead: Bool, isConnect: Bool = false, fields: FramingFields) throws(ResponseLines.Problem) {
        if isConnect, (200..<300).contains(statusCode) {
            self = .none
            return
        }
        if let problem = fields.lengths.problem { throw problem }
        if isHead || statusCode == 204 || statusCode == 304 {
            self = .none
            return
        }
        switch fields.coding {
        case .chunked: self = .chunked
        case .identity: self = .untilClose
        case .unsupported: throw .unsupportedCoding
        case .none:
            if let length = fields.lengths.length {
                self = length == 0 ? .none : .length(length)
            } else {
                // A 205 has no content (RFC 9110 section 15.3.6), and not all servers say so. What one declares is read.
                self = statusCode == 205 ? .none : .untilClose
            }
        }
    }
}
