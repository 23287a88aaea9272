import FirewheelTesting
import Foundation

@testable import Firewheel

/// A session with a cache, a clock that stands still, and a server that is a closure.
final class CacheBench: Sendable {
    typealias Answer = @Sendable (_ request: TransportRequest, _ number: Int) -> [StubTransport.Step]

    /// The time at first, in seconds since 1970.
    static let start: TimeInterval = 1_800_000_000

    private let now = Locked(CacheBench.start)
    let cache: HTTPCache
    let stub: StubTransport
    let session: Session
    let recorder = EventRecorder()

    /// - Parameters:
    ///   - folder: Where the cache is; nil for one in memory.
    ///   - usesCache: Whether the session has the cache.
    ///   - handler: Decides what is stored.
    ///   - answer: The steps of each exchange; the first has number 1.
    init(
        capacity: Int = 1 << 20, defaultFreshness: TimeInterval? = nil, configuration: SessionConfiguration = .default,
        in folder: CacheFolder? = nil, usesCache: Bool = true, handler: (any CachedResponseHandler)? = nil, _ answer: @escaping Answer
    ) {
        let now = now
        cache = CacheFolder.cache(in: folder, capacity: capacity, defaultFreshness: defaultFreshness, clock: { now.withLock { $0 } })
        let number = Locked(0)
        stub = StubTransport { request in
            answer(
                request,
                number.withLock { number in
                    number += 1
                    return number
                })
        }
        var configuration = configuration
        if usesCache { configuration.cache = cache }
        session = Session(
            configuration: configuration, transport: stub, cachedResponseHandler: handler, eventMonitors: [recorder])
    }

    /// Lets seconds pass.
    func wait(_ seconds: TimeInterval) { now.withLock { $0 += seconds } }

    /// Waits until the disk has what was received.
    func settle() { _ = cache.statistics }

    /// Sends a request and returns its response, whatever its status.
    func get(
        _ url: String = "http://cache.test/a", method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
        policy: URLRequest.CachePolicy? = nil
    ) async -> DataResponse<Data> {
        let request = session.request(url, method: method, headers: headers) { request in
            if let policy { request.cachePolicy = policy }
        }
        return await request.serializingData(emptyResponseCodes: Set(100...599)).response
    }

    /// The number of exchanges with the server.
    var count: Int { stub.requests.count }
}

extension [StubTransport.Step] {
    /// A complete response.
    static func of(_ body: String, status: Int = 200, _ fields: HTTPHeaders) -> [StubTransport.Step] {
        [.response(ResponseHead(statusCode: status, headers: fields)), .finish(body: Data(body.utf8))]
    }

    /// A complete response with some body.
    static func of(status: Int = 200, _ fields: HTTPHeaders) -> [StubTransport.Step] { of("body", status: status, fields) }
}
