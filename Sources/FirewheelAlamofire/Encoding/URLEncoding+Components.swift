extension URLEncoding {
    /// The percent-encoded keys and values of a parameter, for encodings of your own. A nested value has several; nil has none.
    ///
    /// A value that a form cannot have is written as its description, as in Alamofire. Requests fail for it instead.
    ///
    /// - Parameters:
    ///   - key: The parameter's key.
    ///   - value: The parameter's value.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        guard let fields = try? fields(of: [key: value]) else { return [(escape(key), escape("\(value)"))] }
        return fields.map { field in
            let text =
                switch field.value {
                case .text(let text): text
                case .data(let data): data.base64EncodedString()
                case .absent: ""
                }
            return (escape(field.key), escape(text))
        }
    }
}
