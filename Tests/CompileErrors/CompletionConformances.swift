// error: type 'Adapting' does not conform to protocol 'RequestAdapter'
// error: type 'Retrying' does not conform to protocol 'RequestRetrier'
import Firewheel
import Foundation

// The protocols of one half have no default.

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Adapting: RequestAdapter {
    func adapt(_ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void) {
        completion(.success(urlRequest))
    }
}

struct Retrying: RequestRetrier {
    func retry(_ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void) {
        completion(.retry)
    }
}
