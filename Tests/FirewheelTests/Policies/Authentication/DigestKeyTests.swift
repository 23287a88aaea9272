import Foundation
import Testing

@testable import Firewheel

@Suite("Digest answers")
struct DigestKeyTests {
    private func challenge(_ parameters: String) throws -> DigestChallenge {
        try #require(Challenge.parse(["Digest " + parameters]).first.flatMap(DigestChallenge.init))
    }

    private func key(_ parameters: String, user: String = "u", password: String = "p") throws -> DigestKey {
        try DigestKey(try challenge(parameters), username: user, password: password, cnonce: "c")
    }

    private func problem(_ work: () throws -> Void) -> CredentialProblem? {
        do { try work() } catch { return error as? CredentialProblem }
        return nil
    }

    @Test("In a Digest answer algorithm, qop and nc are not quoted, and all else is (RFC 7616 section 3.4)")
    func quoting() throws {
        let key = try key(#"realm=r, nonce=n, opaque=o, algorithm="sha-256", qop="auth", userhash="true""#)
        let answer = try key.answer(method: "GET", target: "/?a=1", body: .unknown, nonceCount: 0xFFFF_FFFF).fieldValue
        for part in [
            "realm=\"r\"", "nonce=\"n\"", "opaque=\"o\"", "uri=\"/?a=1\"", "cnonce=\"c\"", "nc=ffffffff", "qop=auth", "algorithm=sha-256",
            "userhash=true",
        ] {
            #expect(answer.components(separatedBy: ", ").contains(part), "\(part) in \(answer)")
        }
        #expect(answer.hasPrefix("Digest username=\""))
    }

    @Test("auth-int is used only where auth is not offered, with the hash of the body or of an empty one")
    func authInt() throws {
        let both = try key(#"realm=r, nonce=n, qop="auth-int, auth""#)
        #expect(try both.answer(method: "POST", target: "/", body: .known(Data("b".utf8)), nonceCount: 1).qop == .auth)
        let only = try key(#"realm=r, nonce=n, qop="auth-int""#)
        func answer(_ body: Data?) throws -> String {
            try only.answer(method: "POST", target: "/", body: .known(body), nonceCount: 1).fieldValue
        }
        #expect(try answer(Data("b".utf8)).contains("qop=auth-int"))
        #expect(try answer(nil) == answer(Data()) && answer(nil) != answer(Data("b".utf8)))
        #expect(
            problem { _ = try only.answer(method: "POST", target: "/", body: .unknown, nonceCount: 1) } == .unknownBody)
    }

    @Test("Control characters are refused in every part of a Digest answer")
    func controlCharacters() throws {
        for text in ["a\r\nX: y", "\n", "\u{0}", "\u{7F}", "a\tb"] {
            #expect(problem { _ = try self.key("realm=r, nonce=n", user: text) } == .controlCharacter(in: "user name"))
            #expect(problem { _ = try self.key("realm=r, nonce=n", password: text) } == .controlCharacter(in: "password"))
            let key = try self.key("realm=r, nonce=n")
            #expect(
                problem { _ = try key.answer(method: "GET", target: text, body: .known(nil), nonceCount: 1) }
                    == .controlCharacter(in: "request target"))
        }
    }

    @Test("The server's rspauth is verified for qop auth only (RFC 7616 section 3.5)", arguments: ["MD5", "SHA-256-sess"])
    func verification(algorithm: String) throws {
        let key = try key("realm=r, nonce=n, algorithm=\(algorithm), qop=auth")
        let answer = try key.answer(method: "GET", target: "/x", body: .known(nil), nonceCount: 7)
        // H(A2) is the hash of ":/x".
        let hash: HashAlgorithm = algorithm == "MD5" ? .md5 : .sha256
        var keyed = try hash.hexadecimal(Array("u:r:p".utf8))
        if algorithm.hasSuffix("-sess") { keyed = try hash.hexadecimal(Array("\(keyed):n:c".utf8)) }
        let proof = try hash.hexadecimal(Array("\(keyed):n:00000007:c:auth:\(hash.hexadecimal(Array(":/x".utf8)))".utf8))
        func verify(_ fields: String...) throws -> DigestVerification {
            try key.with(nonce: FieldText("later")).verify(AuthenticationInfo(fields), of: answer)
        }
        #expect(try verify("rspauth=\"\(proof)\"") == .verified)
        #expect(try verify("rspauth=\"\(proof.uppercased())\", qop=auth, cnonce=\"c\", nc=00000007") == .verified)
        #expect(try verify("rspauth=\"\(String(proof.reversed()))\"") == .mismatch)
        #expect(try verify("rspauth=\"\"") == .mismatch)
        #expect(try verify("rspauth=\"\(proof)\", nc=00000008") == .mismatch)
        #expect(try verify("rspauth=\"\(proof)\", cnonce=\"d\"") == .mismatch)
        #expect(try verify("rspauth=\"\(proof)\", qop=auth-int") == .notChecked)
        #expect(try verify("nextnonce=\"x\"") == .notChecked)
        #expect(try verify() == .notChecked)
        // A proof for auth-int covers the response's body, and without a qop there is none.
        for parameters in ["realm=r, nonce=n, qop=auth-int", "realm=r, nonce=n"] {
            let other = try self.key(parameters)
            let answer = try other.answer(method: "GET", target: "/x", body: .known(nil), nonceCount: 7)
            #expect(try other.verify(AuthenticationInfo(["rspauth=\"\(proof)\""]), of: answer) == .notChecked)
        }
    }

    @Test("Authentication-Info is parsed as parameters, and an unusable nextnonce is ignored")
    func information() {
        let info = AuthenticationInfo([#"nextnonce = "a\"b,c", QOP=AUTH"#, #"cnonce="x", nc=00000001, rspauth="y""#])
        #expect(info.nextNonce == FieldText(#"a"b,c"#) && info.qop == "auth" && info.cnonce == FieldText("x"))
        #expect(info.nonceCount == FieldText("00000001") && info.responseAuth == FieldText("y"))
        for broken in ["", "nextnonce", "nextnonce=\"\"", "nextnonce=\"a\u{1}\"", "nextnonce=\"\(String(repeating: "x", count: 20_000))\""]
        {
            #expect(AuthenticationInfo([broken]).nextNonce == nil)
        }
    }

    @Test("No description or reflection shows a Digest key or an answer")
    func secrets() throws {
        let key = try key("realm=r, nonce=n, qop=auth", user: "user-name", password: "pass-word")
        let answer = try key.answer(method: "GET", target: "/", body: .known(nil), nonceCount: 1)
        let hash = try HashAlgorithm.md5.hexadecimal(Array("user-name:r:pass-word".utf8))
        let response = try #require(answer.fieldValue.components(separatedBy: "response=\"").last?.prefix(32))
        for value in [key, answer, Optional(key) as Any, [answer]] as [Any] {
            var text = "\(value) " + String(reflecting: value)
            dump(value, to: &text)
            #expect(
                !text.contains(hash) && !text.contains(response) && !text.contains("pass-word") && !text.contains("user-name"), "\(text)")
        }
    }

    @Test("Every cnonce is a new one of 32 digits")
    func cnonces() {
        let cnonces = Set((0..<1_000).map { _ in DigestKey.randomCnonce() })
        #expect(cnonces.count == 1_000 && cnonces.allSatisfy { $0.utf8.count == 32 && $0.utf8.allSatisfy(\.isHexDigit) })
    }
}
