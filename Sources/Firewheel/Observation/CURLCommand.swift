import Foundation

/// A request as the command of curl that sends the same, for a shell of POSIX.
enum CURLCommand {
    /// - Parameters:
    ///   - showsSecrets: Whether credentials are left in. The command without them is for logs, the one with them for running.
    ///   - bodyLimit: The largest body that is shown, in bytes.
    ///   - showsBinary: Whether a body that is no text is shown in base64.
    static func text(
        for request: URLRequest, showsSecrets: Bool, bodyLimit: Int = Redaction.maximumShownBytes, showsBinary: Bool = true
    ) -> String {
        guard let url = request.url else { return unavailable }
        let headers = showsSecrets ? request.headers : Redaction.headers(request.headers)
        let body = Body(request, showsSecrets: showsSecrets, limit: bodyLimit, showsBinary: showsBinary)
        let method = request.method ?? .get
        // `-X HEAD` would have curl wait for a body.
        var words = [body.input + "curl -v", method == .head ? "--head" : "-X " + word(method.rawValue)]
        for header in headers.sorted() where header.name.lowercased() != "content-length" {
            // With a colon and no value curl takes the field out; this is how it sends one without a value.
            words.append("-H " + quoted(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"))
        }
        if headers["Accept-Encoding"] != nil { words.append("--compressed") }
        if let option = body.option {
            // curl names a type of its own where it is given none.
            if headers["Content-Type"] == nil { words.append("-H 'Content-Type:'") }
            words.append(option)
        }
        // Brackets and braces mean themselves, and the path is sent as it stands.
        words.append("--globoff --path-as-is")
        words.append(quoted(showsSecrets ? url.absoluteString : Redaction.url(url.absoluteString)))
        return "$ " + words.joined(separator: " \\\n\t")
    }

    /// What stands in for the command of a request that has not been made, or could not be.
    static let unavailable = "$ curl command could not be created"

    /// How a body gets into the command: text as a word, what is no text by a pipe.
    private struct Body {
        var input = ""
        var option: String?

        init(_ request: URLRequest, showsSecrets: Bool, limit: Int, showsBinary: Bool) {
            guard let body = request.httpBody, !body.isEmpty else { return }
            if body.count <= limit, let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) {
                option = "--data-raw " + quoted(showsSecrets ? text : Redaction.body(text, contentType: request.headers["Content-Type"]))
            } else if body.count <= limit, showsBinary {
                input = "echo \(body.base64EncodedString()) | base64 -d | "
                option = "--data-binary @-"
            } else {
                // A file with the body, which is not to be printed. An interactive shell need not know comments, so the file's name says so.
                option = "--data-binary " + quoted("@body-of-\(body.count)-bytes")
            }
        }
    }

    /// A word that needs apostrophes only where it has characters that mean something to a shell.
    private static func word(_ text: String) -> String {
        text.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } ? text : quoted(text)
    }

    /// One word for the shell, whatever is in it: between apostrophes nothing has a meaning but an apostrophe.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
