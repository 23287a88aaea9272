import FirewheelTesting
import Foundation

@testable import Firewheel

/// A credential of one token. It is not `Equatable`, as most are not.
struct Token: AuthenticationCredential {
    var value: String
    var requiresRefresh = false
}

/// An authenticator whose refresh is a closure, and which keeps what it was asked to refresh.
final class TokenAuthenticator: Authenticator {
    typealias Refresh = @Sendable (Token, RequestContext) async throws -> Token

    /// The tokens of which a refresh began.
    let refreshed = Journal<String>()
    /// The requests of which it was asked whether they failed for their credential.
    let refused = Journal<URLRequest>()
    private let body: Refresh

    init(_ refresh: @escaping Refresh = { _, _ in Token(value: "new") }) { body = refresh }

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
        urlRequest.headers.update(.authorization(bearerToken: credential.value))
    }

    func refresh(_ credential: Token, for request: RequestContext) async throws -> Token {
        refreshed.add(credential.value)
        return try await body(credential, request)
    }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
        refused.add(urlRequest)
        return response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
        urlRequest.headers["Authorization"] == HTTPHeader.authorization(bearerToken: credential.value).value
    }
}

/// A server without sockets that accepts some tokens, and answers 401 without one of them.
final class TokenServer: Sendable {
    private let accepted: Locked<Set<String>>
    let transport: StubTransport

    init(accepting tokens: String...) {
        let accepted = Locked(Set(tokens))
        self.accepted = accepted
        transport = StubTransport { request in
            let token = request.headers["Authorization"]?.dropFirst("Bearer ".count)
            let isAccepted = token.map { token in accepted.withLock { $0.contains(String(token)) } } ?? false
            return Self.answer(isAccepted ? 200 : 401, isAccepted ? "fine" : "refused")
        }
    }

    static func answer(_ status: Int, _ body: String) -> [StubTransport.Step] {
        [.response(ResponseHead(statusCode: status)), .finish(body: Data(body.utf8))]
    }

    /// What was sent as `Authorization`, in the order of the requests.
    var tokens: [String?] { transport.requests.map { $0.headers["Authorization"] } }
}

/// A clock that a test moves, and whose timers it lets go off. It begins at the time at which it is made, as requests' own times are real.
final class ManualClock: Sendable {
    private struct State: Sendable {
        var seconds = 0.0
        var timers: [OneShot<Void>] = []
    }

    private let beginning = MonotonicInstant.now()
    private let state = Locked(State())
    let slept = Journal<TimeInterval>()

    func advance(by seconds: Double) { state.withLock { $0.seconds += seconds } }

    /// Lets all that sleeps wake up.
    func wake() {
        for timer in state.withLock({ $0.timers }) { timer.fulfill(()) }
    }

    var clock: RefreshClock {
        RefreshClock(
            now: { self.beginning.advanced(by: self.state.withLock(\.seconds)) },
            sleep: { seconds in
                let timer = OneShot<Void>()
                self.state.withLock { $0.timers.append(timer) }
                self.slept.add(seconds)
                await withTaskCancellationHandler {
                    await timer.value
                } onCancel: {
                    timer.fulfill(())
                }
                try Task.checkCancellation()
            })
    }
}

extension AuthenticationInterceptor {
    /// One whose time is a test's.
    convenience init(
        _ authenticator: A, _ credential: Credential?, window: Firewheel.RefreshWindow? = Firewheel.RefreshWindow(),
        timeout: TimeInterval = 60, retryLimit: Int = 10, clock: ManualClock
    ) {
        self.init(
            authenticator: authenticator, credential: credential, refreshWindow: window, refreshTimeout: timeout, retryLimit: retryLimit,
            clock: clock.clock)
    }
}

/// Why a request failed to be authenticated, wherever in its error that is said.
func reason(_ error: (any Error)?) -> FirewheelError.AuthenticationFailureReason? { error?.asFirewheelError?.authenticationFailureReason }
