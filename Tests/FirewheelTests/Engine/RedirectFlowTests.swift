import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The client follows redirects, and every hop is a request of its own for the transport (RFC 9110 section 15.4, Fetch section 4.4).
@Suite("Redirects in the request engine", .timeLimit(.minutes(5)))
struct RedirectFlowTests {
    /// A stub that answers by path: `/302?http://other.test/` redirects there, and everything else is a 200 with the method as its body.
    private func stub() -> StubTransport {
        StubTransport { request in
            let text = request.target.string
            let path = text.split(separator: "/", maxSplits: 2).last ?? ""
            if let mark = path.firstIndex(of: "?"), let status = Int(path[..<mark]) {
                let location = String(path[path.index(after: mark)...])
                return [.response(ResponseHead(statusCode: status, headers: ["Location": location])), .finish(body: Data("moved".utf8))]
            }
            return [.response(ResponseHead(statusCode: 200)), .finish(body: Data(request.method.rawValue.utf8))]
        }
    }

    private let credentials: HTTPHeaders = ["Authorization": "secret", "Cookie": "a=b", "X-Own": "kept"]

    @Test(
        "Each redirect status sets the method and the body of the next hop",
        arguments: [
            (301, HTTPMethod.post, "GET", false), (302, .post, "GET", false), (303, .post, "GET", false), (303, .put, "GET", false),
            (303, .head, "HEAD", false), (301, .put, "PUT", true), (302, .delete, "DELETE", true), (307, .post, "POST", true),
            (308, .patch, "PATCH", true), (302, .get, "GET", false),
        ])
    func methodAndBody(status: Int, method: HTTPMethod, next: String, keepsBody: Bool) async throws {
        let stub = stub()
        let session = Session(transport: stub)
        var request = try URLRequest(url: "http://a.test/\(status)?/end", method: method)
        if method != .get && method != .head { request.httpBody = Data("body".utf8) }
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        _ = try await session.request(request).serializingString().value
        #expect(stub.requests.map(\.method.rawValue) == [method.rawValue, next])
        #expect(stub.requests.map(\.target.string).last == "http://a.test/end")
        #expect(stub.requests.last?.body == (keepsBody ? Data("body".utf8) : nil))
        let becameGET = next == "GET" && method != .get
        #expect(stub.requests.last?.headers["Content-Type"] == (becameGET ? nil : "text/plain"))
        withExtendedLifetime(session) {}
    }

    @Test("Credentials follow a redirect within the origin, and not to another host, port or scheme")
    func credentialsKept() async throws {
        for (location, isSame) in [
            ("/end", true), ("http://a.test/end", true), ("http://A.test:80/end", true), ("http://b.test/end", false),
            ("http://a.test:8080/end", false), ("https://a.test/end", false), ("http://sub.a.test/end", false), ("//b.test/end", false),
        ] {
            let stub = stub()
            let session = Session(transport: stub)
            _ = try await session.request("http://a.test/302?\(location)", headers: credentials).serializingString().value
            let headers = try #require(stub.requests.last?.headers)
            #expect(stub.requests.count == 2)
            #expect(headers["Authorization"] == (isSame ? "secret" : nil), "\(location)")
            #expect(headers["Cookie"] == (isSame ? "a=b" : nil), "\(location)")
            #expect(headers["X-Own"] == "kept", "\(location)")
            withExtendedLifetime(session) {}
        }
    }

    @Test("Each hop has its own metrics; the request is the first one's, the response the last one's")
    func hops() async throws {
        let stub = stub()
        let session = Session(transport: stub)
        let response = await session.request("http://a.test/302?http://b.test/307?http://c.test/end").serializingString().response
        #expect(response.value == "GET")
        #expect(response.request?.url?.absoluteString == "http://a.test/302?http://b.test/307?http://c.test/end")
        #expect(response.response?.url?.absoluteString == "http://c.test/end")
        let metrics = try #require(response.metrics)
        #expect(metrics.redirectCount == 2)
        #expect(metrics.transactionMetrics.map { $0.response?.statusCode } == [302, 307, 200])
        #expect(metrics.transactionMetrics.map { $0.request.url?.host } == ["a.test", "b.test", "c.test"])
        #expect(Set(stub.requests.map(\.id.request)).count == 1 && stub.requests.map(\.id.hop) == [0, 1, 2])
        withExtendedLifetime(session) {}
    }

    @Test("A redirect from https to http with a body is an error, and nothing is sent")
    func downgrade() async throws {
        let stub = stub()
        let session = Session(transport: stub)
        let error = await session.post("https://a.test/307?http://a.test/end", parameters: ["a": 1]).serializingData().response.error
        #expect(kind(error) == .transportFailed(.appTransportSecurityRequiresSecureConnection))
        #expect(error.map { "\($0)".contains("from https to http") } == true, "\(String(describing: error))")
        #expect(stub.requests.map(\.target.string) == ["https://a.test/307?http://a.test/end"])
        // Without a body, or if it is dropped, the redirect is followed.
        #expect(try await session.post("https://a.test/303?http://a.test/end", parameters: ["a": 1]).serializingString().value == "GET")
        #expect(try await session.get("https://a.test/307?http://a.test/end").serializingString().value == "GET")
        withExtendedLifetime(session) {}
    }

    @Test("Twenty redirects are followed, and the next one is an error")
    func limit() async throws {
        for (count, isFine) in [(20, true), (21, false)] {
            let stub = StubTransport { request in
                let left = count - request.id.hop
                let head = ResponseHead(statusCode: left > 0 ? 302 : 200, headers: ["Location": "/\(left)"])
                return [.response(head), .finish(body: Data("x".utf8))]
            }
            let session = Session(transport: stub)
            let result = await session.request("http://a.test/").serializingData().result
            #expect(kind(result) == (isFine ? nil : .transportFailed(.httpTooManyRedirects)))
            #expect(stub.requests.count == 21)
            withExtendedLifetime(session) {}
        }
    }

    @Test("A redirect to another scheme than http and https is an error, and nothing is sent")
    func otherScheme() async throws {
        for location in ["file:///etc/passwd", "ftp://a.test/", "javascript:alert(1)", "data:,x"] {
            let stub = stub()
            let session = Session(transport: stub)
            let result = await session.request("http://a.test/302?\(location)").serializingData().result
            #expect(kind(result) == .transportFailed(.unsupportedURL), "\(location)")
            #expect(stub.requests.count == 1)
            withExtendedLifetime(session) {}
        }
    }

    @Test("Request.response is the final response, never that of a followed redirect")
    func responseOnTheWay() async throws {
        let bench = EngineBench()
        let request = bench.session.download("http://a.test/").resume()
        try await bench.started(request)
        bench.transport.deliver((bench.id(request), .head(302, ["Location": "/next"])))
        await bench.settle()
        #expect(request.response == nil)
        bench.transport.deliver((bench.id(request), .end(302, ["Location": "/next"])))
        try await bench.started(request, 1)
        #expect(request.response == nil)
        bench.transport.deliver((bench.id(request, 1), .head(206)))
        await bench.settle()
        #expect(request.response?.statusCode == 206)
        request.cancel()
    }

    /// `response` is the final one. A request cancelled on its way has none, but a hop for each request that was sent.
    @Test("A request cancelled on its second hop has no response, and does not report the redirect as one")
    func cancelledOnSecondHop() async throws {
        let bench = EngineBench()
        let journal = Journal<DataResponse<Data>>()
        let request = bench.session.request("http://a.test/").responseData(queue: bench.handlers) { journal.add($0) }
        bench.transport.deliver((bench.id(request), .end(302, ["Location": "http://b.test/"])))
        try await bench.started(request, 1)
        request.cancel()
        let response = try await journal.wait(for: 1)[0]
        #expect(kind(response.error) == .explicitlyCancelled)
        #expect(response.statusCode == nil && response.response == nil)
        #expect(response.metrics?.transactionMetrics.map { $0.request.url?.host } == ["a.test", "b.test"])
    }
}
