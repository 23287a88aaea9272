import Foundation

/// A request as an equivalent curl command for a POSIX shell.
enum CURLCommand {
    /// - Parameters:
    ///   - showsSecrets: Whether credentials are shown, so that the command can be run. Commands for logs are made without them.
    ///   - bodyLimit: The largest body that is shown, in bytes.
    ///   - showsBinary: Whether a body that is not text is shown in base64.
    static func text(
        for request: URLRequest, showsSecrets: Bool, bodyLimit: Int = Redaction.maximumShownBytes, showsBinary: Bool = true
    ) -> String {
        guard let url = request.url else { return unavailable }
        let headers = showsSecrets ? request.headers : Redaction.headers(request.headers)
        let body = Body(request, showsSecrets: showsSecrets, limit: bodyLimit, showsBinary: showsBinary)
        let method = request.method ?? .get
        // With `-X HEAD` curl would wait for a body.
        var words = [body.input + "curl -v", method == .head ? "--head" : "-X " + word(method.rawValue)]
        for header in headers.sorted() where header.name.lowercased() != "content-length" {
            // A name with a colon and no value would make curl remove the field; a semicolon sends it without a value.
            words.append("-H " + quoted(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"))
        }
        if let codings = headers["Accept-Encoding"], codings.lowercased() != "identity" { words.append("--compressed") }
        if let option = body.option {
            // Otherwise curl adds a type of its own.
            if headers["Content-Type"] == nil { words.append("-H 'Content-Type:'") }
            words.append(option)
        }
        // Disables curl's URL globbing and path normalization.
        words.append("--globoff --path-as-is")
        words.append(quoted(showsSecrets ? url.absoluteString : Redaction.url(url.absoluteString)))
        return "$ " + words.joined(separator: " \\\n\t")
    }

    /// The replacement for the command of a request that has not been created, or could not be.
    static let unavailable = "# no curl command: there is no request"

    /// How a body is passed to curl: text as an argument, other data through a pipe.
    private struct Body {
        var input = ""
        var option: String?

        init(_ request: URLRequest, showsSecrets: Bool, limit: Int, showsBinary: Bool) {
            guard let body = request.httpBody, !body.isEmpty else { return }
            if body.count <= limit, let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) {
                option =
                    "--data-raw "
                    + quoted(showsSecrets ? text : Redaction.body(text, contentType: request.headers.singleton("Content-Type")))
            } else if body.count <= limit, showsBinary {
                input = "echo \(body.base64EncodedString()) | base64 -d | "
                option = "--data-binary @-"
            } else {
                // The body is not printed, so the command refers to a file. Its name says so, since an interactive shell may not support
                // comments.
                option = "--data-binary " + quoted("@body-of-\(body.count)-bytes")
            }
        }
    }

    /// A shell word, quoted only if it has special characters.
    private static func word(_ text: String) -> String {
        text.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } ? text : quoted(text)
    }

    /// A single quoted shell word: between apostrophes only an apostrophe is special.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
