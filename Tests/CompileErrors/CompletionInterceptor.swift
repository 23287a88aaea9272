// error: Firewheel never calls adapt(_:for:completion:). Implement the async form: func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest
// error: Firewheel never calls retry(_:for:dueTo:completion:). Implement the async form: func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult
import Firewheel
import Foundation

// Alamofire 5's form of an interceptor that adapts and retries, as Alamofire 5.10 and later declare it.

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Renewal: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void) {
        completion(.success(urlRequest))
    }

    func retry(_ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void) {
        completion(request.retryCount < 3 ? .retry : .doNotRetry)
    }
}
