import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A redirect handler's target follows the same rules as a Location: no body from https to http, and no credentials to another origin.
@Suite("Redirect targets chosen by redirect handlers", .timeLimit(.minutes(5)))
struct RedirectTargetTests {
    /// Answers the first hop with a redirect, and all others with 200.
    private func transport(_ status: Int = 302, to location: String = "/next") -> StubTransport {
        StubTransport { request in
            if request.id.hop > 0 { return [.response(ResponseHead(statusCode: 200)), .finish(body: Data("there".utf8))] }
            return [.response(ResponseHead(statusCode: status, headers: ["Location": location])), .finish()]
        }
    }

    /// Leads each redirect to one URL, with the given body.
    private struct Leading: RedirectHandler {
        let url: String
        let body: String?

        func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest? {
            var request = request
            request.url = URL(string: url)
            request.httpMethod = "POST"
            request.httpBody = body.map { Data($0.utf8) }
            return request
        }
    }

    // MARK: From https to http

    struct Downgrade: Sendable, CustomTestStringConvertible {
        let status: Int
        let location: String
        /// nil keeps the redirect's body.
        var body: String?

        var testDescription: String { "\(status) to \(location), then to http with \(body.map { "the body \($0)" } ?? "its own body")" }
    }

    private static let insecure = "http://a.test/insecure"

    @Test(
        "A body that a redirect handler puts back is not sent from https to http",
        arguments: [
            Downgrade(status: 302, location: "/next", body: "a=1"),
            // The redirect's own target is http already, which is allowed without a body.
            Downgrade(status: 302, location: insecure, body: "a=1"),
            Downgrade(status: 303, location: "http://b.test/", body: "other"),
            // The redirect keeps the body and stays on https.
            Downgrade(status: 307, location: "/next"),
            Downgrade(status: 308, location: "https://b.test/"),
        ], [false, true])
    func downgrade(row: Downgrade, isModified: Bool) async throws {
        let transport = transport(row.status, to: row.location)
        let request = Session(transport: transport).post("https://a.test/", parameters: ["a": 1])
        if isModified {
            request.redirect(
                using: .modify { _, request, _ in
                    var request = request
                    request.url = URL(string: Self.insecure)
                    request.httpMethod = "POST"
                    if let body = row.body { request.httpBody = Data(body.utf8) }
                    return request
                })
        } else {
            request.redirect(using: Leading(url: Self.insecure, body: row.body ?? "a=1"))
        }
        let error = try #require(await request.serializingString().response.error as? FirewheelError)
        #expect(error.kind == .transportFailed(.appTransportSecurityRequiresSecureConnection))
        #expect("\(try #require(error.underlyingError))".contains("from https to http"))
        #expect(transport.requests.map(\.target.string) == ["https://a.test/"])
        // The redirect's body is not requested, because the request has failed.
        #expect(!transport.calls.contains(.proceed(transport.requests[0].id, .deliver)))
    }

    @Test("A download whose redirect handler sends a body from https to http fails, and leaves no file")
    func download() async throws {
        let transport = transport()
        let request = Session(transport: transport).download("https://a.test/", method: .post, parameters: ["a": 1])
            .redirect(using: Leading(url: Self.insecure, body: "a=1"))
        let response = await request.serializingDownloadedFileURL().response
        #expect(kind(response.error) == .transportFailed(.appTransportSecurityRequiresSecureConnection))
        #expect(response.fileURL == nil && transport.requests.count == 1)
    }

    @Test("A redirect handler may drop the body from https to http, and may send one in all other cases")
    func allowed() async throws {
        for (from, to, body) in [
            ("https", "http", nil), ("https", "http", ""), ("https", "https", "a=1"), ("http", "http", "a=1"), ("http", "https", "a=1"),
        ] {
            let transport = transport()
            let request = Session(transport: transport).post("\(from)://a.test/", parameters: ["a": 1])
                .redirect(using: Leading(url: "\(to)://a.test/there", body: body))
            #expect(try await request.serializingString().value == "there")
            let sent = try #require(transport.requests.last)
            #expect(sent.target.string == "\(to)://a.test/there" && sent.method == .post)
            #expect((sent.body ?? Data()) == Data((body ?? "").utf8), "\(from) to \(to)")
        }
    }

    // MARK: To another origin

    private static let credentials: HTTPHeaders = [
        "Authorization": "Bearer own", "Cookie": "own=1", "X-Api-Key": "own", "PRIVATE-TOKEN": "own", "X-Plain": "p",
    ]

    private func fields(
        to location: String = "/next", leadingTo url: String, _ change: @escaping @Sendable (inout URLRequest) -> Void = { _ in }
    ) async throws -> HTTPHeaders {
        let transport = transport(to: location)
        let request = Session(transport: transport).request("http://a.test/", headers: Self.credentials).redirect(
            using: .modify { _, request, _ in
                var request = request
                request.url = URL(string: url)
                change(&request)
                return request
            })
        #expect(try await request.serializingString().value == "there")
        let sent = try #require(transport.requests.last)
        #expect(sent.id.hop == 1 && sent.target.string == url)
        return sent.headers
    }

    @Test(
        "A redirect handler that leads to another host, port or scheme sends no credentials there",
        arguments: ["http://b.test/", "http://a.test:8080/", "https://a.test/", "http://sub.a.test/"])
    func otherOrigin(url: String) async throws {
        let sent = try await fields(leadingTo: url)
        for name in Self.credentials.map(\.name) where name != "X-Plain" { #expect(sent[name] == nil, "\(name)") }
        #expect(sent["X-Plain"] == "p")
    }

    @Test("Credentials that a redirect handler sets itself are sent to another origin")
    func ownCredentials() async throws {
        let sent = try await fields(leadingTo: "http://b.test/") { request in
            request.headers.update(.authorization(bearerToken: "for b"))
            request.headers.update(name: "X-Auth-Token", value: "new")
        }
        #expect(sent["Authorization"] == "Bearer for b" && sent["X-Auth-Token"] == "new")
        #expect(sent["Cookie"] == nil && sent["X-Api-Key"] == nil && sent["PRIVATE-TOKEN"] == nil)
    }

    @Test("A redirect handler that stays within the origin keeps its credentials, whatever else it changes")
    func sameOrigin() async throws {
        let sent = try await fields(leadingTo: "http://a.test/elsewhere") { $0.headers.update(name: "X-New", value: "n") }
        for field in Self.credentials { #expect(sent[field.name] == field.value) }
        #expect(sent["X-New"] == "n")
    }

    @Test("A redirect handler that leads back from another origin does not restore the credentials")
    func back() async throws {
        let sent = try await fields(to: "http://b.test/", leadingTo: "http://a.test/back")
        for name in Self.credentials.map(\.name) where name != "X-Plain" { #expect(sent[name] == nil, "\(name)") }
    }
}
