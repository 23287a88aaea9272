import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// No secret is printed or sent to another origin, whatever a program does and whatever fails.
@Suite("Secrets are never printed or sent to another origin", .timeLimit(.minutes(5)))
struct SecretsTests {
    private static let basic = Data("\(Secret.user):\(Secret.password)".utf8).base64EncodedString()

    @Test("The test's search finds each secret in each of its encoded forms")
    func search() throws {
        let printed = Printed()
        struct Holder: Sendable {
            let inside = [Secret.token]
        }
        printed.add("a value", Holder())
        #expect(printed.all.keys.contains { !Secret.found(in: $0).isEmpty })
        for text in [Secret.password, "x%20\(Secret.encodedPassword)", "Basic \(Self.basic)", Secret.key.lowercased()] + Secret.hidden {
            #expect(!Secret.found(in: text).isEmpty, "\(text)")
        }
        #expect(Secret.found(in: "nothing") == [] && Secret.found(in: "an answer", others: ["answer"]) == ["answer"])
    }

    @Test("Passwords for Basic and Digest are never printed: a request's, a session's or a URL's, right or wrong")
    func passwords() async throws {
        try await SecretsBench.run(sent: [Self.basic, "Digest username=\"ann\"", "qop=auth-int"]) { bench in
            for path in ["/basic/a", "/digest/a", "/covering/a", "/spoiling/a"] {
                let session = bench.session()
                let own = bench.session()
                try session.credentials.set(username: Secret.user, password: Secret.password, for: bench.home("/"), realm: Secret.realm)
                try session.credentials.set(username: Secret.user, password: Secret.wrongPassword, for: bench.home("/"))
                let userInfo = bench.home(path).replacing("http://", with: "http://\(Secret.user):\(Secret.encodedPassword)@")
                for round in 0..<2 {
                    let body = Data("{\"password\": \"\(Secret.key)\(round)\"}".utf8)
                    await bench.end(session.request(bench.home(path)))
                    await bench.end(try session.sending(body, to: bench.home(path), headers: [.contentType("application/json")]))
                    await bench.end(own.request(bench.home(path)).authenticate(username: Secret.user, password: Secret.password))
                    await bench.end(own.request(userInfo))
                    await bench.end(own.download(bench.home(path)).authenticate(username: Secret.user, password: Secret.password))
                    let wrong = URLCredential(user: Secret.user, password: Secret.wrongPassword, persistence: .permanent)
                    await bench.end(own.request(bench.home(path)).authenticate(with: wrong).validate())
                    await bench.end(own.request(bench.home(path)).authenticate(username: "a:\(Secret.key)", password: "\(Secret.key)\r\n"))
                    bench.add(session)
                    bench.add(own)
                }
            }
        }
    }

    @Test("Tokens are never printed, whether refreshed, refused, or when the refresh fails")
    func tokens() async throws {
        try await SecretsBench.run(sent: [Secret.token, Secret.laterToken, Secret.refreshToken]) { bench in
            let refreshing = bench.session()
            for behavior in SecretAuthenticator.Behavior.allCases {
                let authenticator = SecretAuthenticator(behavior: behavior, session: refreshing, url: bench.home("/refresh"))
                let tokens = SecretTokens(access: Secret.token, refresh: Secret.refreshToken)
                let interceptor = AuthenticationInterceptor(
                    authenticator: authenticator, credential: behavior == .isMissing ? nil : tokens,
                    refreshWindow: RefreshWindow(interval: 30, maximumAttempts: behavior == .isExcessive ? 0 : 5),
                    refreshTimeout: behavior == .hangs ? 0.05 : 60)
                let session = bench.session(interceptor: .interceptor(retriers: [.retryPolicy(limit: 1)], interceptors: [interceptor]))
                bench.printed.add("an interceptor", interceptor)
                let url = bench.home("/token")
                let isAuthenticated = await bench.end(session.request(url).validate()).error == nil
                #expect(isAuthenticated == (behavior == .works))
                await bench.end(session.request(bench.home("/go/302/away")).validate())
                await bench.end(session.request(bench.home("/go/307/here")).validate())
                interceptor.credential = SecretTokens(access: Secret.token, refresh: Secret.refreshToken, requiresRefresh: true)
                await bench.end(session.download(url).validate())
                bench.printed.add("an interceptor", interceptor)
                bench.add(session)
            }
            bench.add(refreshing)
        }
    }

    @Test("Cookies are never printed: set by a server at any status, by hand, in a field, or in a jar's file")
    func cookies() async throws {
        try await SecretsBench.run(sent: ["id=\(Secret.cookie)", "mine=\(Secret.cookie)", "field=\(Secret.cookie)"]) { bench in
            let file = bench.folder.appendingPathComponent("jar")
            var configuration = SessionConfiguration()
            let jar = try CookieJar(file: file)
            configuration.cookies = .jar(jar)
            jar.store(Cookie(name: "mine", value: Secret.cookie, domain: "127.0.0.1", sameSite: .lax))
            let session = bench.session(configuration)
            for path in ["/cookies", "/basic", "/go/302/here", "/go/302/away", "/here", "/flaky/cookies"] {
                await bench.end(session.request(bench.home(path)))
                await bench.end(session.request(bench.home(path), headers: ["Cookie": "field=\(Secret.cookie)"]))
            }
            await bench.end(session.request(bench.away("/")))
            bench.add(session)
            try jar.flush()
            let content = try Data(contentsOf: file)
            #expect(!Secret.found(in: String(decoding: content, as: UTF8.self)).isEmpty)
            // Invalid cookie files, and places where no file can be.
            for change in [content.dropLast(20), content + content, Data("[\"\(Secret.cookie)\"]".utf8), Data(Secret.cookie.utf8)] {
                try change.write(to: file)
                bench.printed.add("a jar", error: #expect(throws: FirewheelError.self) { try CookieJar(file: file) } ?? Nothing())
            }
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            bench.printed.add("a jar", error: #expect(throws: FirewheelError.self) { try CookieJar(file: file) } ?? Nothing())
            jar.store(Cookie(name: "other", value: Secret.cookie, domain: "127.0.0.1"))
            bench.printed.add("a jar", error: #expect(throws: FirewheelError.self) { try jar.flush() } ?? Nothing())
            bench.printed.add("a jar", jar)
        }
    }

    @Test("Redirects print no secret and send none to another origin, however they are followed")
    func redirects() async throws {
        try await SecretsBench.run(sent: [Secret.token, Secret.cookie, Secret.key, Self.basic]) { bench in
            let elsewhere = try bench.away("/chosen").asURL()
            let handlers: [(any RedirectHandler)?] = [
                nil, .follow, .doNotFollow,
                .modify { context, request, response in
                    bench.printed.add("a handler's context", context)
                    return request
                },
                .modify { _, request, _ in
                    var request = request
                    request.url = elsewhere
                    return request
                },
                .modify { _, request, _ in throw FirewheelError(.createURLRequestFailed, request: request) },
                .modify { _, request, _ in
                    var request = request
                    request.url = URL(string: "ftp://\(Secret.user):\(Secret.encodedPassword)@127.0.0.1/")
                    return request
                },
                .modify { _, request, _ in
                    var request = request
                    request.httpBodyStream = InputStream(data: Data())
                    return request
                },
            ]
            for handler in handlers {
                let session = bench.session(redirectHandler: handler)
                for path in ["/go/301/here", "/go/302/away", "/go/307/away"] {
                    await bench.end(session.request(bench.home(path), headers: Secret.fields))
                    let url = bench.home(path).replacing("http://", with: "http://\(Secret.user):\(Secret.encodedPassword)@")
                    await bench.end(session.request(url + "?api_key=\(Secret.key)"))
                    await bench.end(session.download(bench.home(path)).authenticate(username: Secret.user, password: Secret.password))
                }
                // 303 drops the body.
                await bench.end(session.post(bench.home("/go/303/away"), parameters: ["password": Secret.password], headers: Secret.fields))
                // First after an answered challenge, then preemptively.
                for _ in 0..<2 {
                    await bench.end(
                        session.request(bench.home("/basic/then")).authenticate(username: Secret.user, password: Secret.password))
                    await bench.end(session.request(bench.home("/go/302/away")))
                }
                bench.add(session)
            }
            #expect(bench.awayCount > 20)
        }
    }

    @Test("Secrets in header fields, query items, forms and JSON are not printed, also through retries")
    func requests() async throws {
        try await SecretsBench.run(sent: [Secret.token, Secret.key, "password=Zq7Xk"]) { bench in
            let url = try bench.home("/base").replacing("http://", with: "http://\(Secret.user):\(Secret.encodedPassword)@").asURL()
            var configuration = SessionConfiguration()
            configuration.baseURL = url
            configuration.headers = .default.merging(["X-Api-Key": Secret.key, "Cookie": "session=\(Secret.cookie)"])
            let adapter = Adapter { request, context in
                bench.printed.add("an adapter's context", context)
                request.headers.add(.authorization(bearerToken: Secret.token))
                request.url?.append(queryItems: [URLQueryItem(name: "access_token", value: Secret.token)])
            }
            let retrier = Retrier { context, error in
                bench.printed.add("a retrier's context", context)
                bench.printed.add("a retrier's error", error: error)
                return context.retryCount < 1
                    ? .retryWithDelay(0.001) : .doNotRetryWithError(FirewheelError(.sessionInvalidated, request: context.request))
            }
            let session = bench.session(configuration, interceptor: .interceptor(adapters: [adapter], retriers: [retrier]))
            let secrets = ["password": Secret.password, "client_secret": Secret.key, "shown": "yes"]
            for path in ["flaky/1", "broken", "x?sig=\(Secret.key)#access_token=\(Secret.token)", "go/302/away"] {
                for method in [HTTPMethod.get, .post] {
                    await bench.end(session.request(path, method: method, parameters: secrets).validate())
                    await bench.end(session.request(path, method: .post, parameters: secrets, encoder: .json).validate())
                    await bench.end(session.download(path, method: method, parameters: secrets).validate())
                }
            }
            bench.add(session)
        }
    }

    @Test("Failures never print secrets: building, adapting, sending, timing out, validating, parsing, moving, cancelling")
    func failures() async throws {
        try await SecretsBench.run(sent: [Secret.token, Secret.key]) { bench in
            let session = bench.session()
            let userInfo = "http://\(Secret.user):\(Secret.encodedPassword)@"
            let deaf = try BoundSocket(listening: false)
            // Requests that cannot be built or sent.
            for url in [
                "\(userInfo)127.0.0.1:\(deaf.port)/?token=\(Secret.token)", "\(userInfo)127.0.0.1:99999/", "\(userInfo)",
                "ftp\(userInfo)a/",
                "http://\(Secret.user):\(Secret.password)@127.0.0.1/", "//\(Secret.key)@/",
            ] {
                await bench.end(session.request(url, headers: Secret.fields))
                await bench.end(session.download(url, headers: Secret.fields))
            }
            for url in ["\(userInfo)", "\(Secret.user):\(Secret.password)@127.0.0.1"] {
                let error = #expect(throws: FirewheelError.self) {
                    try session.credentials.set(username: Secret.user, password: Secret.password, for: url)
                }
                bench.printed.add("an error of a credential store", error: error ?? Nothing())
            }
            for headers in [["X-Api-Key": "\(Secret.key)\r\n"], ["Authorization": "\(Secret.token)\u{0}"]] as [HTTPHeaders] {
                await bench.end(session.request(bench.home("/x"), headers: headers))
            }
            await bench.end(
                session.get(bench.home("/x"), parameters: ["password": Double.nan, "token": Secret.token], encoding: JSONEncoding.default))
            await bench.end(session.post(bench.home("/x"), parameters: Unencodable(), encoder: .json))
            await bench.end(
                session.request(bench.home("/x"), headers: Secret.fields) { request in
                    throw FirewheelError(.createURLRequestFailed, request: request)
                })
            await bench.end(
                session.request(bench.home("/x"), headers: Secret.fields).adapt { request, _ in
                    throw URLError(
                        .userAuthenticationRequired, userInfo: [NSURLErrorFailingURLErrorKey: request.url as Any, "request": request])
                })
            // Requests that time out or are cancelled.
            let silent = bench.home("/silent?token=\(Secret.token)").replacing("http://", with: userInfo)
            await bench.end(session.request(silent, headers: Secret.fields).timeout(idle: 0.05))
            await bench.end(session.request(silent, headers: Secret.fields).timeout(total: 0.05))
            await bench.end(session.request(silent, headers: Secret.fields)) { $0.cancel() }
            await bench.end(session.request(silent, headers: Secret.fields).suspend()) { $0.resume().cancel() }
            await bench.end(session.request(bench.home("/broken"), headers: Secret.fields))
            // Responses that are refused or cannot be parsed.
            for path in ["/x?key=\(Secret.key)", "/odd"] {
                let url = bench.home(path)
                await bench.end(session.request(url, headers: Secret.fields).validate(statusCode: [299]))
                await bench.end(session.request(url, headers: Secret.fields).validate(contentType: ["image/png"]))
                await bench.end(
                    session.request(url, headers: Secret.fields).validate { request, response, _ in
                        .failure(FirewheelError(.createURLRequestFailed, request: request, response: response))
                    })
                await bench.end(session.request(url, headers: Secret.fields).onHTTPResponse { _ in .cancel })
                await bench.end(session.download(url, headers: Secret.fields).validate(statusCode: [299]))
                let missing = bench.folder.appendingPathComponent("no/such/folder")
                await bench.end(session.download(url, headers: Secret.fields, to: { _, _ in (missing, []) }))
            }
            bench.add(session)
            session.invalidate()
            await bench.end(session.request(bench.home("/x"), headers: Secret.fields))
            withExtendedLifetime(deaf) {}
        }
    }
}

private struct Nothing: Error {}

/// A value whose encoding throws an error that contains a secret.
private struct Unencodable: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(Secret.key, EncodingError.Context(codingPath: [], debugDescription: "no"))
    }
}
