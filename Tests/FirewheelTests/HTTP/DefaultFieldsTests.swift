import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Default header fields of a session")
struct DefaultFieldsTests {
    @Test(
        "User-Agent names the program and the library as products, and omits what is unknown",
        arguments: [
            ("app", "1.0", "app/1.0 "), ("app", nil, "app "), (nil, "1.0", ""), (nil, nil, ""),
            ("My App", "1.0 (beta)", "My_App/1.0_beta "),
            ("Übung", "2", "bung/2 "), ("日本", "1", ""), ("日本", nil, ""), ("a/b", "1/2", "a_b/1_2 "), ("app", "", "app "), ("", "1", ""),
            ("a\r\nX: 1", "1\u{0}", "a_X_1/1 "), ("x(y)", "{1}", "x_y/1 "), ("a.out", "1.2.3-rc+4", "a.out/1.2.3-rc+4 "),
        ] as [(String?, String?, String)])
    func agents(name: String?, version: String?, product: String) {
        let agent = HTTPHeader.userAgent(name: name, version: version)
        #expect(agent == "\(product)Firewheel/\(firewheelVersion)")
        for part in agent.split(separator: " ", omittingEmptySubsequences: false) {
            let tokens = part.split(separator: "/", omittingEmptySubsequences: false)
            #expect((1...2).contains(tokens.count) && tokens.allSatisfy(\.isHTTPToken), "\(agent)")
        }
    }

    @Test("This program's User-Agent consists of known products, and the library's has a numeric version")
    func own() throws {
        let agent = HTTPHeader.defaultUserAgent.value
        #expect(!agent.lowercased().contains("unknown"))
        #expect(try /([^ \/()]+(\/[^ \/()]+)? )?Firewheel\/\d+\.\d+\.\d+/.wholeMatch(in: agent) != nil, "\(agent)")
    }

    @Test(
        "Languages are read from the environment by gettext's rules",
        arguments: [
            ([:], []), (["LANG": ""], []), (["LANG": "C"], []), (["LANG": "POSIX"], []), (["LANG": "C.UTF-8"], []),
            (["LANG": "de_DE.UTF-8"], ["de-DE"]), (["LANG": "de"], ["de"]), (["LANG": "de_DE@euro"], ["de-DE"]),
            (["LANG": "sr_RS.UTF-8@latin"], ["sr-Latn-RS"]), (["LANG": "sr_RS", "LC_MESSAGES": "fr_FR"], ["fr-FR"]),
            (["LANG": "sr_RS", "LC_MESSAGES": "fr_FR", "LC_ALL": "it"], ["it"]), (["LANG": "sr_RS", "LC_ALL": ""], ["sr-RS"]),
            (["LANG": "de_DE", "LC_ALL": "C"], []), (["LANG": "de_DE", "LC_ALL": "C", "LANGUAGE": "fr"], []), (["LANGUAGE": "fr"], []),
            (["LANG": "de_DE", "LANGUAGE": "de_AT:de:en_GB.UTF-8:de_AT"], ["de-AT", "de", "en-GB"]),
            (["LANG": "de_DE", "LANGUAGE": ""], ["de-DE"]), (["LANG": "de_DE", "LANGUAGE": "C"], ["de-DE"]),
            (["LANG": "zh_Hans_CN"], ["zh-Hans-CN"]), (["LANG": "en_US\r\nX: 1"], []), (["LANG": "/usr/share/x"], []),
            (["LANG": "d"], []), (["LANG": "de__DE"], []), (["LANG": "@latin"], []), (["LANG": "."], []), (["LANG": "française"], []),
            (["LC_CTYPE": "de_DE.UTF-8"], []),
        ] as [([String: String], [String])])
    func languages(environment: [String: String], tags: [String]) {
        #expect(PreferredLanguages.tags(in: environment) == tags)
    }

    @Test(
        "A request for a range asks for no compression, unless the caller asks for it (Fetch, HTTP-network-or-cache fetch)",
        arguments: [
            (["Range": "bytes=0-9"], nil, "identity"), (["range": "bytes=0-9", "Accept-Encoding": "br"], nil, "br"),
            (["Range": "bytes=0-9"], "gzip", "gzip"), ([:], nil, HTTPHeader.defaultAcceptEncoding.value),
        ] as [([String: String], String?, String)])
    func range(own: [String: String], ofSession: String?, expected: String) async throws {
        var configuration = SessionConfiguration.default
        if let ofSession { configuration.headers.update(.acceptEncoding(ofSession)) }
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 206)), .finish()] }
        let session = Session(configuration: configuration, transport: stub)
        _ = await session.request("http://stub.test/", headers: HTTPHeaders(own)).raw()
        _ = await session.request("http://stub.test/").adapt { request, _ in request.headers = HTTPHeaders(own) }.raw()
        #expect(stub.requests.map { $0.headers.values(for: "Accept-Encoding") } == [[expected], [expected]])
    }

    #if os(Linux)
        @Test("Without a system language requests have no Accept-Language", .timeLimit(.minutes(5)))
        func noLanguage() async {
            await #expect(processExitsWith: .success) {
                for name in ["LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"] { unsetenv(name) }
                #expect(HTTPHeaders.default.map(\.name) == ["Accept-Encoding", "User-Agent"])
                #expect(HTTPHeader.defaultAcceptLanguage.value == "*")
                let request = try await SessionRequestTests.send { $0.request("http://stub.test/") }.get()
                #expect(request.headers["Accept-Language"] == nil)
            }
            await #expect(processExitsWith: .success) {
                setenv("LC_ALL", "C.UTF-8", 1)
                setenv("LANG", "de_DE.UTF-8", 1)
                #expect(HTTPHeaders.default["Accept-Language"] == nil)
            }
        }

        @Test("With system languages Accept-Language lists the first six with decreasing quality", .timeLimit(.minutes(5)))
        func someLanguages() async {
            await #expect(processExitsWith: .success) {
                setenv("LC_ALL", "de_AT.UTF-8", 1)
                setenv("LANGUAGE", "de_AT:de:fr:it:nl:en_GB:pl", 1)
                let value = "de-AT;q=1.0, de;q=0.9, fr;q=0.8, it;q=0.7, nl;q=0.6, en-GB;q=0.5"
                #expect(HTTPHeaders.default["Accept-Language"] == value && HTTPHeader.defaultAcceptLanguage.value == value)
                #expect(HTTPHeaders.default.map(\.name) == ["Accept-Encoding", "Accept-Language", "User-Agent"])
            }
        }
    #endif
}
