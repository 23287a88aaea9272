import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The properties of a `URLRequest`: each is honored, or an error, or in the table of `Requests.md`.
@Suite("Properties of a URLRequest", .timeLimit(.minutes(5)))
struct URLRequestPropertyTests {
    /// Where the property is set.
    enum Place: CaseIterable { case urlRequest, modifier, adapter, redirectHandler }

    @Test(
        "A request that is not to handle cookies sends none and stores none, also after a redirect and a retry", arguments: Place.allCases)
    func cookies(place: Place) async throws {
        let stub = StubTransport { request in
            let path = request.target.string.dropFirst("http://a.test".count)
            let set = HTTPHeader(name: "Set-Cookie", value: "new\(path.dropFirst())=1; Path=/")
            let next = path == "/from" ? [HTTPHeader(name: "Location", value: "/to")] : []
            let status = path == "/from" ? 302 : request.id.attempt == 0 ? 503 : 200
            return [
                .response(ResponseHead(statusCode: status, headers: HTTPHeaders(received: next + [set]))), .finish(body: Data("x".utf8)),
            ]
        }
        let session = Session(transport: stub, interceptor: RetryPolicy(limit: 1, backoff: .constant(0)))
        let url = try #require(URL(string: "http://a.test/from"))
        session.cookieJar?.store(["old=1; Path=/"], from: url)
        var given = URLRequest(url: url)
        given.httpShouldHandleCookies = place != .urlRequest
        let request: DataRequest
        switch place {
        case .urlRequest: request = session.request(given)
        case .modifier: request = session.request(url) { $0.httpShouldHandleCookies = false }
        case .adapter: request = session.request(given).adapt { request, _ in request.httpShouldHandleCookies = false }
        case .redirectHandler:
            request = session.request(given).redirect(
                using: .modify { _, request, _ in
                    var request = request
                    request.httpShouldHandleCookies = false
                    return request
                })
        }
        let response = await request.validate().raw()
        #expect(response.statusCode == 200 && stub.requests.count == 4)
        let sent = stub.requests.map { $0.headers["Cookie"] }
        if place == .redirectHandler {
            // The first hop of each attempt handles them.
            #expect(sent == ["old=1", nil, "old=1; newfrom=1", nil])
            #expect(session.cookieJar?.cookies.map(\.name).sorted() == ["newfrom", "old"])
        } else {
            #expect(sent == [nil, nil, nil, nil])
            #expect(session.cookieJar?.cookies.map(\.name) == ["old"])
            #expect(request.request?.httpShouldHandleCookies == false)
        }
    }

    @Test("A Cookie field of one's own is sent without the jar, too")
    func ownField() async throws {
        let stub = StubTransport.text("x")
        var request = URLRequest(url: try #require(URL(string: "http://a.test/")))
        request.httpShouldHandleCookies = false
        request.headers.update(name: "Cookie", value: "own=1")
        _ = await Session(transport: stub).request(request).raw()
        #expect(stub.requests.map { $0.headers["Cookie"] } == ["own=1"])
    }

    @Test("A request that may only load from a cache is an error, and all other policies go to the server")
    func cachePolicy() async throws {
        let stub = StubTransport.text("x")
        let session = Session(transport: stub)
        var request = URLRequest(url: try #require(URL(string: "http://a.test/")))
        request.cachePolicy = .returnCacheDataDontLoad
        let response = await session.request(request).raw()
        #expect(kind(response.error) == .transportFailed(.resourceUnavailable) && stub.requests.isEmpty)
        let redirecting = StubTransport { _ in
            [.response(ResponseHead(statusCode: 302, headers: ["Location": "/to"])), .finish(body: Data())]
        }
        let proposed = Session(transport: redirecting).request("http://a.test/").redirect(
            using: .modify { _, request, _ in
                var request = request
                request.cachePolicy = .returnCacheDataDontLoad
                return request
            })
        #expect(kind(await proposed.raw().error) == .transportFailed(.resourceUnavailable) && redirecting.requests.count == 1)
        for policy in [.useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad] as [URLRequest.CachePolicy] {
            request.cachePolicy = policy
            #expect(await session.request(request).raw().text == "x")
        }
    }

    @Test("A timeout of 60 seconds, the default of a URLRequest, is the session's, whoever made the request", arguments: Place.allCases)
    func timeout(place: Place) async throws {
        let stub = StubTransport { request in
            let isFirst = request.target.string == "http://a.test/from"
            let head = isFirst ? ResponseHead(statusCode: 302, headers: ["Location": "/to"]) : ResponseHead(statusCode: 200)
            return [.response(head), .finish(body: Data("x".utf8))]
        }
        let session = Session(configuration: .with { $0.timeoutIntervalForRequest = 5 }, transport: stub)
        let url = try #require(URL(string: "http://a.test/from"))
        let request: DataRequest
        switch place {
        case .urlRequest: request = session.request(URLRequest(url: url))
        case .modifier: request = session.request(url) { $0 = URLRequest(url: $0.url ?? url) }
        case .adapter: request = session.request(url).adapt { request, _ in request = URLRequest(url: url) }
        case .redirectHandler:
            request = session.request(url).redirect(using: .modify { _, request, _ in request.url.map { URLRequest(url: $0) } })
        }
        #expect(await request.raw().text == "x")
        #expect(stub.requests.map(\.idleTimeout) == [5, 5])
    }
}
