import Foundation
import Testing

@testable import Firewheel

/// The client's Digest against the independent test server.
@Suite("Digest between client and test server")
struct DigestServerTests {
    private static let algorithms = ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess"]
        .filter { !$0.hasPrefix("SHA-512") || HashAlgorithm.sha512t256.obstacle == nil }
    private static let users = ["Mufasa": "Circle of Life", "Jäsøn Doe": "Secret, or not?", "a\"b\\c:d": "\"\\"]

    private func key(_ server: DigestServer, stale: Bool = false, user: String, password: String? = nil) throws -> DigestKey {
        let offered = OfferedChallenges(server.challenges(stale: stale), body: .known(nil))
        guard case .digest(let challenge) = try #require(offered.answerable.first) else { throw CredentialProblem.unknownBody }
        #expect(challenge.isStale == stale)
        let password = try #require(password ?? Self.users[user])
        return try DigestKey(challenge, username: user, password: password, cnonce: DigestKey.randomCnonce())
    }

    @Test(
        "With each algorithm, qop, userhash and body, right passwords are accepted and wrong ones refused",
        arguments: algorithms, ["auth", "auth-int", "auth,auth-int", "auth-int , auth", nil])
    func matrix(algorithm: String, qop: String?) throws {
        if qop == nil, algorithm.hasSuffix("-sess") { return }
        for userhash in [false, true] {
            var options = DigestServer.Options(algorithms: [algorithm], qop: qop, userhash: userhash)
            options.charset = userhash
            let server = DigestServer(users: Self.users, options)
            for user in Self.users.keys.sorted() {
                let key = try key(server, user: user)
                for (count, body) in [nil, Data("a body".utf8)].enumerated() {
                    let answer = try key.answer(
                        method: "POST", target: "/a/b?c=%22d%22&e", body: .known(body), nonceCount: UInt32(count) + 1)
                    let verdict = server.judge(
                        method: "POST", target: "/a/b?c=%22d%22&e", authorization: answer.fieldValue, body: body ?? Data())
                    #expect(verdict == .accepted(user: user, info: []), "\(user)")
                    if answer.qop == .authInt {
                        #expect(
                            server.judge(
                                method: "POST", target: "/a/b?c=%22d%22&e", authorization: answer.fieldValue, body: Data("changed".utf8))
                                == .refused)
                    }
                }
                let wrong = try self.key(server, user: user, password: "wrong")
                let answer = try wrong.answer(method: "GET", target: "/", body: .known(nil), nonceCount: 1)
                #expect(server.judge(method: "GET", target: "/", authorization: answer.fieldValue, body: Data()) == .refused)
            }
        }
    }

    @Test("A nonce is counted and becomes stale, and a repeated count is detected")
    func nonces() throws {
        let server = DigestServer(users: Self.users, DigestServer.Options(nonceUses: 3))
        let first = try key(server, user: "Mufasa")
        func judge(_ key: DigestKey, _ count: UInt32) throws -> DigestServer.Verdict {
            let answer = try key.answer(method: "GET", target: "/", body: .known(nil), nonceCount: count)
            return server.judge(method: "GET", target: "/", authorization: answer.fieldValue, body: Data())
        }
        let accepted = DigestServer.Verdict.accepted(user: "Mufasa", info: [])
        #expect(try judge(first, 1) == accepted)
        #expect(try judge(first, 1) == .replayed)
        #expect(try judge(first, 3) == accepted)
        #expect(try judge(first, 2) == accepted)
        #expect(try judge(first, 4) == .stale)
        #expect(try judge(try key(server, stale: true, user: "Mufasa"), 1) == accepted)
        server.forgetNonces()
        #expect(try judge(first, 5) == .stale)
        #expect(server.counts == DigestServer.Counts(accepted: 4, refused: 0, stale: 2, replayed: 1))
    }

    @Test(
        "The server's nextnonce is used afterwards, and a -sess key is kept (RFC 7616 section 3.4.2)", arguments: algorithms
    )
    func nextNonce(algorithm: String) throws {
        let server = DigestServer(users: Self.users, DigestServer.Options(algorithms: [algorithm], nonceUses: 1, sendsNextNonce: true))
        var key = try key(server, user: "Mufasa")
        for _ in 0..<5 {
            let answer = try key.answer(method: "GET", target: "/", body: .known(nil), nonceCount: 1)
            let verdict = server.judge(method: "GET", target: "/", authorization: answer.fieldValue, body: Data())
            guard case .accepted(_, let info) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            key = key.with(nonce: try #require(AuthenticationInfo(info).nextNonce))
        }
    }

    @Test("The client accepts the server's correct rspauth and no other", arguments: algorithms, [false, true])
    func proof(algorithm: String, isSpoiled: Bool) throws {
        let options = DigestServer.Options(algorithms: [algorithm], sendsResponseAuth: true, spoilsResponseAuth: isSpoiled)
        let server = DigestServer(users: Self.users, options)
        let key = try key(server, user: "Mufasa")
        for count in 1...3 as ClosedRange<UInt32> {
            let answer = try key.answer(method: "GET", target: "/x?y", body: .known(nil), nonceCount: count)
            #expect(
                server.judge(method: "GET", target: "/x?y", authorization: answer.fieldValue, body: Data())
                    == .accepted(user: "Mufasa", info: []))
            let proof = try #require(server.responseAuth(to: answer.fieldValue, body: Data("body".utf8)))
            #expect(try key.verify(AuthenticationInfo([proof]), of: answer) == (isSpoiled ? .mismatch : .verified))
        }
    }

    @Test("The test server refuses every malformed Digest answer")
    func strict() {
        let server = DigestServer(users: Self.users)
        for field in [
            "Basic YTpi", "Digest ", "Digest username=Mufasa", "Digest username=\"Mufasa\", username=\"Mufasa\"",
            "Digest username=\"Mufasa",
            "Digest qop=\"auth\"", "Digest username=\"a\", realm=\"b\", nonce=\"c\", uri=\"/\", response=\"0\", nc=00000001",
        ] {
            guard case .malformed = server.judge(method: "GET", target: "/", authorization: field, body: Data()) else {
                Issue.record("\(field)")
                continue
            }
        }
        #expect(server.counts.malformed.count == 7)
    }
}
