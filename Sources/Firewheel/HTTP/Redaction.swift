import Foundation

/// Removes secrets from everything that is printed: descriptions, errors, metrics, cURL commands. All of these share it, so that none shows
/// what another hides.
package enum Redaction {
    /// The replacement for a secret.
    static let mark = "<redacted>"

    /// The fields with credentials replaced, and with URLs redacted.
    static func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(received: headers.map { HTTPHeader(name: $0.name, value: value(of: $0)) })
    }

    /// The printable value of a field.
    static func value(of field: HTTPHeader) -> String {
        if isCredential(fieldName: field.name) { return mark }
        return urlFields.contains(field.name.lowercased()) ? url(field.value) : field.value
    }

    /// Whether a field of this name carries credentials: it is not printed, and not sent to another origin on a redirect.
    static func isCredential(fieldName: String) -> Bool {
        let name = fieldName.lowercased()
        if plainFields.contains(name) { return false }
        return credentialFields.contains(name) || credentialEndings.contains(where: name.hasSuffix)
            || isSecret(name: name.hasPrefix("x-") ? name.dropFirst(2) : name[...])
    }

    /// What should be a host, without credentials in front, which are not valid there, but may have been written.
    static func host(_ text: String) -> String {
        (text.lastIndex(of: "@").map { mark + text[$0...] } ?? text).onOneLine.cut(to: 200)
    }

    /// A URL or relative reference with its user information and secret query items replaced. A fragment is treated like a query, because
    /// OAuth's implicit grant puts its token there (RFC 6749 section 4.2.2).
    package static func url(_ text: String) -> String {
        let text = replacingUserInfo(text)
        guard let start = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
        return text[..<start] + form(text[start...])
    }

    /// The method and the URL of a request.
    package static func line(of request: URLRequest) -> String {
        "\(request.httpMethod ?? "GET") \(url(request.url?.absoluteString ?? ""))"
    }

    /// A text that is not a valid URL. It is unknown where its authority ends, so everything before an `@` may be a password.
    package static func possibleURL(_ text: String) -> String {
        url(text.lastIndex(of: "@").map { mark + text[$0...] } ?? text)
    }

    /// A URL-encoded form, or a URL's query, with the values of secret items replaced.
    static func form(_ text: some StringProtocol) -> String {
        var output = ""
        var rest = text[...]
        while !rest.isEmpty {
            let item = rest.prefix { !"&;?#".contains($0) && !$0.isNewline }
            if let equals = item.firstIndex(of: "="), isSecret(item: item[..<equals]), item.index(after: equals) != item.endIndex {
                output += item[...equals] + mark
            } else {
                output += holdsSecret(Substring(item)) ? item.prefix { $0 != "=" } + "=" + mark : replacingUserInfo(String(item))[...]
            }
            rest = rest[item.endIndex...]
            if let separator = rest.popFirst() { output.append(separator) }
        }
        return output
    }

    /// Whether an item of a query is a percent-encoded URL or form with a secret of its own: `next=https%3A%2F%2Fa%3Ab%40c%2F`.
    private static func holdsSecret(_ item: Substring) -> Bool {
        guard item.contains("%"), let equals = item.firstIndex(of: "="),
            let plain = item[item.index(after: equals)...].removingPercentEncoding
        else { return false }
        return replacingUserInfo(plain) != plain
            || plain.split { "&;?#".contains($0) }.contains { part in
                part.firstIndex(of: "=").map { isSecret(item: part[..<$0]) && part.index(after: $0) != part.endIndex } ?? false
            }
    }

    /// Whether a name belongs to a secret: `access_token`, `X-Amz-Signature`, `user[password]`, in any case.
    static func isSecret(name: some StringProtocol) -> Bool {
        parts(of: name).contains { secretNames.contains($0) || $0.hasSuffix("password") }
    }

    /// The same for items of queries and forms, where short names are more telling than in JSON: OAuth's `code`, a map service's `key`.
    private static func isSecret(item name: some StringProtocol) -> Bool {
        isSecret(name: name) || parts(of: name).contains { secretItems.contains($0) }
    }

    /// The components of a name such as `user[password]`, in lower case and without separators.
    private static func parts(of name: some StringProtocol) -> [String] {
        let plain = String(name).removingPercentEncoding ?? String(name)
        return plain.lowercased().split { "[].".contains($0) }.map { part in part.filter { $0.isLetter || $0.isNumber } }
    }

    static func replacingUserInfo(_ text: String) -> String {
        guard let start = text.range(of: "//")?.upperBound else { return text }
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        guard let at = text[start..<end].lastIndex(of: "@") else { return text }
        return text.replacingCharacters(in: start..<at, with: mark)
    }

    private static let credentialFields: Set<String> = [
        "authentication-info", "proxy-authentication-info", "cookie", "cookie2", "set-cookie", "set-cookie2", "x-csrftoken", "dpop",
        "authentication",
        "authorization-bearer", "auth", "x-csrf", "x-cookie", "session", "x-session", "sid", "x-sid", "x-pat",
    ]

    /// Fields with such an ending that carry no credentials.
    private static let plainFields: Set<String> = [
        "idempotency-key", "x-idempotency-key", "sec-websocket-key", "surrogate-key", "x-cache-key",
    ]

    /// Common endings of such fields: `X-Vault-Token`, `X-Api-Key`, `Proxy-Authorization`.
    private static let credentialEndings = [
        "-token", "-secret", "-key", "-password", "-signature", "-signature-256", "-authorization", "-authentication", "-auth",
        "-credential", "apikey",
        "-credentials", "-passphrase", "-sign", "-sig", "-otp", "-pin", "-ticket", "-authorization-auxiliary", "-api-key-id", "-session-id",
        "-access-key-id", "-assertion",
    ]

    private static let urlFields: Set<String> = ["location", "content-location", "referer", "refresh", "link"]

    /// Names of query and form items that are common words elsewhere.
    private static let secretItems: Set<String> = ["auth", "code", "key", "session", "sid", "csrf", "ticket", "pin"]

    /// In lower case, without separators.
    private static let secretNames: Set<String> = [
        "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "securitytoken", "csrftoken", "token", "jwt", "bearer",
        "password", "passwd", "pwd", "passphrase", "newpassword", "oldpassword", "secret", "clientsecret", "clientassertion",
        "codeverifier", "apikey", "xapikey", "privatekey", "accesskey", "secretkey", "authorization", "credential", "credentials",
        "signature", "sig",
        "sessionid", "pass", "cookie", "setcookie", "awsaccesskeyid", "xamzcredential", "xamzsignature", "xamzsecuritytoken",
        "xgoogcredential", "xgoogsignature",
        "apitoken", "apisecret", "bearertoken", "oauthtoken", "oauthtokensecret", "oauthsignature", "oauthverifier", "authorizationcode",
        "authcode",
        "devicecode", "otp", "totp", "onetimepassword", "assertion", "samlresponse", "jsessionid", "phpsessid",
    ]
}

extension URLRequest {
    /// The URL in a form that is safe to log: user information and the values of query items with credentials are replaced by `<redacted>`.
    /// nil if there is no URL.
    public var redactedURL: String? { url.map { Redaction.url($0.absoluteString) } }
}
