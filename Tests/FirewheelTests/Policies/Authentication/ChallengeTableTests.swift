import Foundation
import Testing

@testable import Firewheel

/// Challenges of real servers, and which of them are answerable, the strongest first.
@Suite("Challenges as servers write them")
struct ChallengeTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [String]
        let expected: String

        init(_ description: String, _ fields: String..., expected: String) {
            testDescription = description
            self.fields = fields
            self.expected = expected
        }
    }

    /// The answerable challenges as one line.
    static func summary(_ fields: [String], body: DigestBody = .known(nil)) -> String {
        // Assumes every hash algorithm, so that the table is the same everywhere.
        OfferedChallenges(fields, body: body) { _ in nil }.answerable.map { challenge in
            switch challenge {
            case .basic(let basic): "Basic(\(basic.realm))\(basic.isUTF8 ? " UTF-8" : "")"
            case .digest(let digest): summary(digest)
            }
        }.joined(separator: " | ")
    }

    private static func summary(_ digest: DigestChallenge) -> String {
        var text = "\(digest.algorithm.rawValue)\(digest.isSession ? "-sess" : "")(\(digest.realm)) \(digest.nonce)"
        text += digest.qop.map { " " + $0.rawValue }.sorted().joined()
        if let opaque = digest.opaque { text += " opaque=\(opaque)" }
        if digest.isStale { text += " stale" }
        if digest.hashesUsername { text += " userhash" }
        if digest.isUTF8 { text += " UTF-8" }
        if !digest.domain.isEmpty { text += " domain=\(digest.domain.joined(separator: " "))" }
        return text
    }

    static let rows: [Row] = [
        // Basic
        Row("nginx", #"Basic realm="closed site""#, expected: "Basic(closed site)"),
        Row("RFC 7617 section 2.1", #"Basic realm="foo", charset="UTF-8""#, expected: "Basic(foo) UTF-8"),
        Row("Scheme and parameter in odd case", #"bAsIc REALM="foo", Charset=utf-8"#, expected: "Basic(foo) UTF-8"),
        Row("Another charset", #"Basic realm="foo", charset="ISO-8859-1""#, expected: "Basic(foo)"),
        Row("No realm at all", "Basic", expected: "Basic()"),
        Row("No realm but another parameter", #"Basic foo="bar""#, expected: "Basic()"),
        Row("An empty realm", #"Basic realm="""#, expected: "Basic()"),
        Row("A realm without quotes", "Basic realm=foo", expected: "Basic(foo)"),
        Row("A realm without the quotes that it needs", "Basic realm=My Site, charset=UTF-8", expected: "Basic(My Site) UTF-8"),
        Row("Blanks before the comma", "Basic realm=foo \t, charset=UTF-8 ", expected: "Basic(foo) UTF-8"),
        Row("Nothing behind the equals sign", "Basic realm=", expected: "Basic()"),
        Row("Commas in a quoted string", #"Basic realm="a, b, Digest nonce=\"x\"""#, expected: #"Basic(a, b, Digest nonce="x")"#),
        Row("A quoted pair that needs none (RFC 9110 section 5.6.4)", #"Basic realm="\f\o\o\\""#, expected: #"Basic(foo\)"#),
        Row("Blanks round the equals sign (BWS)", "Basic realm = \t\"foo\"", expected: "Basic(foo)"),
        Row("Several blanks and tabs behind the scheme", "Basic \t  realm=\"foo\"", expected: "Basic(foo)"),
        Row("A comma behind the scheme", #"Basic , realm="foo""#, expected: "Basic(foo)"),
        Row("Empty list elements", #", ,Basic realm="foo",, ,charset=UTF-8,"#, expected: "Basic(foo) UTF-8"),
        Row("Two realms: the last one", #"Basic realm="one", realm="two""#, expected: "Basic(two)"),
        Row("A parameter that is no realm but ends like one", #"Basic xrealm="foo", realm="bar""#, expected: "Basic(bar)"),
        Row("A string that does not end", #"Basic realm="foo"#, expected: "Basic(foo)"),
        Row("A realm in UTF-8, as the octets are read", "Basic realm=\"caf\u{C3}\u{A9}\"", expected: "Basic(café)"),
        Row("A realm in ISO-8859-1", "Basic realm=\"caf\u{E9}\"", expected: "Basic(café)"),
        Row("Twice, for two realms", #"Basic realm="a""#, #"Basic realm="b""#, expected: "Basic(a) | Basic(b)"),
        // Digest
        Row(
            "RFC 2069", #"Digest realm="testrealm@host.com", nonce="dcd98", opaque="5ccc""#,
            expected: "MD5(testrealm@host.com) dcd98 opaque=5ccc"),
        Row(
            "RFC 2617 section 3.5", #"Digest realm="r", qop="auth,auth-int", nonce="n", opaque="o""#,
            expected: "MD5(r) n auth auth-int opaque=o"),
        Row(
            "RFC 7616 section 3.9.1, one field",
            #"Digest realm="r", qop="auth, auth-int", algorithm=SHA-256, nonce="n1", opaque="o", Digest realm="r", algorithm=MD5, nonce="n2""#,
            expected: "SHA-256(r) n1 auth auth-int opaque=o | MD5(r) n2"),
        Row(
            "RFC 7616 section 3.9.1, two fields, the weaker one first", #"Digest realm="r", algorithm=MD5, nonce="n2", qop=auth"#,
            #"Digest realm="r", algorithm=SHA-256, nonce="n1", qop="auth""#, expected: "SHA-256(r) n1 auth | MD5(r) n2 auth"),
        Row(
            "RFC 7616 section 3.9.2",
            #"Digest realm="r", qop="auth", algorithm=SHA-512-256, nonce="n", opaque="o", charset=UTF-8, userhash=true"#,
            expected: "SHA-512/256(r) n auth opaque=o userhash UTF-8"),
        Row(
            "All that is known, the weakest first",
            #"Basic realm="r", Digest realm="r", nonce="1", Digest realm="r", nonce="2", algorithm=SHA-256"#,
            #"Digest realm="r", nonce="3", algorithm=SHA-512-256"#,
            expected: "SHA-512/256(r) 3 | SHA-256(r) 2 | MD5(r) 1 | Basic(r)"),
        Row(
            "Apache: algorithm without quotes, stale",
            #"Digest realm="r", nonce="n=", algorithm=MD5, domain="/private/ /other", qop="auth", stale=true"#,
            expected: "MD5(r) n= auth stale domain=/private/ /other"),
        Row("Stale in another case, quoted", #"Digest realm="r", nonce="n", stale="TRUE""#, expected: "MD5(r) n stale"),
        Row("Stale that is false", #"Digest realm="r", nonce="n", stale=FALSE"#, expected: "MD5(r) n"),
        Row(
            "IIS: quoted algorithm, MD5-sess", #"Digest qop="auth",algorithm="MD5-sess",nonce="+Upgraded+v1",charset=utf-8,realm="Digest""#,
            expected: "MD5-sess(Digest) +Upgraded+v1 auth UTF-8"),
        Row(
            "Algorithm in lower case", #"Digest realm="r", nonce="n", algorithm=sha-256-SESS, qop=auth"#, expected: "SHA-256-sess(r) n auth"
        ),
        Row("qop without quotes", #"Digest realm="r", nonce="n", qop=auth"#, expected: "MD5(r) n auth"),
        Row("qop without quotes, two of them", #"Digest realm="r", nonce="n", qop=auth,auth-int"#, expected: "MD5(r) n auth"),
        Row(
            "qop with blanks and an unknown value (curl 388)", #"Digest realm="r", nonce="n", qop="crazy, auth""#,
            expected: "MD5(r) n auth"),
        Row("qop in upper case", #"Digest realm="r", nonce="n", qop="AUTH""#, expected: "MD5(r) n auth"),
        Row("An empty qop is none", #"Digest realm="r", nonce="n", qop="""#, expected: "MD5(r) n"),
        Row("Only an unknown qop", #"Digest realm="r", nonce="n", qop="crazy""#, expected: ""),
        Row("Only auth-int", #"Digest realm="r", nonce="n", qop="auth-int""#, expected: "MD5(r) n auth-int"),
        Row(
            "Names and numbers twice (curl 1437)", "Digest realm=\"testrealm\", algorithm=MD5, algorithm=MD5, nonce=1, nonce=2",
            expected: "MD5(testrealm) 2"),
        Row("A nonce in base64 without quotes", "Digest realm=r, nonce=abc+/==, qop=auth", expected: "MD5(r) abc+/== auth"),
        Row("No commas between parameters", #"Digest realm="r" nonce="n" qop="auth""#, expected: "MD5(r) n auth"),
        Row("No blanks behind commas", #"Digest realm="r",nonce="n",qop="auth",opaque="""#, expected: "MD5(r) n auth opaque="),
        Row("No nonce", #"Digest realm="r", qop="auth""#, expected: ""),
        Row("No parameters", "Digest", expected: ""),
        Row("An empty nonce", #"Digest realm="r", nonce="""#, expected: "MD5(r) "),
        Row("No realm", #"Digest nonce="n""#, expected: "MD5() n"),
        Row("SHA-512, which is not SHA-512/256 (httpbin)", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-512"#, expected: ""),
        Row(
            "An unknown algorithm before a known one", #"Digest realm="r", nonce="n", algorithm=SHA3"#,
            #"Digest realm="r", nonce="n", algorithm=MD5"#, expected: "MD5(r) n"),
        Row("A session without a qop", #"Digest realm="r", nonce="n", algorithm=MD5-sess"#, expected: ""),
        Row("A control character in the nonce", "Digest realm=\"r\", nonce=\"a\u{1}b\"", expected: ""),
        Row("A line break in the realm", "Digest realm=\"a\\\r\nb\", nonce=\"n\"", expected: ""),
        Row("Parameters in a field of their own (RFC 9110 section 5.3)", "Digest realm=\"r\"", "nonce=\"n\"", expected: "MD5(r) n"),
        // Several schemes
        Row("NTLM before Digest in one field (httparty)", #"NTLM, Digest realm="r", nonce="n""#, expected: "MD5(r) n"),
        Row("Negotiate with data before Basic in one field", #"Negotiate YWJjZGVm==, Basic realm="r""#, expected: "Basic(r)"),
        Row("Exchange: several fields", "Negotiate", "NTLM", #"Basic realm="mail.example.com""#, expected: "Basic(mail.example.com)"),
        Row(
            "Basic after parameters of Digest", #"Digest realm="d", nonce="n", qop="auth", Basic realm="b""#,
            expected: "MD5(d) n auth | Basic(b)"),
        Row(
            "RFC 9110 section 11.6.1", #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            expected: "Basic(simple)"),
        Row(
            "An unknown scheme first, with a parameter called like a scheme", #"Newauth basic="x", realm="n", Basic realm="b""#,
            expected: "Basic(b)"),
        Row("Bearer (RFC 6750)", #"Bearer realm="api", error="invalid_token", error_description="expired, log in""#, expected: ""),
        Row(
            "A registry: Bearer, then Basic", #"Bearer realm="https://auth.example/token",service="registry""#, #"Basic realm="registry""#,
            expected: "Basic(registry)"),
        Row("GitHub's and AWS's own schemes", "AWS4-HMAC-SHA256", #"GitHub-OTP; required, Basic realm="x""#, expected: "Basic(x)"),
        // Broken
        Row("Nothing", "", expected: ""),
        Row("No field", expected: ""),
        Row("Commas only", ",, ,", expected: ""),
        Row("A parameter without a scheme", #"realm="foo""#, expected: ""),
        Row("Nonsense before a challenge", #"@@@, "Basic", =x, Basic realm="r""#, expected: "Basic(r)"),
        Row("Nonsense behind a challenge", #"Basic realm="r" @@ "a, Digest nonce=x", ==="#, expected: "Basic(r)"),
        Row("The realm as if it were a token68", #"Basic realm "foo""#, expected: "Basic()"),
    ]

    @Test("The answerable challenges of the fields in the table are found, the strongest first", arguments: rows)
    func row(_ row: Row) {
        #expect(Self.summary(row.fields) == row.expected)
    }

    @Test("The table of challenges has at least forty rows, all different")
    func count() {
        #expect(Self.rows.count >= 40)
        #expect(Set(Self.rows.map { $0.fields.joined(separator: "\n") + "\n\($0.fields.count)" }).count == Self.rows.count)
    }

    @Test("auth-int alone is not answered for a body of unknown content, and auth is preferred where both are offered")
    func authInt() {
        let only = [#"Digest realm="r", nonce="n", qop="auth-int""#, #"Basic realm="b""#]
        #expect(Self.summary(only, body: .unknown) == "Basic(b)")
        #expect(Self.summary(only, body: .known(Data())) == "MD5(r) n auth-int | Basic(b)")
        #expect(Self.summary([#"Digest realm="r", nonce="n", qop="auth-int,auth""#], body: .unknown) == "MD5(r) n auth auth-int")
    }
}
