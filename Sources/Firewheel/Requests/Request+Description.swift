extension Request: CustomStringConvertible {
    /// The method, the URL without credentials, and the status once there is one.
    public var description: String {
        guard let request else { return "Request \(id), not built" }
        let status = outcome?.statusCode.map { " (\($0))" } ?? ""
        return "\(request.httpMethod ?? "GET") \(request.url.map { Redaction.url($0.absoluteString) } ?? "")\(status)"
    }
}

extension Request: CustomReflectable {
    /// What `dump` and debuggers show: which request it is and where it stands, and nothing of what it was made from, which holds
    /// credentials.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "state": state], displayStyle: .class) }
}
