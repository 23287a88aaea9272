import Firewheel
import FirewheelTesting
import Foundation

extension ErrorTable {
    struct Opaque: Sendable {}

    /// Errors thrown by the caller's code.
    struct LockedKeyChain: Error, CustomStringConvertible {
        let description = "the key chain is locked"
    }

    private struct ThrowingEncoding: ParameterEncoding {
        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest { throw LockedKeyChain() }
    }

    static let url = "http://stub.test/"

    private static func changed(_ change: (inout URLRequest) -> Void) throws -> URLRequest {
        var request = URLRequest(url: try url.asURL())
        change(&request)
        return request
    }

    static let badURLs: [Failure] = [
        .unsent("The URL is empty") { $0.request("") },
        .unsent("The URL has no host") { $0.request("http:///path") },
        .unsent("The URL is relative, and the session has no base URL") { $0.request("/users") },
        .unsent("The URL has no scheme") { $0.request("localhost:8080/users") },
        .unsent("The URL's port is 0 or above 65535") { $0.request("http://stub.test:99999/") },
        .unsent("The URL's scheme is neither http nor https") { $0.request("ftp://stub.test/") },
        Failure("The first segment of a path below the baseURL has a colon") {
            let session = Session(configuration: .with { $0.baseURL = URL(string: url) }, transport: StubTransport { _ in [.finish()] })
            defer { withExtendedLifetime(session) {} }
            return await session.request("images:annotate").raw().error
        },
        .unsent("The URL has a character that no host may have") { $0.request("http://a b.test/") },
        .unsent(#"A path segment put in with \(segment:) is empty, . or .."#) { $0.request("http://stub.test/\(segment: "..")/x") },
    ]

    /// Requests that are not sent.
    static let unsent: [Failure] = [
        .unsent("The name of a header field is not a token") { $0.request(url, headers: ["X A": "1"]) },
        .unsent("The value of a header field has CR, LF or NUL") { $0.request(url, headers: ["X-A": "1\r\nX-B: 2"]) },
        .unsent("The method is not a token") { $0.request(url, method: HTTPMethod(rawValue: "GE T")) },
        .unsent("A GET has a body") { session in session.request(try changed { $0.httpBody = Data("x".utf8) }) },
        .unsent("A HEAD has a body") { session in
            session.request(
                try changed {
                    $0.httpMethod = "HEAD"
                    $0.httpBody = Data("x".utf8)
                })
        },
        .unsent("A URLRequest with a body stream was given to request(_:)") { session in
            session.request(
                try changed {
                    $0.httpMethod = "POST"
                    $0.httpBodyStream = InputStream(data: Data("x".utf8))
                })
        },
        .unsent("The cachePolicy allows no loading, without a cache") { session in
            session.request(try changed { $0.cachePolicy = .returnCacheDataDontLoad })
        },
        .cached("The cachePolicy allows no loading, and nothing is stored") { $0.requestCachePolicy = .returnCacheDataDontLoad },
        .unsent("cache(maxStale:onlyIfCached:) is called without a cache") { $0.request(url).cache(maxStale: 60) },
        .cached("deduplicatesRequests is set without a cache") {
            $0.cache = nil
            $0.deduplicatesRequests = true
        },
        .unsent("A request adapter throws") { $0.request(url, interceptor: .adapter { _, _ in throw LockedKeyChain() }) },
        .unsent("A request modifier throws") { $0.request(url, requestModifier: { _ in throw LockedKeyChain() }) },
        .unsent("Parameters cannot be encoded as JSON") { $0.post(url, parameters: ["a": Double.nan], encoding: .json) },
        .unsent("Parameters cannot be encoded as a URL-encoded form") { $0.get(url, parameters: ["a": Opaque()]) },
        .unsent("Parameters cannot be encoded as a property list") {
            $0.post(url, parameters: ["a": NSNull()], encoding: PropertyListEncoding.default)
        },
        .unsent("A parameter encoding of the caller's throws") { $0.request(url, parameters: ["a": 1], encoding: ThrowingEncoding()) },
        Failure("Parameters are encoded into a request without a URL") {
            var request = try changed { _ in }
            request.url = nil
            do {
                _ = try URLEncoding.queryString.encode(request, with: ["a": 1])
                return nil
            } catch {
                return error
            }
        },
    ]

    /// Requests that their own program ended.
    static let ended: [Failure] = [
        Failure("cancel() is called") {
            let session = Session(transport: StubTransport { _ in [] })
            let request = session.request(url)
            request.cancel()
            return await request.raw().error
        },
        Failure("The awaiting Task is cancelled") {
            let session = Session(transport: StubTransport { _ in [] })
            let task = Task { await session.request(url).serializingData().response.error }
            task.cancel()
            return await task.value
        },
        Failure("The session is invalidated") {
            let session = Session(transport: StubTransport { _ in [] })
            let request = session.request(url).resume()
            session.invalidate()
            return await request.raw().error
        },
        Failure("The session is released before the request is started") {
            let request = Session(transport: StubTransport { _ in [] }, startRequestsImmediately: false).request(url)
            return await request.raw().error
        },
    ]
}
