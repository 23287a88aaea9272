import Firewheel
import Foundation

// Interceptors that implement one async method, both or none. They compile as they are.

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Nothing: RequestInterceptor {}

struct Adapting: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }
}

actor Retrying: RequestInterceptor {
    func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .retry }
}

@MainActor final class Both: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }
    func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .retry }
}

/// For two libraries at once: each calls its own form.
struct BothForms: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }
    func adapt(_ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void) {}
}

extension RequestInterceptor where Self == Adapting {
    static var adapting: Adapting { Adapting() }
}

func use(_ interceptor: any RequestInterceptor, _ request: URLRequest, _ context: RequestContext) async throws {
    let session = Session(interceptor: .adapting)
    session.get("https://example.com/", interceptor: interceptor).interceptor(BothForms()).resume()
    let all: [any RequestInterceptor] = [Nothing(), Adapting(), Retrying(), .retryPolicy, .interceptor(adapters: [Adapting()])]
    for interceptor in all { _ = try await interceptor.adapt(request, for: context) }
    _ = await Nothing().retry(context, dueTo: CancellationError())
    _ = Interceptor(adapters: all, retriers: all, interceptors: all)
}

@MainActor func use() -> any RequestRetrier { Both() }
