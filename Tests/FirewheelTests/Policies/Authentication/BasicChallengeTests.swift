import Foundation
import Testing

@testable import Firewheel

@Suite("Basic authentication challenges")
struct BasicChallengeTests {
    private func answer(_ user: String, _ password: String, _ field: String = "Basic realm=\"r\"") throws -> String {
        try #require(Challenge.parse([field]).first.flatMap(BasicChallenge.init)).fieldValue(username: user, password: password)
    }

    @Test("The examples of RFC 7617 sections 2 and 2.1 give the documented credentials")
    func examples() throws {
        #expect(try answer("Aladdin", "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(try answer("test", "123\u{A3}", "Basic realm=\"foo\", charset=\"UTF-8\"") == "Basic dGVzdDoxMjPCow==")
        // Without charset it is UTF-8 too, as in browsers.
        #expect(try answer("test", "123\u{A3}") == "Basic dGVzdDoxMjPCow==")
    }

    @Test("With charset=UTF-8 credentials are sent in composed form (NFC), without it as they were given")
    func composed() throws {
        #expect(try answer("a\u{308}", "", "Basic charset=utf-8") == "Basic w6Q6")
        #expect(try answer("a\u{308}", "") == "Basic YcyIOg==")
    }

    @Test("Passwords may contain colons and be empty, and user names may be empty")
    func colons() throws {
        #expect(try answer("", ":a:") == "Basic Ojph" + "Og==")
        #expect(try answer("", "") == "Basic Og==")
    }

    @Test("A user name with a colon or control character is refused by an error that does not show it")
    func refused() {
        func problem(_ user: String, _ password: String) -> CredentialProblem? {
            do { _ = try answer(user, password) } catch { return error as? CredentialProblem }
            return nil
        }
        #expect(problem("a:b", "secret") == .colonInUsername)
        for text in ["\u{0}", "a\r\nb", "\u{1F}", "\u{7F}", "\t"] {
            #expect(problem(text, "secret") == .controlCharacter(in: "user name"))
            #expect(problem("a", "secret" + text)?.description == "the password has a control character")
        }
    }
}
