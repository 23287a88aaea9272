import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The questions of FirewheelError find their answer behind the errors of users.
@Suite("Properties of error chains")
struct ErrorChainTests {
    /// A user's error that says what is behind it as Foundation's do.
    private struct UsersError: Error, CustomNSError {
        let cause: any Error
        var errorUserInfo: [String: Any] { [NSUnderlyingErrorKey: cause] }
    }

    /// A user's error that keeps what is behind it to itself.
    private struct OpaqueError: Error {}

    private final class Ouroboros: Error, CustomNSError {
        var errorUserInfo: [String: Any] { [NSUnderlyingErrorKey: self] }
    }

    /// The ways in which one error can be behind another.
    private func wrappings(_ error: any Error) -> [FirewheelError] {
        let foundation = NSError(domain: "users", code: 1, userInfo: [NSUnderlyingErrorKey: error])
        return [
            FirewheelError(.createURLRequestFailed, underlyingError: error),
            FirewheelError(.createURLRequestFailed, underlyingError: UsersError(cause: error)),
            FirewheelError(.createURLRequestFailed, underlyingError: foundation),
            FirewheelError(.createURLRequestFailed, underlyingError: UsersError(cause: UsersError(cause: UsersError(cause: foundation)))),
            FirewheelError(
                .responseValidationFailed(.customValidationFailed),
                underlyingError: UsersError(cause: FirewheelError(.createURLRequestFailed, underlyingError: error))),
        ]
    }

    @Test("Every property of an error looks through underlying errors of every type")
    func walk() throws {
        for error in wrappings(FirewheelError(.explicitlyCancelled)) {
            #expect(error.isExplicitlyCancelled && error.urlErrorCode == .cancelled)
        }
        for error in wrappings(FirewheelError(.transportFailed(.timedOut))) { #expect(error.isTimeout && !error.isExplicitlyCancelled) }
        for error in wrappings(URLError(.networkConnectionLost)) { #expect(error.isConnectivity && !error.isTimeout) }
        for error in wrappings(NSError(domain: NSURLErrorDomain, code: -1003)) { #expect(error.urlErrorCode == .cannotFindHost) }
        for error in wrappings(FirewheelError(.responseValidationFailed(.unacceptableStatusCode(404)))) {
            #expect(error.responseCode == 404)
        }
        for error in wrappings(FirewheelError(.transportFailed(.serverCertificateUntrusted))) {
            #expect(error.isServerTrustEvaluationError)
        }
        let type = FirewheelError(.responseValidationFailed(.unacceptableContentType(acceptable: ["a/b"], received: "c/d")))
        for error in wrappings(type) { #expect(error.acceptableContentTypes == ["a/b"] && error.responseContentType == "c/d") }
        for error in wrappings(FirewheelError(.responseValidationFailed(.missingContentType(acceptable: ["a/b"])))) {
            #expect(error.acceptableContentTypes == ["a/b"] && error.responseContentType == nil)
        }
        for error in wrappings(FirewheelError(.responseSerializationFailed(.stringSerializationFailed(.utf16)))) {
            #expect(error.failedStringEncoding == .utf16)
        }
    }

    @Test("The nearest error in a chain determines a property")
    func nearest() {
        let inner = FirewheelError(.transportFailed(.timedOut))
        let outer = FirewheelError(.transportFailed(.networkConnectionLost), underlyingError: UsersError(cause: inner))
        #expect(outer.urlErrorCode == .networkConnectionLost && !outer.isTimeout)
    }

    @Test("A retrier's error and its causes take precedence over the failure that the retrier was asked about")
    func originalErrors() throws {
        let refused = FirewheelError(.responseValidationFailed(.unacceptableStatusCode(503)))
        let lost = FirewheelError(.transportFailed(.networkConnectionLost))
        func retryFailed(_ retrier: any Error, _ original: any Error) -> FirewheelError {
            FirewheelError(.requestRetryFailed, underlyingError: retrier, originalError: original)
        }
        #expect(retryFailed(OpaqueError(), refused).responseCode == 503)
        #expect(retryFailed(OpaqueError(), lost).isConnectivity)
        #expect(retryFailed(UsersError(cause: UsersError(cause: URLError(.timedOut))), lost).urlErrorCode == .timedOut)
        #expect(retryFailed(FirewheelError(.responseValidationFailed(.unacceptableStatusCode(401))), refused).responseCode == 401)
        #expect(retryFailed(lost, UsersError(cause: refused)).responseCode == 503)
        for error in wrappings(retryFailed(OpaqueError(), UsersError(cause: lost))) {
            #expect(error.urlErrorCode == .networkConnectionLost)
        }
        #expect(retryFailed(retryFailed(OpaqueError(), lost), refused).urlErrorCode == .networkConnectionLost)
        #expect(retryFailed(Ouroboros(), Ouroboros()).urlErrorCode == nil)
    }

    @Test("Facts about the exchange are added to an error, and replace nothing")
    func adding() throws {
        let error = FirewheelError(.requestRetryFailed, underlyingError: URLError(.timedOut), originalError: OpaqueError())
        let added = error.adding(request: try URLRequest(url: "http://stub.test/", method: .get), response: nil, responseData: Data([1]))
        #expect(added.kind == .requestRetryFailed && added.originalError is OpaqueError && added.underlyingError is URLError)
        #expect(added.request?.url?.host() == "stub.test" && added.responseData == Data([1]))
    }

    @Test("An unknown error has no properties, and a cyclic chain of errors ends")
    func unknown() {
        for error in wrappings(OpaqueError()) + wrappings(Ouroboros()) {
            #expect(!error.isExplicitlyCancelled && !error.isTimeout && !error.isConnectivity && !error.isServerTrustEvaluationError)
            #expect(error.urlErrorCode == nil && error.responseCode == nil && error.acceptableContentTypes == nil)
            #expect(error.responseContentType == nil && error.failedStringEncoding == nil)
        }
    }

    @Test("isServerTrustEvaluationError is true for the codes of certificate errors only")
    func certificates() {
        let codes: [URLError.Code] = [
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .serverCertificateUntrusted,
        ]
        for code in codes { #expect(FirewheelError(.transportFailed(code)).isServerTrustEvaluationError) }
        for code in [URLError.Code.secureConnectionFailed, .clientCertificateRequired, .timedOut] {
            #expect(!FirewheelError(.transportFailed(code)).isServerTrustEvaluationError)
        }
    }

    @Test("asFirewheelError converts any Error, in handlers and after await")
    func cast() async throws {
        let session = Session(transport: StubTransport { _ in [.response(ResponseHead(statusCode: 404)), .finish()] })
        let request = session.request("http://stub.test/").validate()
        let response = await request.serializingData().response
        #expect(response.error?.asFirewheelError?.responseCode == 404)
        do {
            _ = try await request.serializingData().value
            Issue.record("a 404 was accepted")
        } catch {
            #expect(error.asFirewheelError?.responseCode == 404)
        }
        #expect(OpaqueError().asFirewheelError == nil)
        withExtendedLifetime(session) {}
    }
}
