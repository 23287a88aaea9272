import Foundation
import Testing

@testable import Firewheel

@Suite("Parsing challenges")
struct ChallengeTests {
    @Test("Unknown schemes are parsed like known ones, with token68 and parameters, in order")
    func generic() {
        #expect(
            Challenge.parse([#"Negotiate YWJj==, NTLM, Bearer a=b, C="d""#, "Mutual"]) == [
                Challenge(scheme: "negotiate", token68: "YWJj=="), Challenge(scheme: "ntlm"),
                Challenge(scheme: "bearer", parameters: ["a": FieldText("b"), "c": FieldText("d")]), Challenge(scheme: "mutual"),
            ])
    }

    @Test("At least sixty-four challenges in one response are read")
    func limit() {
        #expect(Challenge.parse([String(repeating: "Basic,", count: 1_000)]).count == 64)
        #expect(Challenge.parse(Array(repeating: "Basic", count: 1_000)).count == 64)
    }

    @Test("A challenge too large to be answered is ignored", arguments: ["realm", "nonce", "opaque", "domain"])
    func large(name: String) {
        func isAnswered(_ size: Int) -> Bool {
            let field = "Digest nonce=\"n\", \(name)=\"\(String(repeating: "x", count: size))\""
            return !OfferedChallenges([field], body: .known(nil)) { _ in nil }.answerable.isEmpty
        }
        #expect(isAnswered(10_000))
        #expect(!isAnswered(1_000_000))
        #expect(ChallengeTableTests.summary(["Basic realm=\(String(repeating: "x", count: 1_000_000))"]) == "")
    }

    /// Without libcrypto only Digest fails, and its error names the missing library.
    @Test("A missing library is reported instead of falling back to Basic, and a refused algorithm is skipped")
    func obstacles() {
        let missing = SystemLibraryError(library: "libcrypto.so.3", package: "libssl3", reason: .notLoaded("no such file"))
        let refused = SystemLibraryError(library: "libcrypto.so.3", package: "libssl3", reason: .algorithmRefused("MD5"))
        let fields = [#"Digest realm="r", nonce="n""#, #"Basic realm="b""#]
        let without = OfferedChallenges(fields, body: .known(nil)) { _ in missing }
        #expect(without.answerable.isEmpty && without.obstacle == missing)
        let strict = OfferedChallenges(fields, body: .known(nil)) { _ in refused }
        #expect(strict.answerable.map(\.realm) == [FieldText("b")] && strict.obstacle == nil)
        let basic = OfferedChallenges([#"Basic realm="b""#], body: .known(nil)) { _ in missing }
        #expect(basic.answerable.count == 1 && basic.obstacle == nil)
        #expect(missing.description == "libcrypto.so.3 (package libssl3) could not be loaded: no such file")
        #expect(refused.description == "libcrypto.so.3 (package libssl3) does not offer MD5")
    }

    @Test("Random challenges are parsed without a trap, and each answer can be sent")
    func random() throws {
        let pieces = [
            "Basic", "Digest", "NTLM", " ", " ", "\t", ",", ", ", "=", "\"", "\\", "realm=\"r\"", "nonce=\"n\"", "nonce", "realm",
            "qop=auth",
            "qop=\"auth-int\"", "algorithm=", "MD5", "SHA-256-sess", "domain=\"/ /b\"", "opaque=", "\u{E9}", "\u{0}", "\r\n", "é", "🙂", ";",
            "userhash=true", "stale=true", "charset=UTF-8",
        ]
        var generator = SeededGenerator(state: 14)
        var answered = 0
        for _ in 0..<5_000 {
            let fields = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                // Otherwise few of them would be challenges.
                let start = Bool.random(using: &generator) ? "Digest nonce=n, " : ""
                return start
                    + (0..<Int.random(in: 0...20, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            for case .digest(let challenge) in OfferedChallenges(fields, body: .known(nil), obstacle: { _ in nil }).answerable {
                guard challenge.algorithm.obstacle == nil else { continue }
                let key = try DigestKey(challenge, username: "a\"b", password: "c", cnonce: "d")
                let answer = try key.answer(method: "GET", target: "/", body: .known(nil), nonceCount: 1)
                #expect(HTTPHeader(name: "Authorization", value: answer.fieldValue).isValid, "\(fields)")
                answered += 1
            }
            _ = AuthenticationInfo(fields)
        }
        #expect(answered > 1_000)
    }

    @Test("Random octets as challenges are parsed without a trap")
    func octets() {
        var generator = SeededGenerator(state: 15)
        for _ in 0..<5_000 {
            let field = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...60, using: &generator)).map { _ in Unicode.Scalar(UInt8.random(in: 0...255, using: &generator))
                    }))
            _ = OfferedChallenges(["Digest nonce=x, " + field, field], body: .unknown) { _ in nil }
        }
    }
}
