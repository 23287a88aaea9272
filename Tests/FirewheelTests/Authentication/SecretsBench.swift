import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A server that may get secrets, one of another origin that may not, and sessions whose descriptions are all recorded.
final class SecretsBench: Sendable {
    /// Reached as 127.0.0.1.
    private let homeServer: MockServer
    /// Reached as localhost: another host, because cookies ignore ports.
    private let awayServer: MockServer
    let printed = Printed()
    let folder: URL
    private let monitorQueue = DispatchQueue(label: "test.secrets")
    private let digest = DigestServer(users: [Secret.user: Secret.password], .secret { $0.algorithms = ["SHA-256", "MD5"] })
    private let covering = DigestServer(users: [Secret.user: Secret.password], .secret { $0.qop = "auth-int" })
    private let spoiling = DigestServer(
        users: [Secret.user: Secret.password],
        .secret {
            $0.sendsResponseAuth = true
            $0.spoilsResponseAuth = true
        })
    private let tries = Journal<String>()
    /// How many requests have been printed.
    private let turns = Locked(0)

    /// Prints each event with its context.
    private struct Monitor: EventMonitor {
        let printed: Printed
        let queue: DispatchQueue?

        func request(_ context: RequestContext, did event: RequestEvent) {
            printed.add("an event", event)
            printed.add("a context", context)
            print(context, event)
            if let metrics = context.metrics { printed.add("metrics of an event", metrics) }
        }

        private func print(_ items: Any...) { printed.add("a line of a log", items) }
    }

    private init() throws {
        homeServer = try MockServer()
        awayServer = try MockServer()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        homeServer.route("*") { [weak self] in self?.answer("", $0) ?? .status(410) }
        for path in ["basic", "digest", "covering", "spoiling", "token", "refresh", "flaky", "cookies", "broken", "silent", "odd"] {
            homeServer.route("/\(path)*") { [weak self] in self?.answer(path, $0) ?? .status(410) }
        }
        // It sends the same challenges as the other one.
        awayServer.route("*") { [weak self] request in
            let challenges = ["Basic realm=\"\(Secret.realm)\""] + (self?.digest.challenges(stale: false) ?? [])
            return .text("denied", status: 401, headers: challenges.map { ("WWW-Authenticate", $0) })
        }
    }

    /// Runs a test, and searches everything printed and everything sent to the other origin for secrets.
    static func run(sent: [String], _ body: (SecretsBench) async throws -> Void) async throws {
        let bench = try SecretsBench()
        defer {
            bench.homeServer.shutdown()
            bench.awayServer.shutdown()
            try? FileManager.default.removeItem(at: bench.folder)
        }
        try await body(bench)
        await bench.monitorQueue.drain()
        try await bench.check(sent: sent)
    }

    func home(_ path: String) -> String { homeServer.url(path) }
    func away(_ path: String) -> String { awayServer.url(path).replacing("127.0.0.1", with: "localhost") }

    // MARK: Looking

    /// - Parameter sent: Secrets that the server must have received, so that the search had something to find.
    private func check(sent: [String]) async throws {
        let toHome = try await homeServer.takeRequests(homeServer.requestCount)
        let toAway = try await awayServer.takeRequests(awayServer.requestCount)
        let texts = toHome.map { String(decoding: $0.head + $0.body, as: UTF8.self) }
        for secret in sent { #expect(texts.contains { $0.contains(secret) }, "\(secret) was never sent") }
        // Answers to challenges, in any form.
        let answers = Set(toHome.flatMap { $0.headerValues("Authorization") + $0.headerValues("Cookie") })
        let all = printed.all
        // One search in all texts together is much faster.
        if !Secret.found(in: all.keys.joined(separator: "\n"), others: answers).isEmpty {
            for (text, name) in all {
                let found = Secret.found(in: text, others: answers)
                #expect(found.isEmpty, "\(name) says \(found): \(text)")
            }
        }
        for request in toAway {
            let text = String(decoding: request.head + request.body, as: UTF8.self)
            let found = Secret.found(in: text, others: answers)
            #expect(found.isEmpty && request.header("Authorization") == nil, "the other origin was sent \(found): \(text)")
        }
        #expect(all.count > 50)
    }

    var awayCount: Int { awayServer.requestCount }

    // MARK: Making and printing

    func session(
        _ configuration: SessionConfiguration = .default, interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any RedirectHandler)? = nil
    ) -> Session {
        if let interceptor { printed.add("an interceptor", interceptor) }
        printed.add("a configuration", configuration)
        return Session(
            configuration: configuration, interceptor: interceptor, redirectHandler: redirectHandler,
            eventMonitors: [Monitor(printed: printed, queue: monitorQueue)])
    }

    func add(_ session: Session) {
        printed.add("a session", session)
        printed.add("its credentials", session.credentials)
        guard let jar = session.cookieJar else { return }
        printed.add("its jar", jar)
        for cookie in jar.cookies { printed.add("a cookie", cookie) }
    }

    /// Runs a request to its end, and prints it before, during and after.
    @discardableResult
    func end(_ request: DataRequest, meanwhile: (DataRequest) -> Void = { _ in }) async -> DataResponse<Data?> {
        begin(request)
        let queue = monitorQueue
        async let response = request.raw()
        meanwhile(request)
        add("response", of: await response)
        // Printing all of them takes long, so that usually the requests take turns.
        let turn = turns.withLock { turn in
            defer { turn += 1 }
            return turn
        }
        func isChosen(_ number: Int) -> Bool { TestDepth.isDeep || turn % 5 == number }
        if isChosen(0) { add("data", of: await request.serializingData().response) }
        if isChosen(1) { add("string", of: await request.serializingString().response) }
        if isChosen(2) { add("JSON", of: await request.serializingJSON().response) }
        if isChosen(3) { add("values", of: await request.serializingDecodable([String: String].self).response) }
        if isChosen(4) { add("numbers", of: await request.serializingDecodable([String: Int].self).response) }
        printed.add("a task", request.serializingString())
        conclude(request)
        await queue.drain()
        return await response
    }

    @discardableResult
    func end(_ request: DownloadRequest) async -> DownloadResponse<URL> {
        begin(request)
        let response = await request.serializingDownloadedFileURL().response
        let string = await request.serializingString().response
        for text in [response.description, response.debugDescription, string.description, string.debugDescription] {
            printed.add("a download's response", text)
        }
        printed.add("a download's response", response)
        printed.add("a download's response", string)
        if let error = response.error { printed.add("a download's error", error: error) }
        if let file = response.fileURL, file.path.hasPrefix(FileManager.default.temporaryDirectory.path) {
            try? FileManager.default.removeItem(at: file)
        }
        conclude(request)
        return response
    }

    private func begin(_ request: Request) {
        printed.add("a request that was not started", request)
        let printed = printed
        request.cURLDescription(on: monitorQueue) { printed.add("a command of curl", $0) }
        request.onURLRequestCreation(on: monitorQueue) { printed.add("a URL request's fields", $0.headers) }
        request.onHTTPResponse(on: monitorQueue) { printed.add("a response's fields", $0.headers) }
    }

    private func conclude(_ request: Request) {
        printed.add("a request", request)
        printed.add("a command of curl", request.cURLDescription())
        if let error = request.error { printed.add("a request's error", error: error) }
        for metrics in request.allMetrics { printed.add("metrics", metrics) }
    }

    private func add<Value>(_ name: String, of response: DataResponse<Value>) {
        printed.add("\(name): a response", response)
        printed.add("\(name): a response", response.debugDescription)
        printed.add("\(name): fields", response.headers)
        if let metrics = response.metrics { printed.add("\(name): metrics", metrics) }
        if let error = response.error { printed.add("\(name): an error", error: error) }
    }

    // MARK: The server that secrets are for

    private func answer(_ path: String, _ request: RecordedRequest) -> MockResponse {
        let basic = "Basic " + Data("\(Secret.user):\(Secret.password)".utf8).base64EncodedString()
        let cookies = [("Set-Cookie", "id=\(Secret.cookie); Path=/; HttpOnly"), ("Set-Cookie", "\(Secret.cookie)2; Secure=x")]
        switch path {
        case "basic":
            let challenge = [("WWW-Authenticate", "Basic realm=\"\(Secret.realm)\"")]
            return request.header("Authorization") == basic ? secrets(request) : MockResponse(status: 401, headers: challenge + cookies)
        case "digest": return digest.answer(request, secrets)
        case "covering": return covering.answer(request, secrets)
        case "spoiling": return spoiling.answer(request, secrets)
        case "token":
            return request.header("Authorization") == "Bearer \(Secret.laterToken)"
                ? secrets(request) : .json("{\"access_token\": \"\(Secret.token)\"}", status: 401)
        case "refresh":
            guard request.path == "/refresh" else { return .json("{\"refresh_token\": \"\(Secret.refreshToken)\"}", status: 400) }
            return .json("{\"access_token\": \"\(Secret.laterToken)\", \"refresh_token\": \"\(Secret.refreshToken)\"}")
        case "flaky":
            // Every other request.
            tries.add(request.path)
            let isEven = tries.entries.filter { $0 == request.path }.count.isMultiple(of: 2)
            return isEven ? secrets(request) : MockResponse(status: 503, headers: cookies)
        case "cookies": return MockResponse(status: 200, headers: cookies)
        case "broken": return secrets(request).failing(.closeInBody(after: 5))
        case "silent": return .failure(.noAnswer)
        case "odd": return .text("token=\(Secret.token)", headers: [("Content-Type", "application/x-www-form-urlencoded")] + cookies)
        default:
            guard request.path.hasPrefix("/go/"), let status = Int(request.path.dropFirst(4).prefix(3)) else { return secrets(request) }
            var response = MockResponse(status: status, headers: cookies)
            response.headers.append(("Location", request.path.hasSuffix("away") ? away("/there?shown=1") : "/here?token=\(Secret.token)"))
            return response
        }
    }

    private func secrets(_ request: RecordedRequest) -> MockResponse {
        let tokens = "\"access_token\": \"\(Secret.token)\", \"password\": \"\(Secret.key)\""
        return .json(
            "{\(tokens), \"shown\": \"yes\"}", headers: [("Set-Cookie", "here=\(Secret.cookie)"), ("X-Session-Token", Secret.token)])
    }
}

extension DigestServer.Options {
    fileprivate static func secret(_ change: (inout Self) -> Void) -> Self {
        var options = Self()
        options.realm = Secret.realm
        change(&options)
        return options
    }
}
