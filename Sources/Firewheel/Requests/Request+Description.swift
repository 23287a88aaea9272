extension Request: CustomStringConvertible {
    /// The method, the URL without credentials, and the status, if known.
    public var description: String {
        guard let request else { return "Request \(id), not built" }
        let status = outcome?.statusCode.map { " (\($0))" } ?? ""
        return "\(request.httpMethod ?? "GET") \(request.url.map { Redaction.url($0.absoluteString) } ?? "")\(status)"
    }
}

extension Request: CustomReflectable {
    /// What `dump` and debuggers show: the id and the state, but none of the input, which contains credentials.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "state": state], displayStyle: .class) }
}
