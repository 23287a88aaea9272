import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What a session keeps of credentials, when it lets go of them, and who gets to see them.
@Suite("Keeping credentials", .timeLimit(.minutes(5)))
struct CredentialKeepingTests {
    private static func basic(_ user: String, _ password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    private static let challenge = ResponseHead(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])

    /// A transport that lets in whoever sends one of these, and answers with a status.
    private static func transport(_ right: [String], status: Int = 200) -> StubTransport {
        StubTransport { request in
            let isRight = request.headers["Authorization"].map(right.contains) ?? false
            return [.response(isRight ? ResponseHead(statusCode: status) : challenge), .finish(body: nil)]
        }
    }

    private static func sent(_ transport: StubTransport) -> [String?] { transport.requests.map { $0.headers["Authorization"] } }

    @Test("A credential that is set later goes before one that was accepted, whatever realm it was for")
    func setLater() async throws {
        let transport = Self.transport([Self.basic("ada", "1"), Self.basic("grace", "2")])
        let session = Session(transport: transport)
        try session.credentials.set(username: "ada", password: "1", for: "http://a.test")
        _ = await session.request("http://a.test/").raw()
        try session.credentials.set(username: "grace", password: "2", for: "http://a.test")
        _ = await session.request("http://a.test/").raw()
        _ = await session.request("http://a.test/").raw()
        #expect(Self.sent(transport) == [nil, Self.basic("ada", "1"), nil, Self.basic("grace", "2"), Self.basic("grace", "2")])
    }

    @Test("A credential that is removed while its answer is under way does not come back with the response")
    func removedMeanwhile() async throws {
        let transport = StubTransport { request in
            request.headers["Authorization"] == nil ? [.response(Self.challenge), .finish(body: nil)] : [.wait]
        }
        let session = Session(transport: transport)
        let task = session.request("http://a.test/").authenticate(username: "ada", password: "1").serializingData()
        try await waitUntil("the answer") { transport.requests.count == 2 }
        session.credentials.removeAll()
        transport.send([.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))], to: transport.requests[1].id)
        #expect(await task.response.statusCode == 200)
        #expect(await session.request("http://a.test/").raw().statusCode == 401)
        #expect(Self.sent(transport) == [nil, Self.basic("ada", "1"), nil])
    }

    @Test("Nor does one that went ahead, is removed meanwhile, and is asked for anew")
    func removedWhileAhead() async throws {
        let headers: HTTPHeaders = ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", stale=true"]
        let challenge = ResponseHead(statusCode: 401, headers: headers)
        let (waits, ahead) = (Locked(false), Journal<TransportTaskID>())
        let transport = StubTransport { request in
            if waits.withLock({ $0 }) {
                ahead.add(request.id)
                return [.wait]
            }
            return [.response(request.headers["Authorization"] == nil ? challenge : ResponseHead(statusCode: 200)), .finish(body: nil)]
        }
        let session = Session(transport: transport)
        #expect(await session.request("http://a.test/").authenticate(username: "ada", password: "1").raw().statusCode == 200)
        waits.withLock { $0 = true }
        let task = session.request("http://a.test/").serializingData()
        // What the transport has counted the script need not have seen yet.
        let id = try await ahead.wait(for: 1)[0]
        #expect(transport.requests[2].headers["Authorization"] != nil)
        session.credentials.removeAll()
        waits.withLock { $0 = false }
        transport.send([.response(challenge), .finish(body: nil)], to: id)
        #expect(await task.response.statusCode == 401)
        #expect(await session.request("http://a.test/").raw().statusCode == 401)
        #expect(transport.requests.count == 4)
    }

    @Test(
        "A wrong credential of a request takes the place of no right one, whatever status refuses it", arguments: [400, 403, 404, 429, 503])
    func refusedOtherwise(status: Int) async throws {
        let transport = StubTransport { request in
            switch request.headers["Authorization"] {
            case nil: [.response(Self.challenge), .finish(body: nil)]
            case Self.basic("ada", "right"): [.response(ResponseHead(statusCode: 200)), .finish(body: nil)]
            default: [.response(ResponseHead(statusCode: status)), .finish(body: nil)]
            }
        }
        let session = Session(transport: transport)
        try session.credentials.set(username: "ada", password: "right", for: "http://a.test")
        #expect(await session.request("http://a.test/").authenticate(username: "ada", password: "wrong").raw().statusCode == status)
        #expect(await session.request("http://a.test/").raw().statusCode == 200)
    }

    @Test("What went ahead and is refused without a challenge does not go ahead again")
    func bareRefusal() async throws {
        let isOpen = Locked(true)
        let transport = StubTransport { request in
            guard isOpen.withLock({ $0 }) else { return [.response(ResponseHead(statusCode: 401)), .finish(body: nil)] }
            return [
                .response(request.headers["Authorization"] == nil ? Self.challenge : ResponseHead(statusCode: 200)), .finish(body: nil),
            ]
        }
        let session = Session(transport: transport)
        _ = await session.request("http://a.test/").authenticate(username: "ada", password: "1").raw()
        isOpen.withLock { $0 = false }
        for _ in 0..<2 { #expect(await session.request("http://a.test/").raw().statusCode == 401) }
        #expect(Self.sent(transport) == [nil, Self.basic("ada", "1"), Self.basic("ada", "1"), nil])
    }

    @Test("A redirect handler that makes its request from the one before takes neither credentials nor cookies to another origin")
    func copiedByHandler() async throws {
        let transport = StubTransport { request in
            guard request.target.origin.host == "a.test" else { return [.response(ResponseHead(statusCode: 200)), .finish(body: nil)] }
            guard request.headers["Authorization"] != nil else {
                let headers: HTTPHeaders = ["WWW-Authenticate": "Basic realm=\"r\"", "Set-Cookie": "c=1"]
                return [.response(ResponseHead(statusCode: 401, headers: headers)), .finish(body: nil)]
            }
            return [.response(ResponseHead(statusCode: 302, headers: ["Location": "http://b.test/"])), .finish(body: nil)]
        }
        let session = Session(transport: transport)
        try session.credentials.set(username: "ada", password: "1", for: "http://a.test")
        for _ in 0..<2 {
            let request = session.request("http://a.test/", headers: ["X-Api-Key": "k", "X-Plain": "p"])
            let response = await request.redirect(
                using: .modify { context, proposed, _ in
                    var copy = try #require(context.request)
                    copy.url = proposed.url
                    return copy
                }
            ).raw()
            #expect(response.statusCode == 200)
            let there = try #require(transport.requests.last?.headers)
            #expect(there["Authorization"] == nil && there["Cookie"] == nil && there["X-Api-Key"] == nil && there["X-Plain"] == "p")
        }
        // The answer to the challenge has the cookie that came with it; the second time both go ahead.
        #expect(transport.requests.map { $0.headers["Cookie"] } == [nil, "c=1", nil, "c=1", nil])
    }

    @Test("The credential is for the origin of the request as an adapter left it")
    func adapted() async throws {
        let transport = Self.transport([Self.basic("ada", "1")])
        let session = Session(transport: transport)
        let response = await session.request("http://a.test/").authenticate(username: "ada", password: "1")
            .adapt { request, _ in request.url = URL(string: "http://b.test/") }.raw()
        #expect(response.statusCode == 200 && transport.requests.allSatisfy { $0.target.origin.host == "b.test" })
    }

    @Test("A request that was suspended before it went out says what is true when it goes on")
    func suspendedInAdapter() async throws {
        let transport = Self.transport([Self.basic("ada", "1")])
        let session = Session(transport: transport)
        _ = await session.request("http://a.test/").authenticate(username: "ada", password: "1").raw()
        _ = session.cookieJar?.store(["c=1"], from: try #require(URL(string: "http://a.test/")))
        let (entered, gate) = (Journal<Int>(), Latch())
        let request = session.request("http://a.test/").adapt { _, _ in
            entered.add(1)
            await gate.wait()
        }
        let task = request.serializingData()
        _ = try await entered.wait(for: 1)
        request.suspend()
        gate.open()
        // Other requests have come and gone: the suspended one has been made by then.
        for _ in 0..<3 { _ = await session.request("http://b.test/").raw() }
        session.cookieJar?.removeAll()
        session.credentials.removeAll()
        request.resume()
        #expect(await task.response.statusCode == 401)
        #expect(transport.requests.last?.headers["Authorization"] == nil && transport.requests.last?.headers["Cookie"] == nil)
    }

    @Test("Empty user information in a URL is no credential")
    func emptyUserInfo() async throws {
        let transport = Self.transport([Self.basic("ada", "1")])
        let session = Session(transport: transport)
        try session.credentials.set(username: "ada", password: "1", for: "http://a.test")
        #expect(await session.request("http://@a.test/").raw().statusCode == 200)
        #expect(Self.sent(transport) == [nil, Self.basic("ada", "1")])
    }

    @Test("Realms without end are kept within bounds, and starve no other origin")
    func manyRealms() async throws {
        let count = Locked(0)
        let transport = StubTransport { request in
            if request.target.origin.host == "b.test" {
                return [
                    .response(request.headers["Authorization"] == nil ? Self.challenge : ResponseHead(statusCode: 200)), .finish(body: nil),
                ]
            }
            guard request.headers["Authorization"] == nil else { return [.response(ResponseHead(statusCode: 200)), .finish(body: nil)] }
            let number = count.withLock { number in
                number += 1
                return number
            }
            let headers: HTTPHeaders = ["WWW-Authenticate": "Basic realm=\"r\(number)\""]
            return [.response(ResponseHead(statusCode: 401, headers: headers)), .finish(body: nil)]
        }
        let session = Session(transport: transport)
        for number in 0..<200 {
            _ = await session.request("http://a.test/\(number)/").authenticate(username: "ada", password: "\(number)").raw()
        }
        _ = await session.request("http://b.test/").authenticate(username: "grace", password: "2").raw()
        #expect(await session.request("http://b.test/").raw().statusCode == 200)
    }

    @Test("A proof of the server's that is wrong ends the request at once, however long its body is")
    func wrongProofOfEndlessBody() async throws {
        let transport = StubTransport { request in
            guard request.headers["Authorization"] != nil else {
                let headers: HTTPHeaders = ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""]
                return [.response(ResponseHead(statusCode: 401, headers: headers)), .finish(body: nil)]
            }
            return [.response(ResponseHead(statusCode: 200, headers: ["Authentication-Info": "rspauth=\"00\", qop=auth"])), .wait]
        }
        let session = Session(transport: transport)
        let response = await session.request("http://a.test/").authenticate(username: "ada", password: "1").raw()
        #expect(response.kind == .authenticationFailed(.serverNotAuthenticated))
        try await waitUntil("the cancel") { transport.calls.contains(.cancel(transport.requests[1].id)) }
    }
}
