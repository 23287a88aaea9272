import FirewheelTesting
import Foundation

@testable import FirewheelAlamofire

struct Token: AuthenticationCredential, Hashable {
    var name = "a0"
    var requiresRefresh = false
}

enum RefreshFailure: Error {
    case noNetwork
}

/// Records its calls, and refreshes as a closure says.
final class TestAuthenticator: Authenticator {
    typealias Completion = @Sendable (Result<Token, any Error>) -> Void
    typealias Refresh = @Sendable (_ number: Int, @escaping Completion) -> Void

    let applied = Notes<Token>()
    let refreshed = Notes<Token>()
    let refused = Notes<Int>()
    let compared = Notes<Token>()
    private let onRefresh: Refresh

    /// - Parameter onRefresh: Given the number of the refresh, from 1. Default: completes at once with the token "a1" and so on.
    init(_ onRefresh: @escaping Refresh = { number, completion in completion(.success(Token(name: "a\(number)"))) }) {
        self.onRefresh = onRefresh
    }

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
        applied.add(credential)
        urlRequest.headers.update(.authorization(credential.name))
    }

    func refresh(
        _ credential: Token, for session: Session, completion: @escaping @Sendable (Result<Token, any Error>) -> Void
    ) {
        onRefresh(refreshed.add(credential), completion)
    }

    func didRequest(_ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error) -> Bool {
        refused.add(response.statusCode)
        return response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
        compared.add(credential)
        return urlRequest.headers["Authorization"] == credential.name
    }

    /// The numbers of calls of apply, refresh, didRequest and isRequest.
    var counts: [Int] { [applied.all.count, refreshed.all.count, refused.all.count, compared.all.count] }
}

extension StubTransport {
    /// Accepts some tokens, and answers 401 to all others.
    static func accepting(_ tokens: String...) -> StubTransport {
        StubTransport { tokens.contains($0.headers["Authorization"] ?? "") ? .text("fine") : .text("no", status: 401) }
    }
}

extension Session {
    /// A validated request.
    func get(_ interceptor: any RequestInterceptor) -> DataRequest {
        request("http://stub.test/", interceptor: interceptor).validate()
    }
}
