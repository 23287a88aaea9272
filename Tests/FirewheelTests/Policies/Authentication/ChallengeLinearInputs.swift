import Foundation

@testable import Firewheel

extension LinearInput {
    private static let challengeParts: [(String, String, String)] = [
        ("", "Basic", ""), ("", "Basic,", ""), ("", "Basic ", ""), ("", ",", ""), ("", " ", ""), ("", "=", ""), ("", "\"", ""),
        ("", "a=b,", ""),
        ("Basic realm=\"", "a", "\""), ("Basic realm=\"", "a", ""), ("Basic realm=\"", "\\\"", "\""), ("Basic realm=\"", "\\", ""),
        ("Basic realm=\"", "\u{E9}", "\""), ("Basic realm=", "a", ""), ("Basic realm=", "a ", ""), ("Basic realm", " ", "= x"),
        ("Basic ", "a=\"b\" ", ""), ("Basic ", "a=\"\"", ""), ("Basic ", "a", ""), ("Basic ", "=", ""), ("Basic a", "=", ""),
        ("Basic @", "\"a", ""),
        ("Basic @", "\"\"", ""), ("Basic ", "a, ", ""), ("Basic ", "realm=x,", ""), ("Digest nonce=\"", "a", "\""),
        ("Digest nonce=n, qop=\"", "auth,", "\""), ("Digest nonce=n, qop=\"", "x ", "\""), ("Digest nonce=n, domain=\"", "/ ", "\""),
        ("Digest nonce=n, algorithm=", "x", ""), ("", "Digest nonce=n,", ""), ("", "Digest nonce=n,algorithm=SHA-256,", ""),
    ]

    static let challenges: [LinearInput] =
        challengeParts.map { start, piece, end in
            LinearInput(piece, start: start, end: end) { text in
                _ = OfferedChallenges([text], body: .known(nil)) { _ in nil }
            }
        } + [
            LinearInput("many fields") { size in
                let fields = Array(repeating: "realm=\"x\"", count: size / 10)
                return { _ = OfferedChallenges(["Digest nonce=n"] + fields, body: .known(nil)) { _ in nil } }
            },
            LinearInput("many names") { size in
                let field = "Digest nonce=n" + (0..<size / 10).map { ",n\($0)=0" }.joined()
                return { _ = OfferedChallenges([field], body: .known(nil)) { _ in nil } }
            },
        ]
}
