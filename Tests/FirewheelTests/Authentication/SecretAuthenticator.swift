import Firewheel
import Foundation

struct SecretTokens: AuthenticationCredential, Equatable {
    var access: String
    var refresh: String
    var requiresRefresh = false
}

/// An authenticator whose refresh succeeds, or fails in one of several ways.
struct SecretAuthenticator: Authenticator {
    enum Behavior: CaseIterable {
        case works, isRefused, isLost, throwsItself, hangs, returnsTheSame, cancels, isMissing, isExcessive
    }

    private struct Answer: Decodable, Sendable {
        let accessToken: String
        let refreshToken: String

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
        }
    }

    private struct Failure: Error {}

    let behavior: Behavior
    let session: Session
    let url: String

    func apply(_ credential: SecretTokens, to urlRequest: inout URLRequest) {
        urlRequest.headers.update(.authorization(bearerToken: credential.access))
    }

    func refresh(_ credential: SecretTokens, for request: RequestContext) async throws -> SecretTokens {
        switch behavior {
        case .throwsItself: throw Failure()
        case .returnsTheSame: return credential
        case .cancels: throw CancellationError()
        case .hangs: try await Task.sleep(nanoseconds: 60_000_000_000)
        case .works, .isRefused, .isLost, .isMissing, .isExcessive: break
        }
        let path = behavior == .isRefused ? url + "/refused" : behavior == .isLost ? url.replacing("/refresh", with: "/broken") : url
        let form = ["grant_type": "refresh_token", "refresh_token": credential.refresh]
        let answer = try await session.post(
            path, parameters: form, headers: [.authorization(username: Secret.user, password: Secret.password)]
        )
        .validate().serializingDecodable(Answer.self).value
        return SecretTokens(access: answer.accessToken, refresh: answer.refreshToken)
    }

    func didRequest(_ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error) -> Bool {
        response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: SecretTokens) -> Bool {
        urlRequest.headers["Authorization"] == HTTPHeader.authorization(bearerToken: credential.access).value
    }
}
