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

    /// A session that shares a storage, over a server that asks each request for a credential.
    private struct Guarded {
        let storage: URLCredentialStorage
        let stub: StubTransport
        let session: Firewheel.Session
        private let bridge: CredentialStorageBridge

        /// - Parameter challenge: The `WWW-Authenticate` field of the answer to a URL.
        init(_ challenge: @escaping @Sendable (String) -> String = { _ in "Basic realm=\"r\"" }) throws {
            stub = StubTransport { request in
                let isAnswer = request.headers["Authorization"] != nil
                let fields: HTTPHeaders = isAnswer ? [:] : ["WWW-Authenticate": challenge(request.target.string)]
                return [
                    .response(ResponseHead(statusCode: isAnswer ? 200 : 401, headers: fields)), .finish(body: Data("x".utf8)),
                ]
            }
            let configuration = URLSessionConfiguration.ephemeral
            storage = try #require(configuration.urlCredentialStorage)
            let settings = SessionSettings(configuration)
            session = Firewheel.Session(configuration: settings.configuration, transport: stub)
            bridge = try #require(settings.shareCredentials(with: session))
        }

        /// The `Authorization` field of a request's last hop.
        func sent(_ url: String = "http://a.test/") async throws -> String? {
            _ = await session.get(url).serializingData().response
            return try #require(stub.requests.last).headers["Authorization"]
        }

        func removeAll() {
            for (space, credentials) in storage.allCredentials {
                for credential in credentials.values { storage.remove(credential, for: space) }
            }
        }
    }

    private static func credential(_ user: String) -> URLCredential {
        URLCredential(user: user, password: "b", persistence: .forSession)
    }

    private static func basic(_ user: String) -> String { "Basic \(Data("\(user):b".utf8).base64EncodedString())" }

    @Test("A challenge is answered with the storage's credential, as it is at that time")
    func credentials() async throws {
        let server = try Guarded()
        #expect(try await server.sent() == nil)
        server.storage.setDefaultCredential(Self.credential("ada"), for: Self.space(realm: "r"))
        server.storage.setDefaultCredential(Self.credential("eve"), for: Self.space(realm: "other"))
        #expect(try await server.sent() == Self.basic("ada"))
        #expect(try await server.sent("https://a.test/") == nil)
        #expect(try await server.sent("http://b.test/") == nil)
        server.storage.setDefaultCredential(Self.credential("bob"), for: Self.space(realm: "r"))
        #expect(try await server.sent() == Self.basic("bob"))
        #expect(try await server.sent() == Self.basic("bob"))
        server.removeAll()
        #expect(try await server.sent() == nil)
        server.storage.setDefaultCredential(Self.credential("cyd"), for: Self.space(realm: nil, host: "::1", protocol: "https"))
        #expect(try await server.sent("https://[::1]/") == Self.basic("cyd"))
    }

    @Test("A password that is stored for Digest is not sent in the answer to Basic, unless it is stored for Basic as well")
    func credentialsForDigest() async throws {
        let server = try Guarded { url in
            url.hasSuffix("/digest") ? "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"" : "Basic realm=\"r\""
        }
        let (credential, both) = (Self.credential("ada"), Self.space(realm: "r"))
        server.storage.setDefaultCredential(credential, for: Self.space(realm: "r", method: NSURLAuthenticationMethodHTTPDigest))
        #expect(try await server.sent("http://a.test/basic") == nil)
        #expect(try await server.sent("http://a.test/digest")?.hasPrefix("Digest ") == true)
        server.storage.setDefaultCredential(credential, for: both)
        #expect(try await server.sent("http://a.test/basic") == Self.basic("ada"))
        server.storage.remove(credential, for: both)
        #expect(try await server.sent("http://a.test/basic") == nil)
        #expect(try await server.sent("http://a.test/digest")?.hasPrefix("Digest ") == true)
    }

    @Test("Removing the credential of all realms leaves those of single ones")
    func credentialOfAllRealmsRemoved() async throws {
        let server = try Guarded()
        let (credential, all) = (Self.credential("ada"), Self.space(realm: nil))
        server.storage.setDefaultCredential(credential, for: Self.space(realm: "r"))
        server.storage.setDefaultCredential(credential, for: all)
        server.storage.remove(credential, for: all)
        #expect(try await server.sent() == Self.basic("ada"))
    }

    @Test("A challenge without a realm is answered with the credential whose realm is the host, as URLSession does")
    func credentialsWithoutRealm() async throws {
        let server = try Guarded { _ in "Basic" }
        server.storage.setDefaultCredential(Self.credential("ada"), for: Self.space(realm: "r"))
        #expect(try await server.sent() == nil)
        server.storage.setDefaultCredential(Self.credential("ada"), for: Self.space(realm: "a.test"))
        #expect(try await server.sent() == Self.basic("ada"))
        server.removeAll()
        #expect(try await server.sent() == nil)
    }

    @Test("Without a storage there are no credentials to share")
    func credentialsOff() {
        let settings = Self.settings { $0.urlCredentialStorage = nil }
        #expect(settings.problem == nil)
        let session = Firewheel.Session(configuration: settings.configuration, transport: StubTransport())
        #expect(settings.shareCredentials(with: session) == nil)
    }
}
