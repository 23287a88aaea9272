import Foundation

/// What is taken out of everything that is printed: descriptions, errors, metrics, cURL text. One place, so that no text shows what another hides.
enum Redaction {
    /// What stands in the place of a secret.
    static let mark = "<redacted>"

    /// The fields with the values of those that carry credentials replaced, and secrets taken out of those that hold a URL.
    static func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(received: headers.map { HTTPHeader(name: $0.name, value: value(of: $0)) })
    }

    /// The value of a field as it may be printed.
    static func value(of field: HTTPHeader) -> String {
        let name = field.name.lowercased()
        if credentialFields.contains(name) || credentialEndings.contains(where: name.hasSuffix) || isSecret(name: name) { return mark }
        return urlFields.contains(name) ? url(field.value) : field.value
    }

    /// A URL, or a reference to one, with its user information and the values of query items that carry credentials replaced. A fragment is treated
    /// as a query, since OAuth's implicit grant puts its token there (RFC 6749 section 4.2.2).
    static func url(_ text: String) -> String {
        let text = replacingUserInfo(text)
        guard let start = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
        return text[..<start] + form(text[start...])
    }

    /// The method and the URL of a request.
    static func line(of request: URLRequest) -> String {
        "\(request.httpMethod ?? "GET") \(url(request.url?.absoluteString ?? ""))"
    }

    /// A text that should have been a URL. Where its authority ends nobody can say, so whatever stands before an `@` may be a password.
    static func possibleURL(_ text: String) -> String {
        url(text.lastIndex(of: "@").map { mark + text[$0...] } ?? text)
    }

    /// A URL-encoded form, or the query of a URL, with the values of items that carry credentials replaced.
    static func form(_ text: some StringProtocol) -> String {
        var output = ""
        var rest = text[...]
        while !rest.isEmpty {
            let item = rest.prefix { !"&;?#".contains($0) }
            if let equals = item.firstIndex(of: "="), isSecret(name: item[..<equals]), item.index(after: equals) != item.endIndex {
                output += item[...equals] + mark
            } else {
                output += item
            }
            rest = rest[item.endIndex...]
            if let separator = rest.popFirst() { output.append(separator) }
        }
        return output
    }

    /// Whether a value under this name is one to hide: `access_token`, `X-Amz-Signature`, `user[password]`, in any case.
    static func isSecret(name: some StringProtocol) -> Bool {
        let plain = String(name).removingPercentEncoding ?? String(name)
        return plain.lowercased().split { "[].".contains($0) }.contains { part in
            secretNames.contains(part.filter { $0.isLetter || $0.isNumber })
        }
    }

    static func replacingUserInfo(_ text: String) -> String {
        guard let start = text.range(of: "//")?.upperBound else { return text }
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        guard let at = text[start..<end].lastIndex(of: "@") else { return text }
        return text.replacingCharacters(in: start..<at, with: mark)
    }

    private static let credentialFields: Set<String> = [
        "authentication-info", "proxy-authentication-info", "cookie", "cookie2", "set-cookie", "set-cookie2", "x-csrftoken",
    ]

    /// How the names end that services give such fields: `X-Vault-Token`, `X-Api-Key`, `Proxy-Authorization`.
    private static let credentialEndings = ["-token", "-secret", "-key", "-password", "-signature", "-authorization"]

    private static let urlFields: Set<String> = ["location", "content-location", "referer", "refresh", "link"]

    /// In lower case, without what joins their words.
    private static let secretNames: Set<String> = [
        "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "securitytoken", "csrftoken", "token", "jwt", "bearer",
        "password", "passwd", "pwd", "passphrase", "newpassword", "oldpassword", "secret", "clientsecret", "clientassertion",
        "codeverifier", "apikey", "xapikey", "privatekey", "accesskey", "secretkey", "authorization", "credential", "credentials",
        "signature", "sig",
        "sessionid", "awsaccesskeyid", "xamzcredential", "xamzsignature", "xamzsecuritytoken", "xgoogcredential", "xgoogsignature",
    ]
}
