import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The requests that the session's functions make of their arguments, as the transport receives them.
@Suite("What a session sends")
struct SessionRequestTests {
    private let url = "http://stub.test/path"

    /// Sends a request through a stub and returns what the transport received, or the error.
    static func send(
        _ configuration: SessionConfiguration = .default, _ make: (Session) -> DataRequest
    ) async -> Result<TransportRequest, FirewheelError> {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let session = Session(configuration: configuration, transport: stub)
        defer { withExtendedLifetime(session) {} }
        switch await make(session).serializingData().result {
        case .success: return .success(stub.requests[0])
        case .failure(let error):
            #expect(stub.requests.isEmpty)
            return .failure(error as? FirewheelError ?? FirewheelError(.sessionInvalidated, detail: "\(error)"))
        }
    }

    private func sent(_ configuration: SessionConfiguration = .default, _ make: (Session) -> DataRequest) async throws -> TransportRequest {
        try await Self.send(configuration, make).get()
    }

    private func body(_ request: TransportRequest) -> String? { request.body.map { String(decoding: $0, as: UTF8.self) } }

    @Test("A plain GET has the session's headers, no body and the configuration's timeouts")
    func plain() async throws {
        var configuration = SessionConfiguration.default
        configuration.timeoutIntervalForRequest = 7.5
        configuration.timeoutIntervalForResource = 100
        configuration.connectTimeout = 2.5
        configuration.maximumResponseBodySize = 1_000
        let now = MonotonicInstant.now()
        let request = try await sent(configuration) { $0.request(url) }
        #expect(request.method == .get && request.target.string == url && request.body == nil && request.allowsResend)
        #expect(request.headers == HTTPHeaders.default)
        #expect(request.idleTimeout == 7.5 && request.connectTimeout == 2.5 && request.maximumBodySize == 1_000)
        let seconds = try #require(request.deadline).seconds(since: now)
        #expect((99...160).contains(seconds))
    }

    @Test("A request's headers override the session's, without regard to case")
    func headers() async throws {
        var configuration = SessionConfiguration.default
        configuration.headers = ["X-Session": "1", "Accept": "a", "Authorization": "session"]
        let request = try await sent(configuration) { $0.request(url, headers: ["accept": "b", "X-Own": "2", "AUTHORIZATION": "own"]) }
        #expect(request.headers == ["X-Session": "1", "accept": "b", "AUTHORIZATION": "own", "X-Own": "2"])
        var given = try URLRequest(url: url, method: .get, headers: ["accept": "c"])
        given.timeoutInterval = 3
        let whole = try await sent(configuration) { $0.request(given) }
        #expect(whole.headers == ["X-Session": "1", "accept": "c", "Authorization": "session"] && whole.idleTimeout == 3)
    }

    struct Query: Encodable, Sendable {
        let page: Int
    }

    @Test("Parameters go into the query for GET, HEAD and DELETE, and as a form into the body of other methods")
    func verbs() async throws {
        let inQuery: [(HTTPMethod, (Session) -> DataRequest, (Session) -> DataRequest)] = [
            (.get, { $0.get(url, parameters: ["page": 2]) }, { $0.get(url, parameters: Query(page: 2)) }),
            (.head, { $0.head(url, parameters: ["page": 2]) }, { $0.head(url, parameters: Query(page: 2)) }),
            (.delete, { $0.delete(url, parameters: ["page": 2]) }, { $0.delete(url, parameters: Query(page: 2)) }),
        ]
        for (method, literal, encodable) in inQuery {
            for make in [literal, encodable] {
                let request = try await sent { make($0) }
                #expect(request.method == method && request.target.string == "\(url)?page=2" && request.body == nil)
                #expect(request.headers["Content-Type"] == nil)
            }
        }
        let inBody: [(HTTPMethod, (Session) -> DataRequest, (Session) -> DataRequest)] = [
            (.post, { $0.post(url, parameters: ["page": 2]) }, { $0.post(url, parameters: Query(page: 2)) }),
            (.put, { $0.put(url, parameters: ["page": 2]) }, { $0.put(url, parameters: Query(page: 2)) }),
            (.patch, { $0.patch(url, parameters: ["page": 2]) }, { $0.patch(url, parameters: Query(page: 2)) }),
        ]
        for (method, literal, encodable) in inBody {
            for make in [literal, encodable] {
                let request = try await sent { make($0) }
                #expect(request.method == method && request.target.string == url && body(request) == "page=2")
                #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
                #expect(request.allowsResend == (method == .put))
            }
        }
    }

    @Test("Requests without parameters send their method and no body")
    func bareVerbs() async throws {
        let all: [(HTTPMethod, (Session) -> DataRequest)] = [
            (.get, { $0.get(url) }), (.head, { $0.head(url) }), (.post, { $0.post(url) }), (.put, { $0.put(url) }),
            (.patch, { $0.patch(url) }), (.delete, { $0.delete(url) }),
        ]
        for (method, make) in all {
            let request = try await sent { make($0) }
            #expect(request.method == method && request.body == nil && request.target.string == url)
        }
    }

    @Test("encoder: .json and encoding: .json send JSON, from a literal and from a value")
    func json() async throws {
        let makes: [(Session) -> DataRequest] = [
            { $0.post(url, parameters: ["page": 2], encoding: .json) },
            { $0.post(url, parameters: Query(page: 2), encoder: .json) },
            { $0.request(url, method: .post, parameters: ["page": 2], encoding: JSONEncoding.default) },
            { $0.request(url, method: .post, parameters: Query(page: 2), encoder: JSONParameterEncoder.default) },
        ]
        for make in makes {
            let request = try await sent { make($0) }
            #expect(body(request) == #"{"page":2}"# && request.headers["Content-Type"] == "application/json")
        }
        let own = try await sent { $0.post(url, parameters: Query(page: 2), encoder: .json, headers: ["content-type": "application/x"]) }
        #expect(own.headers["Content-Type"] == "application/x")
    }

    @Test("A request modifier runs after URL, method and headers are set, and before parameters are encoded")
    func modifier() async throws {
        let seen = Journal<String>()
        let request = try await sent { session in
            session.post(
                url, parameters: ["a": 1], headers: ["X-A": "1"],
                requestModifier: { request in
                    seen.add("\(request.httpMethod ?? "") \(request.url?.path ?? "") \(request.headers["x-a"] ?? "")")
                    #expect(request.httpBody == nil)
                    request.httpMethod = "DELETE"
                    request.headers["X-A"] = "2"
                    request.timeoutInterval = 4.5
                })
        }
        #expect(seen.entries == ["POST /path 1"])
        #expect(request.method == .delete && request.target.string == "\(url)?a=1" && request.body == nil)
        #expect(request.headers["X-A"] == "2" && request.idleTimeout == 4.5)
    }

    @Test("A request modifier runs once, and not before the request is resumed")
    func modifierOnce() async throws {
        let calls = Journal<Int>()
        let bench = EngineBench()
        let request = bench.session.request(url, requestModifier: { _ in calls.add(1) })
        await bench.settle()
        #expect(calls.count == 0)
        request.resume()
        try await bench.started(request)
        #expect(calls.count == 1 && request.request?.url?.absoluteString == url)
    }

    @Test("A URLRequest is sent with its own method, headers, body and timeout")
    func given() async throws {
        var given = URLRequest(url: try url.asURL(), timeoutInterval: 9)
        given.httpMethod = "PATCH"
        given.headers = ["X-A": "1", "Content-Type": "text/plain"]
        given.httpBody = Data("body".utf8)
        let request = try await sent { $0.request(given) }
        #expect(request.method == .patch && request.idleTimeout == 9 && body(request) == "body")
        #expect(request.headers["X-A"] == "1" && request.headers["Content-Type"] == "text/plain" && request.headers["User-Agent"] != nil)
    }

    @Test("User information in a URL becomes Basic credentials, unless the request has an Authorization field")
    func userInfo() async throws {
        let request = try await sent { $0.request("http://us%65r:p%40ss@stub.test/") }
        #expect(request.target.string == "http://stub.test/")
        #expect(request.headers["Authorization"] == "Basic \(Data("user:p@ss".utf8).base64EncodedString())")
        let own = try await sent { $0.request("http://user:pass@stub.test/", headers: [.authorization(bearerToken: "t")]) }
        #expect(own.headers["Authorization"] == "Bearer t")
    }

    /// RFC 3986: square brackets and a lone percent sign may not occur in a path or query.
    @Test(
        "A URL is sent as the same text, whether or not the request goes through Foundation",
        arguments: ["a[b]", "?ids[]=1", "100%", "?q=%zz", "a|b"])
    func oneForm(text: String) async throws {
        let plain = try await sent { $0.request("http://stub.test/" + text) }
        let modified = try await sent { $0.request("http://stub.test/" + text, requestModifier: { _ in }) }
        #expect(plain.target.string == modified.target.string)
    }
}
