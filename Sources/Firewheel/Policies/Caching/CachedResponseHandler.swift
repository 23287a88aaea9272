import Foundation

/// Decides which responses a session's cache stores, and in which form. Without a handler all are stored that may be.
///
/// It is asked about each complete response to GET from the server that may be stored by RFC 9111 and is not too large, also about
/// redirects, before the request gets the end of the response. A request waits for the answer until its total timeout, which is seven
/// days unless it is set (``SessionConfiguration/timeoutIntervalForResource``). It is not asked about a response that came from the cache
/// or that the server has confirmed (304), nor in a session without a cache.
///
/// A response that is revalidated in the background (`stale-while-revalidate`) belongs to no request. The handler of the request that was
/// the reason is asked, perhaps after the end of the request or of its session, and its answer counts for a minute at most.
///
/// With ``SessionConfiguration/deduplicatesRequests`` its code must not wait for an identical request, which waits for it.
///
/// Its code needs the whole body in memory. A body of more than 64 MiB is therefore not stored while a handler is to be asked.
public protocol CachedResponseHandler: Sendable {
    /// Returns the response to store, or nil to store none.
    ///
    /// - Parameters:
    ///   - context: The state of the request when it was sent. Its `request` is the first one, before any redirect.
    ///   - response: The server's response, with its body as the request gets it. Its `response` is an `HTTPURLResponse`.
    /// - Returns: The same response, or another one. Its status, its header fields and its data count, and are judged like the server's:
    ///   one with `Cache-Control: no-store` is not stored. Fields that differ from the server's stay as they are when the server confirms
    ///   the response later, unless it says `no-store` then. Repeated fields are joined if they differ, as Foundation does.
    ///   `Content-Length` follows changed data, and is left out beside a `Content-Encoding`. A `storagePolicy` of `.notAllowed` stores
    ///   nothing, and `.allowedInMemoryOnly` nothing in a cache on disk. The `userInfo` is not kept.
    func willCache(_ context: RequestContext, _ response: CachedURLResponse) async -> CachedURLResponse?
}

/// Cached-response handlers for common cases.
///
/// ```swift
/// session.get("https://api.example.com/account").cacheResponse(using: .doNotCache)
/// ```
public struct ResponseCacher: CachedResponseHandler {
    enum Behavior: Sendable {
        case cache
        case doNotCache
        case modify(@Sendable (RequestContext, CachedURLResponse) async -> CachedURLResponse?)
    }

    /// Read by the engine, which avoids the call and its values where possible.
    let behavior: Behavior

    /// Whether it runs none of the caller's code.
    var isFixed: Bool {
        switch behavior {
        case .cache, .doNotCache: true
        case .modify: false
        }
    }

    public func willCache(_ context: RequestContext, _ response: CachedURLResponse) async -> CachedURLResponse? {
        switch behavior {
        case .cache: response
        case .doNotCache: nil
        case .modify(let modify): await modify(context, response)
        }
    }
}

extension CachedResponseHandler where Self == ResponseCacher {
    /// Stores the response if it may be stored, as without a handler.
    public static var cache: ResponseCacher { ResponseCacher(behavior: .cache) }

    /// Stores nothing, and changes nothing that is stored, except that it is removed if it is no longer current. A stored response may
    /// still be the answer: ``Request/cache(maxStale:onlyIfCached:)`` and the cache policy of the request decide that.
    public static var doNotCache: ResponseCacher { ResponseCacher(behavior: .doNotCache) }

    /// Calls a closure for each response that may be stored.
    ///
    /// - Parameter modify: Returns the response to store, or nil to store none; see ``CachedResponseHandler/willCache(_:_:)``.
    public static func modify(
        _ modify: @escaping @Sendable (RequestContext, CachedURLResponse) async -> CachedURLResponse?
    ) -> ResponseCacher {
        ResponseCacher(behavior: .modify(modify))
    }
}
