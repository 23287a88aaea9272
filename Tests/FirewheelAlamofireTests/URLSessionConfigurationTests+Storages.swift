import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// Cookies and credentials that a session shares with Foundation's storages.
extension URLSessionConfigurationTests {
    private static func cookie(_ name: String, _ value: String, _ more: [HTTPCookiePropertyKey: Any] = [:]) throws -> HTTPCookie {
        let properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: value, .domain: "a.test", .path: "/"]
        return try #require(HTTPCookie(properties: properties.merging(more) { $1 }))
    }

    /// The `Cookie` field of a request.
    private static func sent(_ settings: SessionSettings, _ url: String, setting cookies: String...) async throws -> String? {
        let fields = cookies.map { HTTPHeader(name: "Set-Cookie", value: $0) }
        let stub = StubTransport { _ in
            [.response(ResponseHead(statusCode: 200, headers: HTTPHeaders(received: fields))), .finish(body: Data("x".utf8))]
        }
        _ = try await Firewheel.Session(configuration: settings.configuration, transport: stub).get(url).serializingData().value
        return stub.requests.last?.headers["Cookie"]
    }

    @Test("Cookies of the storage are sent by the rules of HTTP, and those of responses come into it")
    func cookiesOfTheStorage() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.httpCookieStorage)
        storage.setCookie(try Self.cookie("before", "1"))
        let settings = SessionSettings(configuration)
        #expect(try await Self.sent(settings, "http://a.test/", setting: "server=2; Path=/; HttpOnly", "host=3; Path=/deep") == "before=1")
        let stored = Dictionary(uniqueKeysWithValues: (storage.cookies ?? []).map { ($0.name, $0) })
        #expect(stored.mapValues(\.value) == ["before": "1", "server": "2", "host": "3"])
        #expect(stored["server"]?.isHTTPOnly == true && stored["server"]?.domain == "a.test" && stored["host"]?.path == "/deep")

        storage.setCookie(try Self.cookie("later", "4", [.domain: ".a.test"]))
        storage.setCookie(try Self.cookie("secure", "5", [.secure: "TRUE"]))
        storage.setCookie(try Self.cookie("before", "6"))
        #expect(try await Self.sent(settings, "http://a.test/x") == "before=6; server=2; later=4")
        #expect(try await Self.sent(settings, "https://b.a.test/") == "later=4")
        #expect(try await Self.sent(settings, "https://a.test/")?.contains("secure=5") == true)
    }

    @Test("A cookie that the program deletes is not sent, and one that a server deletes leaves the storage")
    func cookiesDeleted() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.httpCookieStorage)
        let settings = SessionSettings(configuration)
        _ = try await Self.sent(settings, "http://a.test/", setting: "a=1", "b=2; Domain=a.test; Max-Age=1000")
        #expect(try await Self.sent(settings, "http://a.test/") == "a=1; b=2")
        storage.cookies?.filter { $0.name == "a" }.forEach(storage.deleteCookie)
        #expect(try await Self.sent(settings, "http://a.test/", setting: "b=; Domain=a.test; Max-Age=0") == "b=2")
        #expect(storage.cookies == [])
        #expect(try await Self.sent(settings, "http://a.test/") == nil)
    }

    @Test("A cookie that is not valid is not sent, and neither is the one that it replaces; both sides keep what they have")
    func cookiesInvalid() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.httpCookieStorage)
        storage.setCookie(try Self.cookie("a", "1"))
        storage.setCookie(try Self.cookie("b", "2"))
        let settings = SessionSettings(configuration)
        #expect(try await Self.sent(settings, "http://a.test/") == "a=1; b=2")
        storage.setCookie(try Self.cookie("a", "3; 4"))
        storage.setCookie(try Self.cookie("__Host-c", "5"))
        for _ in 0..<2 { #expect(try await Self.sent(settings, "http://a.test/") == "b=2") }
        #expect(storage.cookies?.count == 3)
    }

    @Test("Sessions of one configuration share its storage, and no other")
    func cookiesShared() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let (one, two) = (SessionSettings(configuration), SessionSettings(configuration))
        _ = try await Self.sent(one, "http://a.test/", setting: "a=1")
        #expect(try await Self.sent(two, "http://a.test/", setting: "a=2") == "a=1")
        #expect(try await Self.sent(one, "http://a.test/") == "a=2")
        #expect(try await Self.sent(SessionSettings(.ephemeral), "http://a.test/") == nil)
    }

    @Test("A redirect's cookie is sent with the next hop, and is in the storage before the response is handed over")
    func cookiesOfRedirects() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.httpCookieStorage)
        let stub = StubTransport { request in
            let isFirst = request.target.string == "http://a.test/login"
            let headers: HTTPHeaders = isFirst ? ["Set-Cookie": "sid=1", "Location": "/"] : ["Set-Cookie": "home=2"]
            return [.response(ResponseHead(statusCode: isFirst ? 302 : 200, headers: headers)), .finish(body: Data("x".utf8))]
        }
        let session = Firewheel.Session(configuration: SessionSettings(configuration).configuration, transport: stub)
        _ = try await session.get("http://a.test/login").serializingData().value
        #expect(stub.requests.map { $0.headers["Cookie"] } == [nil, "sid=1"])
        #expect(Set((storage.cookies ?? []).map(\.name)) == ["sid", "home"])
    }

    @Test("Without a storage cookies are neither sent nor stored")
    func cookiesOff() {
        let settings = Self.settings { $0.httpCookieStorage = nil }
        #expect(settings.problem == nil && settings.configuration.cookies.description == "off")
    }

    @Test("Cookies are only sent, only stored, or neither, as the policies say")
    func cookiePolicies() async throws {
        for (sends, policy) in [
            (true, HTTPCookie.AcceptPolicy.always), (true, .onlyFromMainDocumentDomain), (true, .never), (false, .always), (false, .never),
        ] {
            let configuration = URLSessionConfiguration.ephemeral
            let storage = try #require(configuration.httpCookieStorage)
            storage.setCookie(try Self.cookie("a", "1"))
            (configuration.httpShouldSetCookies, configuration.httpCookieAcceptPolicy) = (sends, policy)
            let settings = SessionSettings(configuration)
            #expect(settings.problem == nil)
            for _ in 0..<2 { _ = try await Self.sent(settings, "http://a.test/x", setting: "b=2") }
            let sent = try await Self.sent(settings, "http://a.test/")
            #expect(sent == (sends ? policy == .never ? "a=1" : "a=1; b=2" : nil))
            #expect(storage.cookies?.count == (policy == .never ? 1 : 2))
        }
    }

    @Test("Cookies and credentials are not part of dumps")
    func redacted() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage?.setCookie(try Self.cookie("a", "hunter2"))
        configuration.urlCredentialStorage?.setDefaultCredential(
            URLCredential(user: "ada", password: "hunter2", persistence: .forSession), for: Self.space(realm: nil))
        let settings = SessionSettings(configuration)
        let session = Firewheel.Session(configuration: settings.configuration, transport: StubTransport())
        var text = ""
        dump(settings, to: &text)
        dump(settings.shareCredentials(with: session), to: &text)
        #expect(!text.contains("hunter2"))
    }

    // MARK: Credentials

    private static func space(
        realm: String?, host: String = "a.test", protocol scheme: String = "http", method: String = NSURLAuthenticationMethodHTTPBasic
    ) -> URLProtectionSpace {
        URLProtectionSpace(
            host: host, port: scheme == "https" ? 443 : 80, protocol: scheme, realm: realm, authenticationMethod: method)
    }

    @Test("A challenge is answered with the storage's credential, as it is at that time")
    func credentials() async throws {
        let stub = StubTransport { request in
            let isAnswer = request.headers["Authorization"] != nil
            let head = ResponseHead(statusCode: isAnswer ? 200 : 401, headers: isAnswer ? [:] : ["WWW-Authenticate": "Basic realm=\"r\""])
            return [.response(head), .finish(body: Data("x".utf8))]
        }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.urlCredentialStorage)
        let settings = SessionSettings(configuration)
        let session = Firewheel.Session(configuration: settings.configuration, transport: stub)
        let bridge = settings.shareCredentials(with: session)
        #expect(bridge != nil)
        /// The `Authorization` field of a request's last hop.
        func sent(_ url: String = "http://a.test/") async throws -> String? {
            _ = await session.get(url).serializingData().response
            return try #require(stub.requests.last).headers["Authorization"]
        }
        func basic(_ user: String) -> String { "Basic \(Data("\(user):b".utf8).base64EncodedString())" }
        func credential(_ user: String) -> URLCredential { URLCredential(user: user, password: "b", persistence: .forSession) }

        #expect(try await sent() == nil)
        storage.setDefaultCredential(credential("ada"), for: Self.space(realm: "r"))
        storage.setDefaultCredential(credential("eve"), for: Self.space(realm: "other"))
        #expect(try await sent() == basic("ada"))
        #expect(try await sent("https://a.test/") == nil)
        #expect(try await sent("http://b.test/") == nil)
        storage.setDefaultCredential(credential("bob"), for: Self.space(realm: "r"))
        #expect(try await sent() == basic("bob"))
        #expect(try await sent() == basic("bob"))
        for (space, credentials) in storage.allCredentials {
            for credential in credentials.values { storage.remove(credential, for: space) }
        }
        #expect(try await sent() == nil)
        storage.setDefaultCredential(credential("cyd"), for: Self.space(realm: nil, host: "::1", protocol: "https"))
        #expect(try await sent("https://[::1]/") == basic("cyd"))
        withExtendedLifetime(bridge) {}
    }

    @Test("A password that is stored for Digest is not sent in the answer to Basic, unless it is stored for Basic as well")
    func credentialsForDigest() async throws {
        let stub = StubTransport { request in
            let digest = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            let challenge = request.target.string.hasSuffix("/digest") ? digest : "Basic realm=\"r\""
            let isAnswer = request.headers["Authorization"] != nil
            return [
                .response(ResponseHead(statusCode: isAnswer ? 200 : 401, headers: isAnswer ? [:] : ["WWW-Authenticate": challenge])),
                .finish(body: Data("x".utf8)),
            ]
        }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.urlCredentialStorage)
        let settings = SessionSettings(configuration)
        let session = Firewheel.Session(configuration: settings.configuration, transport: stub)
        let bridge = settings.shareCredentials(with: session)
        func scheme(_ path: String) async -> Substring? {
            _ = await session.get("http://a.test\(path)").serializingData().response
            return stub.requests.last?.headers["Authorization"]?.split(separator: " ").first
        }

        let credential = URLCredential(user: "ada", password: "b", persistence: .forSession)
        storage.setDefaultCredential(credential, for: Self.space(realm: "r", method: NSURLAuthenticationMethodHTTPDigest))
        #expect(await scheme("/basic") == nil)
        #expect(await scheme("/digest") == "Digest")
        let both = Self.space(realm: "r")
        storage.setDefaultCredential(credential, for: both)
        #expect(await scheme("/basic") == "Basic")
        storage.remove(credential, for: both)
        #expect(await scheme("/basic") == nil)
        #expect(await scheme("/digest") == "Digest")
        withExtendedLifetime(bridge) {}
    }

    @Test("Removing the credential of all realms leaves those of single ones")
    func credentialOfAllRealmsRemoved() async throws {
        let stub = StubTransport { request in
            let isAnswer = request.headers["Authorization"] != nil
            let head = ResponseHead(statusCode: isAnswer ? 200 : 401, headers: isAnswer ? [:] : ["WWW-Authenticate": "Basic realm=\"r\""])
            return [.response(head), .finish(body: Data("x".utf8))]
        }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.urlCredentialStorage)
        let settings = SessionSettings(configuration)
        let session = Firewheel.Session(configuration: settings.configuration, transport: stub)
        let bridge = settings.shareCredentials(with: session)
        let (credential, all) = (URLCredential(user: "ada", password: "b", persistence: .forSession), Self.space(realm: nil))
        storage.setDefaultCredential(credential, for: Self.space(realm: "r"))
        storage.setDefaultCredential(credential, for: all)
        storage.remove(credential, for: all)
        #expect(await session.get("http://a.test/").serializingData().response.response?.statusCode == 200)
        withExtendedLifetime(bridge) {}
    }

    @Test("A challenge without a realm is answered with the credential whose realm is the host, as URLSession does")
    func credentialsWithoutRealm() async throws {
        let stub = StubTransport { request in
            let isAnswer = request.headers["Authorization"] != nil
            let head = ResponseHead(statusCode: isAnswer ? 200 : 401, headers: isAnswer ? [:] : ["WWW-Authenticate": "Basic"])
            return [.response(head), .finish(body: Data("x".utf8))]
        }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.urlCredentialStorage)
        let settings = SessionSettings(configuration)
        let session = Firewheel.Session(configuration: settings.configuration, transport: stub)
        let bridge = settings.shareCredentials(with: session)
        func isAccepted() async -> Bool { await session.get("http://a.test/").serializingData().response.response?.statusCode == 200 }

        let credential = URLCredential(user: "ada", password: "b", persistence: .forSession)
        storage.setDefaultCredential(credential, for: Self.space(realm: "r"))
        #expect(await !isAccepted())
        storage.setDefaultCredential(credential, for: Self.space(realm: "a.test"))
        #expect(await isAccepted())
        for (space, credentials) in storage.allCredentials {
            for credential in credentials.values { storage.remove(credential, for: space) }
        }
        #expect(await !isAccepted())
        withExtendedLifetime(bridge) {}
    }

    @Test("Without a storage there are no credentials to share")
    func credentialsOff() {
        let settings = Self.settings { $0.urlCredentialStorage = nil }
        #expect(settings.problem == nil)
        let session = Firewheel.Session(configuration: settings.configuration, transport: StubTransport())
        #expect(settings.shareCredentials(with: session) == nil)
    }
}
