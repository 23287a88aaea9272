// error: Firewheel never calls adapt(_:for:completion:). Implement the async form: func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest
import Firewheel
import Foundation

// Alamofire 5's form of an interceptor that adapts.

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class Token: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void) {
        var request = urlRequest
        request.headers.add(.authorization(bearerToken: "token"))
        completion(.success(request))
    }
}
