import FirewheelTesting
import Foundation

@testable import Firewheel

/// A credential of one token. It is not `Equatable`, like most credentials.
struct Token: AuthenticationCredential {
    var value: String
    var requiresRefresh = false
}

/// An authenticator whose refresh is a closure, and which records its calls.
final class TokenAuthenticator: Authenticator {
    typealias Refresh = @Sendable (Token, RequestContext) async throws -> Token

    /// The tokens of started refreshes.
    let refreshed = Journal<String>()
    /// The requests that it was asked about after a 401.
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

/// A stub server that accepts some tokens and answers 401 to all others.
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

    /// The sent `Authorization` fields in order.
    var tokens: [String?] { transport.requests.map { $0.headers["Authorization"] } }
}

/// A clock that a test advances and whose timers it fires. It starts at the current time, because the times of requests are real.
final class ManualClock: Sendable {
    private struct State: Sendable {
        var seconds = 0.0
        var timers: [OneShot<Void>] = []
    }

    private let beginning = MonotonicInstant.now()
    private let state = Locked(State())
    let slept = Journal<TimeInterval>()

    func advance(by seconds: Double) { state.withLock { $0.seconds += seconds } }

    /// Fires all timers.
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
    /// Uses a manual clock.
    convenience init(
        _ authenticator: A, _ credential: Credential?, window: Firewheel.RefreshWindow? = Firewheel.RefreshWindow(),
        timeout: TimeInterval = 60, retryLimit: Int = 10, clock: ManualClock
    ) {
        self.init(
            authenticator: authenticator, credential: credential, refreshWindow: window, refreshTimeout: timeout, retryLimit: retryLimit,
            clock: clock.clock)
    }
}

/// The authentication failure in an error's chain.
func reason(_ error: (any Error)?) -> FirewheelError.AuthenticationFailureReason? { error?.asFirewheelError?.authenticationFailureReason }
