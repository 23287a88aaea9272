import Firewheel
import Foundation

/// The server of one case.
protocol CacheSuiteHost: Sendable {
    /// The scheme and the authority of its URLs.
    var origin: String { get }
    /// The name of the case's resource, which is also its default content.
    var resource: String { get }

    /// The requests so far, in order.
    func seen() async throws(CacheSuiteJudge.Failure) -> [CacheSuiteRequest]
    /// Lets time pass for the server and the cache.
    func pause(seconds: Int) async
}

/// Plays one case of the suite: a session with a cache of its own against a server.
struct CacheSuiteRunner: Sendable {
    /// What became of a case, without regard to those it depends on.
    struct Run: Sendable {
        /// nil if it has passed.
        var failure: CacheSuiteJudge.Failure?
        /// Responses whose ``ResponseSource`` contradicts what the server has seen.
        var contradictions: [String] = []
    }

    private let test: CacheSuiteCase
    private let server: any CacheSuiteHost
    private let session: Session
    private let patience: TimeInterval

    /// - Parameters:
    ///   - session: It has a ``configuration(with:)``, and follows no redirects.
    ///   - patience: The seconds within which a request in the background must reach the server.
    init(_ test: CacheSuiteCase, server: any CacheSuiteHost, session: Session, patience: TimeInterval = 30) {
        self.test = test
        self.server = server
        self.session = session
        self.patience = patience
    }

    /// The configuration of a session that sends what the suite has, and nothing else.
    static func configuration(with cache: HTTPCache) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.cache = cache
        configuration.cookies = .off
        configuration.headers = [:]
        return configuration
    }

    /// Runs cases at once.
    ///
    /// - Returns: By id of the case.
    static func run(
        _ cases: [CacheSuiteCase],
        with runner: @escaping @Sendable (CacheSuiteCase) async throws(CacheSuiteJudge.Failure) -> CacheSuiteRunner
    ) async -> [String: Run] {
        await withTaskGroup(of: (String, Run).self) { group in
            for test in cases {
                group.addTask {
                    do throws(CacheSuiteJudge.Failure) {
                        return (test.id, await (try runner(test)).run())
                    } catch {
                        return (test.id, Run(failure: error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func run() async -> Run {
        var run = Run()
        let unknown = test.exchanges.flatMap(\.unknownMembers)
        guard unknown.isEmpty else {
            run.failure = .harness("the runner does not know \(unknown.joined(separator: ", "))")
            return run
        }
        do throws(CacheSuiteJudge.Failure) {
            try await play(&run)
        } catch {
            run.failure = error
        }
        return run
    }

    private func play(_ run: inout Run) async throws(CacheSuiteJudge.Failure) {
        let judge = CacheSuiteJudge(test: test, resource: server.resource)
        var responses: [CacheSuiteResponse] = []
        for (index, exchange) in test.exchanges.enumerated() {
            let response = try await response(to: exchange, number: index + 1)
            responses.append(response)
            let isSeen = try await server.seen().contains { $0.number == index + 1 }
            if let contradiction = contradiction(of: response, isSeen: isSeen, number: index + 1) {
                run.contradictions.append(contradiction)
            }
            if case .stale(_, because: .revalidating) = response.source { try await awaitRequest(number: index + 1) }
            try judge.checkResponse(response, number: index + 1)
            if exchange.pausesAfter { await server.pause(seconds: 3) }
        }
        try judge.checkServer(try await server.seen(), responses)
    }

    // MARK: - The client

    private func url(of exchange: CacheSuiteExchange) -> String {
        let path = exchange.fileName.map { "/\($0)" } ?? ""
        let query = exchange.query.map { "?\($0)" } ?? ""
        return "\(server.origin)/test/\(server.resource)\(path)\(query)"
    }

    private func response(to exchange: CacheSuiteExchange, number: Int) async throws(CacheSuiteJudge.Failure) -> CacheSuiteResponse {
        var modifier: RequestModifier?
        if let body = exchange.requestBody { modifier = { $0.httpBody = Data(body.utf8) } }
        // The mode of the Fetch API that asks the server about every stored response.
        if exchange.cacheMode == "no-cache" { modifier = { $0.cachePolicy = .reloadRevalidatingCacheData } }
        // The suite compares statuses and contents itself, so an empty content is no error.
        let text = DataResponseSerializer<String> { _, _, data, error in
            if let error { return .failure(error) }
            return .success(String(decoding: data ?? Data(), as: UTF8.self))
        }
        let response = await session.request(
            url(of: exchange), method: HTTPMethod(rawValue: exchange.method), headers: headers(of: exchange, number: number),
            requestModifier: modifier
        ).serializingResponse(using: text).response

        switch response.result {
        case .success(let text):
            // No case has this status for its own use.
            if response.statusCode == 409 { throw .harness("the server has no configuration for request \(number)") }
            return CacheSuiteResponse(status: response.statusCode, headers: response.headers, text: text, source: response.source)
        case .failure(let error):
            if let error = error as? FirewheelError, error.isTimeout { throw .harness("Request \(number): \(error)") }
            // Where any status is right after a lost connection, a proxy would answer with a 502, and a client fails.
            if exchange.disconnects, case .anything = exchange.expectedStatus { return CacheSuiteResponse() }
            throw .assertion("Request \(number) failed: \(error)")
        }
    }

    private func headers(of exchange: CacheSuiteExchange, number: Int) -> HTTPHeaders {
        // White space around a value is not part of it (RFC 9110 section 5.5).
        var fields = exchange.requestFields.map { field in
            let value = field.fixed(milliseconds: nil, base: nil, exchange).value
            return HTTPHeader(name: field.name, value: value.trimmingCharacters(in: .whitespaces))
        }
        fields.append(HTTPHeader(name: "Test-Name", value: test.name))
        fields.append(HTTPHeader(name: "Test-ID", value: test.id))
        fields.append(HTTPHeader(name: "Req-Num", value: "\(number)"))
        return HTTPHeaders(received: fields)
    }

    /// Waits for the background request of a response that is revalidated.
    private func awaitRequest(number: Int) async throws(CacheSuiteJudge.Failure) {
        let deadline = DispatchTime.now() + patience
        while try await !server.seen().contains(where: { $0.number == number }) {
            guard DispatchTime.now() < deadline else { throw .assertion("Response \(number) is not revalidated in the background") }
            try? await Task.sleep(nanoseconds: 10_000_000)
        }
    }

    private func contradiction(of response: CacheSuiteResponse, isSeen: Bool, number: Int) -> String? {
        // A failure has no source, and a cache that may not ask the server answers with a 504 of its own.
        guard let status = response.status, status != 504 else { return nil }
        let isRight =
            switch response.source {
            case .network, .revalidated: isSeen
            case .cache: !isSeen
            case .stale(_, let reason): reason == .revalidating || isSeen == (reason != .accepted)
            }
        return isRight
            ? nil : "\(test.id): response \(number) is from \(response.source), and the server has\(isSeen ? "" : " not") seen it"
    }
}
