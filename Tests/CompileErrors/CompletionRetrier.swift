// error: Firewheel never calls retry(_:for:dueTo:completion:). Implement the async form: func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult
// error: Firewheel never calls retry(_:for:dueTo:completion:). Implement the async form: func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult
// error: Firewheel never calls retry(_:for:dueTo:completion:). Implement the async form: func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult
import Firewheel
import Foundation

// One half async, the other in Alamofire 5's form; a conformance in an extension; and a method of a protocol of the program's own.

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Half: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }

    func retry(_ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void) {
        completion(.retry)
    }
}

final class Later {}

extension Later: RequestInterceptor {
    func retry(_ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void) {
        completion(.retry)
    }
}

protocol Common: RequestInterceptor {}

extension Common {
    func retry(_ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void) {
        completion(.retry)
    }
}

struct Inheriting: Common {}
