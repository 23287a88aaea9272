// error: member 'adapt' cannot be used on value of type 'any RequestInterceptor'
// error: cannot convert value of type 'Session' to expected argument type 'Never'
import Firewheel
import Foundation

// The completion form cannot be called either.

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

func adapt(_ request: URLRequest, by interceptor: any RequestInterceptor, for session: Session) {
    interceptor.adapt(request, for: session) { _ in }
}

func adapt(_ request: URLRequest, by policy: RetryPolicy, for session: Session) {
    policy.adapt(request, for: session) { _ in }
}
