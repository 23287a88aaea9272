import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Bodies that are sent again: after a redirect, a challenge or a retry. URLSession on Linux sends nothing then, or the body in part.
@Suite("Uploads that are sent again", .timeLimit(.minutes(5)))
struct UploadAgainTests {
    private static let body = UploadKind.pattern(300_000)

    @Test("307 and 308 keep the method and the body (RFC 9110 sections 15.4.8 and 15.4.9)", arguments: [307, 308])
    func redirected(_ status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        var configuration = SessionConfiguration.default
        configuration.expectsContinue = .never
        let session = Session(configuration: configuration)
        for kind in UploadKind.allCases {
            server.enqueue(.text("elsewhere", status: status, headers: [("Location", "/new")]), .text("taken"))
            let response = try await kind.upload(Self.body, to: server.url("/old"), in: session, folder: folder, method: .put)
                .serializingString().response
            #expect(try await server.takeRequest().body == Self.body)
            guard kind.isRepeatable else {
                #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable), "\(kind)")
                // It takes the response that the body would have had.
                _ = try await session.request(server.url()).serializingData().value
                _ = try await server.takeRequest()
                continue
            }
            let seen = try await server.takeRequest()
            #expect(response.value == "taken" && seen.body == Self.body && seen.method == "PUT" && seen.path == "/new", "\(kind)")
        }
    }

    @Test("A body that can be produced once is not lost if the server redirects before it was sent (RFC 9110 section 10.1.1)")
    func redirectedBefore() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        var configuration = SessionConfiguration.default
        configuration.expectsContinue = .always
        let session = Session(configuration: configuration)
        server.exchange("/old") { exchange in
            try exchange.send(.text("elsewhere", status: 307, headers: [("Location", "/new"), ("Connection", "close")]))
        }
        server.route("/new") { _ in .text("taken") }
        for kind in UploadKind.allCases {
            let problem = try await UploadKind.problem {
                let response = try await kind.upload(Self.body, to: server.url("/old"), in: session, folder: folder).serializingString()
                    .response
                // The first request is noted when its exchange has ended, which can be after the second.
                let seen = try await server.takeRequests(response.error == nil ? 2 : 1)
                let (old, new) = (seen.first { $0.path == "/old" }, seen.first { $0.path == "/new" })
                let isRight = response.value == "taken" && old?.body.isEmpty == true && new?.body == Self.body
                return isRight ? nil : "\(kind): \(response)"
            }
            #expect(problem == nil)
        }
    }

    @Test("303 drops the body (RFC 9110 section 15.4.4)", arguments: UploadKind.allCases)
    func seeOther(_ kind: UploadKind) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        server.enqueue(.text("", status: 303, headers: [("Location", "/new")]), .text("seen"))
        let value = try await kind.upload(Self.body, to: server.url("/old"), in: session, folder: folder).serializingString().value
        let seen = try await server.takeRequests(2)
        #expect(value == "seen" && seen[1].method == "GET" && seen[1].body.isEmpty && seen[0].body == Self.body)
    }

    @Test("A body is sent again with the answer to a challenge")
    func challenged() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        var configuration = SessionConfiguration.default
        configuration.expectsContinue = .never
        for kind in UploadKind.allCases {
            let session = Session(configuration: configuration)
            server.enqueue(.text("who?", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]), .text("taken"))
            let response = try await kind.upload(Self.body, to: server.url(), in: session, folder: folder)
                .authenticate(username: "u", password: "p").serializingString().response
            #expect(try await server.takeRequest().body == Self.body)
            guard kind.isRepeatable else {
                #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable), "\(kind)")
                _ = try await session.request(server.url()).serializingData().value
                _ = try await server.takeRequest()
                continue
            }
            let seen = try await server.takeRequest()
            #expect(response.value == "taken" && seen.body == Self.body && seen.header("Authorization") != nil, "\(kind)")
        }
    }

    @Test("A retry sends the body again; one that cannot be produced again is an error, with the failure before it")
    func retried() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        for kind in UploadKind.allCases {
            server.enqueue(.text("busy", status: 503), .text("taken"))
            let asked = Journal<Int>()
            let upload = try kind.upload(Self.body, to: server.url(), in: session, folder: folder).validate()
                .retry { context, _ in
                    asked.add(context.retryCount)
                    return .retry
                }
            let response = await upload.serializingString().response
            #expect(try await server.takeRequest().body == Self.body)
            #expect(asked.entries == [0], "\(kind)")
            guard kind.isRepeatable else {
                #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable), "\(kind)")
                #expect(response.error?.firewheel?.responseCode == 503)
                _ = try await session.request(server.url()).serializingData().value
                _ = try await server.takeRequest()
                continue
            }
            #expect(try await server.takeRequest().body == Self.body)
            #expect(response.value == "taken" && upload.retryCount == 1, "\(kind)")
        }
    }

    @Test(
        "On a connection that is dead already, a body that was not begun goes over another one, and one that was begun says why it cannot",
        arguments: UploadKind.allCases, [true, false])
    func deadConnection(_ kind: UploadKind, waits: Bool) async throws {
        let problem = try await UploadKind.problem {
            let server = try MockServer()
            defer { server.shutdown() }
            let folder = try DownloadTests.Folder()
            let session = Session(configuration: .with { $0.expectsContinue = waits ? .always : .never })
            server.route("/warm") { _ in .text("warm") }
            let tries = Journal<Int>()
            server.exchange("/body") { exchange in
                tries.add(1)
                // The first connection ends without an answer.
                if tries.count == 1 { return }
                if waits { try exchange.sendInterim(100) }
                let body = try exchange.readAll()
                try exchange.send(.text("\(body == Self.body)"))
            }
            _ = try await session.request(server.url("/warm")).serializingData().value
            let response = try await kind.upload(Self.body, to: server.url("/body"), in: session, folder: folder, method: .put)
                .serializingString().response
            let isRight: Bool
            if waits || kind.isRepeatable {
                isRight = response.value == "true" && tries.count == 2
            } else {
                isRight = response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable) && tries.count == 1
            }
            return isRight ? nil : "\(tries.count) tries: \(response)"
        }
        #expect(problem == nil)
    }
}
