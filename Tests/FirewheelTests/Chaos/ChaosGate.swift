import FirewheelTesting
import Foundation

@testable import Firewheel

/// The server side of a trip's credentials: decides which requests are accepted, and makes the 401s of the others.
final class ChaosGate: Sendable {
    static let user = "mallory"

    private let scenario: ChaosScenario
    private let run: Int
    private let trip: Int
    private let digest: DigestServer
    private let wasStale = Locked(false)

    init(_ scenario: ChaosScenario, run: Int, trip: Int) {
        self.scenario = scenario
        self.run = run
        self.trip = trip
        var options = DigestServer.Options()
        options.realm = Self.realm(run, trip)
        options.qop = scenario.trips[trip].access.account?.scheme == .digestOfBody ? "auth-int" : "auth"
        // Limits preemptive credentials to their trip.
        options.domain = "/c/\(run)/\(trip)/ /e/\(run)/\(trip)/"
        digest = DigestServer(users: [Self.user: Self.password(run, trip)], options)
    }

    static func realm(_ run: Int, _ trip: Int) -> String { "run \(run), trip \(trip)" }
    static func password(_ run: Int, _ trip: Int, isRight: Bool = true) -> String { "\(isRight ? "right" : "wrong")-\(run)-\(trip)" }
    static func token(_ run: Int, _ trip: Int, isRight: Bool = true) -> String { "\(isRight ? "good" : "old")-\(run)-\(trip)" }

    /// Whether a request came to the other origin.
    static func isAbroad(_ request: RecordedRequest) -> Bool { request.header("Host")?.hasPrefix("localhost") == true }

    /// A field that sets a cookie whose value names its origin.
    static func cookie(_ name: String, isAbroad: Bool) -> (String, String) {
        ("Set-Cookie", "\(name)=\(isAbroad ? "abroad" : "home"); Path=/; HttpOnly")
    }

    /// The cookies of a request as received.
    static func cookies(_ request: RecordedRequest) -> [String] {
        request.headerValues("Cookie").flatMap { $0.components(separatedBy: "; ") }
    }

    /// The 401 for a request; nil if it is accepted.
    func denial(of request: RecordedRequest, hop: Int) -> MockResponse? {
        let access = scenario.trips[trip].access
        if access.tokens != nil, hop == 0 {
            return request.header("Authorization") == "Bearer \(Self.token(run, trip))" ? nil : denial(request, hop, [])
        }
        guard let account = access.account, account.challenged.contains(hop) else { return nil }
        if account.scheme == .basic {
            let right = "Basic " + Data("\(Self.user):\(Self.password(run, trip))".utf8).base64EncodedString()
            if request.header("Authorization") == right { return nil }
            return denial(request, hop, ["Basic realm=\"\(Self.realm(run, trip))\""])
        }
        switch verdict(on: request) {
        // A client repeats the same answer when its connection ends.
        case .accepted, .replayed:
            let isStale =
                account.isStale
                && wasStale.withLock { was in
                    defer { was = true }
                    return !was
                }
            return isStale ? denial(request, hop, digest.challenges(stale: true)) : nil
        case .refused, .stale: return denial(request, hop, digest.challenges(stale: false))
        case .malformed(let reason): return .text("malformed: \(reason)", status: 400)
        }
    }

    private func verdict(on request: RecordedRequest) -> DigestServer.Verdict {
        let field = request.header("Authorization")
        // The credentials of a URL are sent preemptively as Basic.
        let answer = field?.hasPrefix("Basic ") == true ? nil : field
        return digest.judge(method: request.method, target: request.target, authorization: answer, body: request.body)
    }

    private func denial(_ request: RecordedRequest, _ hop: Int, _ challenges: [String]) -> MockResponse {
        var response = MockResponse(status: 401, headers: challenges.map { ("WWW-Authenticate", $0) }, body: scenario.denial(trip, hop))
        response.headers.append(("Content-Type", "text/plain; charset=utf-8"))
        if scenario.trips[trip].access.setsCookies {
            response.headers.append(Self.cookie("t\(trip)c", isAbroad: Self.isAbroad(request)))
        }
        return response
    }
}

/// A token for an `AuthenticationInterceptor`, with an authenticator that refreshes it as the scenario says.
struct ChaosAuthenticator: Authenticator {
    struct Token: AuthenticationCredential {
        let value: String
        var requiresRefresh = false
    }

    private struct Refusal: Error {}

    let plan: ChaosScenario.Tokens
    let refreshed: String

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
        urlRequest.headers.update(.authorization(bearerToken: credential.value))
    }

    func refresh(_ credential: Token, for request: RequestContext) async throws -> Token {
        if plan.pause > 0 { try await Task.sleep(nanoseconds: UInt64(plan.pause) * 1000) }
        guard plan.isRefreshed else { throw Refusal() }
        return Token(value: refreshed)
    }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool { response.statusCode == 401 }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
        urlRequest.headers["Authorization"] == HTTPHeader.authorization(bearerToken: credential.value).value
    }
}

// MARK: - Client

extension ChaosScenario {
    /// The URL of a trip, with its credentials if they are in the URL.
    func url(_ url: String, run: Int, trip: Int) -> String {
        guard let account = trips[trip].access.account, account.holder == .url else { return url }
        let password = ChaosGate.password(run, trip, isRight: account.isRight)
        return url.replacing("://", with: "://\(ChaosGate.user):\(password)@")
    }

    /// Stores a session's credentials.
    func prepare(_ session: Session, run: Int, url: (_ trip: Int, _ isAbroad: Bool) -> String) throws {
        for (number, trip) in trips.enumerated() {
            guard let account = trip.access.account else { continue }
            let realm = ChaosGate.realm(run, number)
            func set(_ isAbroad: Bool, _ isRight: Bool) throws {
                let password = ChaosGate.password(run, number, isRight: isRight)
                try session.credentials.set(username: ChaosGate.user, password: password, for: url(number, isAbroad), realm: realm)
            }
            if account.holder == .session { try set(false, account.isRight) }
            if account.isKnownAbroad { try set(true, true) }
        }
    }

    /// Sets a request's own credentials.
    func prepare(_ request: Request, run: Int, trip: Int) {
        let access = trips[trip].access
        if let account = access.account, account.holder == .request || account.holder == .requestAlone {
            request.authenticate(
                username: ChaosGate.user, password: ChaosGate.password(run, trip, isRight: account.isRight),
                persistence: account.holder == .request ? .forSession : .none)
        }
        if let tokens = access.tokens {
            let token = ChaosAuthenticator.Token(
                value: ChaosGate.token(run, trip, isRight: tokens.need == .never), requiresRefresh: tokens.need == .known)
            let authenticator = ChaosAuthenticator(plan: tokens, refreshed: ChaosGate.token(run, trip))
            request.interceptor(AuthenticationInterceptor(authenticator: authenticator, credential: token))
        }
    }
}
