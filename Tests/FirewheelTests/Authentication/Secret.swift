import Firewheel
import Foundation

/// Secrets of every kind. Each contains a unique word, so that even a part of it is found.
enum Secret {
    static let word = "Zq7Xk"

    static let user = "ann"
    /// Contains characters that URLs, forms and JSON escape, with the word on both sides of them.
    static let password = "Zq7Xk/p@ss w:rd\"Zq7Xk"
    static let wrongPassword = "Zq7XkWrong"
    /// The percent-encoded form in a URL.
    static let encodedPassword = "Zq7Xk%2Fp%40ss%20w%3Ard%22Zq7Xk"
    static let token = "Zq7XkAccess"
    static let laterToken = "Zq7XkLater"
    static let refreshToken = "Zq7XkRefresh"
    static let cookie = "Zq7XkCookie"
    static let key = "Zq7XkKey"
    static let realm = "the realm"

    /// Fields set by the caller.
    static let fields: HTTPHeaders = [
        "Authorization": "Bearer \(token)", "Cookie": "session=\(cookie)", "X-Api-Key": key, "X-Auth-Token": token,
    ]

    /// Encodings that hide the word: Basic credentials, and Digest's hash of the password, which is equivalent within its realm.
    static let hidden: [String] = [password, wrongPassword].flatMap { password in
        ["MD5", "SHA-256", "SHA-512-256"].map { DigestServer.hash("\(user):\(realm):\(password)", $0) } + [
            Data("\(user):\(password)".utf8).base64EncodedString(), Data(password.utf8).base64EncodedString(),
        ]
    }

    /// The secrets in a text.
    ///
    /// - Parameter others: Additional secrets.
    static func found(in text: String, others: Set<String> = []) -> [String] {
        let (bytes, lowercased) = (Data(text.utf8), Data(text.lowercased().utf8))
        return (lowercased.range(of: Data(word.lowercased().utf8)) == nil ? [] : [word])
            + (hidden + others).filter { bytes.range(of: Data($0.utf8)) != nil }
    }
}

/// Everything printed during a test: descriptions, dumps and reflections.
final class Printed: Sendable {
    private let lock = NSLock()
    // Only touched while holding `lock`: each text with the value it describes.
    private nonisolated(unsafe) var texts: [String: String] = [:]

    /// Limits the nested values looked at, since deeper ones are Foundation's internals.
    private static let most = 400

    /// Each text with the value it describes.
    var all: [String: String] { lock.withLock { texts } }

    func add(_ name: String, _ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        var dumpedInside = ""
        dump(["key": Optional(value) as Any], to: &dumpedInside)
        var found = [dumped, dumpedInside, "\([value])", "\(Optional(value) as Any)", String(describing: value)]
        var count = 0
        Self.reflect(value, 0, &count, &found)
        lock.withLock { for text in found { texts[text] = name } }
    }

    /// An error and its causes. What foreign errors print themselves is only checked inside the library's descriptions.
    func add(_ name: String, error: any Error) {
        add(name, error.localizedDescription)
        guard String(reflecting: type(of: error)).hasPrefix("Firewheel.") else { return }
        add(name, error)
        guard let error = error as? FirewheelError else { return }
        if let underlying = error.underlyingError { add("\(name), underlying", error: underlying) }
        if let original = error.originalError { add("\(name), original", error: original) }
    }

    /// What a debugger shows of an unfolded value, with its base classes.
    private static func reflect(_ value: Any, _ depth: Int, _ count: inout Int, _ found: inout [String]) {
        count += 1
        found += ["\(value)", String(reflecting: value)]
        var mirror: Mirror? = Mirror(reflecting: value)
        while let present = mirror {
            for child in present.children where depth < 8 && count < most {
                found.append(child.label ?? "")
                reflect(child.value, depth + 1, &count, &found)
            }
            mirror = present.superclassMirror
        }
    }
}
