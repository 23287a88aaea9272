import Firewheel
import Foundation
import Testing

/// Parameters arrive as an independent server parses them.
@Suite("httpbin: parameters", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinParameterTests {
    private struct Person: Codable, Sendable, Equatable {
        var name = "Zoë & Søn = 100 % + 🏊‍♀️"
        var age = 41
        var score = 0.25
        var member = true
        var tags = ["a", "b c"]
        var nested = ["k": "v"]
    }

    /// ``Person`` as a form, in which booleans are numbers and lists have brackets.
    private let form: [String: HTTPBinEcho<String>.Values] = [
        "name": "Zoë & Søn = 100 % + 🏊‍♀️", "age": "41", "score": "0.25", "member": "1", "tags[]": ["a", "b c"], "nested[k]": "v",
    ]

    private let parameters: Parameters = [
        "name": "Zoë & Søn = 100 % + 🏊‍♀️", "age": 41, "score": 0.25, "member": true, "tags": ["a", "b c"], "nested": ["k": "v"],
    ]

    private let session = Session()

    @Test("Parameters go into the query of GET and DELETE", arguments: [HTTPMethod.get, .delete])
    func query(method: HTTPMethod) async throws {
        let url = try TestServer.httpbin.url("/\(method.rawValue.lowercased())?x=1")
        let named = try await session.request(url, method: method, parameters: parameters).echo()
        let encoded = try await session.request(url, method: method, parameters: Person()).echo()
        for echo in [named, encoded] {
            #expect(echo.args == form.merging(["x": "1"]) { $1 })
            #expect(echo.headers["Content-Type"] == nil)
        }
        #expect(named.url == encoded.url)
    }

    @Test("Parameters go as a form into the body of POST, PUT and PATCH", arguments: [HTTPMethod.post, .put, .patch])
    func formBody(method: HTTPMethod) async throws {
        let url = try TestServer.httpbin.url("/\(method.rawValue.lowercased())?x=1")
        let named = try await session.request(url, method: method, parameters: parameters).echo()
        let encoded = try await session.request(url, method: method, parameters: Person()).echo()
        for echo in [named, encoded] {
            #expect(echo.form == form)
            #expect(echo.args == ["x": "1"])
            #expect(echo.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
        }
    }

    @Test("Parameters go as JSON into the body of POST, PUT, PATCH and DELETE", arguments: [HTTPMethod.post, .put, .patch, .delete])
    func jsonBody(method: HTTPMethod) async throws {
        let url = try TestServer.httpbin.url("/\(method.rawValue.lowercased())")
        let named = try await session.request(url, method: method, parameters: parameters, encoding: .json).echo(Person.self)
        let encoded = try await session.request(url, method: method, parameters: Person(), encoder: .json).echo(Person.self)
        for echo in [named, encoded] {
            #expect(echo.json == Person())
            #expect(echo.form == [:])
            #expect(echo.headers["Content-Type"] == "application/json")
        }
        #expect(named.data == encoded.data)
    }

    @Test("The caller may put a form into the body of DELETE and a query on POST")
    func otherDestination() async throws {
        let inBody = session.request(
            try TestServer.httpbin.url("/delete"), method: .delete, parameters: parameters, encoding: URLEncoding.httpBody)
        #expect(try await inBody.echo().form == form)
        let inQuery = session.request(
            try TestServer.httpbin.url("/post"), method: .post, parameters: parameters, encoding: URLEncoding.queryString)
        let echo = try await inQuery.echo()
        #expect(echo.args == form && echo.form == [:] && echo.data == "")
    }

    @Test("A body of bytes arrives unchanged")
    func bytes() async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        let url = try TestServer.httpbin.url("/post")
        let echo = try await session.sending(Data(text.utf8), to: url, headers: [.contentType("text/plain")]).echo()
        let isSame = echo.data == text
        #expect(isSame)
        #expect(echo.headers["Content-Length"] == "200000")
    }

    @Test("A path with characters that a URL may not contain arrives as meant")
    func path() async throws {
        let echo = try await session.request(try TestServer.httpbin.url("/anything/ä%20b/ü?q=ö")).echo()
        #expect(echo.args == ["q": "ö"])
        #expect(echo.url.hasSuffix("/anything/ä%20b/ü?q=ö"))
    }
}
