import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Servers that answer before they have the whole body, and `Expect: 100-continue`.
@Suite("Uploads that are answered early", .timeLimit(.minutes(5)))
struct UploadAnswerTests {
    @Test("Only bodies above 1 MiB, and those of unknown length, wait for the server's consent (RFC 9110 section 10.1.1)")
    func expectation() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in .text("x") }
        let folder = try DownloadTests.Folder()
        let session = Session()
        for (size, kinds) in [(1_048_576, [] as [UploadKind]), (1_048_577, UploadKind.allCases)] {
            for kind in UploadKind.allCases {
                _ = try await kind.upload(UploadKind.pattern(size), to: server.url(), in: session, folder: folder).serializingData().value
                let seen = try await server.takeRequest()
                let isExpected = kinds.contains(kind) || !kind.hasLength
                #expect(seen.header("Expect") == (isExpected ? "100-continue" : nil) && seen.body.count == size, "\(kind), \(size)")
            }
        }
    }

    @Test("The expectation can be turned off, and on for all; a request's own field makes its body wait")
    func configured() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in .text("x") }
        var configuration = SessionConfiguration.default
        for (rule, size, expected) in [
            (ContinueExpectation.never, 2_000_000, nil), (.always, 1, "100-continue"), (.always, 0, nil), (.above(10), 11, "100-continue"),
        ] as [(ContinueExpectation, Int, String?)] {
            configuration.expectsContinue = rule
            _ = try await Session(configuration: configuration).upload(UploadKind.pattern(size), to: server.url()).serializingData().value
            #expect(try await server.takeRequest().header("Expect") == expected, "\(rule), \(size)")
        }
        server.exchange("/own") { exchange in
            // A body that did not wait would be here.
            let isEarly = exchange.hasInput(within: 0.1)
            try exchange.sendInterim(100)
            let body = try exchange.readAll()
            try exchange.send(.text("\(isEarly) \(body.count)"))
        }
        let problem = try await UploadKind.problem {
            let own = try await Session().upload(UploadKind.pattern(10), to: server.url("/own"), headers: ["Expect": "100-continue"])
                .serializingString().value
            return own == "false 10" ? nil : own
        }
        #expect(problem == nil)
    }

    @Test("417 makes a body go again without the expectation (RFC 9110 section 15.5.18)")
    func refusedExpectation() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/") { exchange in
            if exchange.request.header("Expect") != nil {
                return try exchange.send(.text("no", status: 417, headers: [("Connection", "close")]))
            }
            try exchange.send(.text("\(try exchange.readAll().count)"))
        }
        var configuration = SessionConfiguration.default
        configuration.expectsContinue = .always
        let session = Session(configuration: configuration)
        let folder = try DownloadTests.Folder()
        for kind in UploadKind.allCases {
            let problem = try await UploadKind.problem {
                let response = try await kind.upload(UploadKind.pattern(5_000), to: server.url(), in: session, folder: folder)
                    .serializingString().response
                return response.value == "5000" ? nil : "\(kind): \(response)"
            }
            #expect(problem == nil)
        }
        // Without an expectation it is a response like any other.
        server.enqueue(.text("odd", status: 417))
        configuration.expectsContinue = .never
        let other = try MockServer()
        defer { other.shutdown() }
        other.enqueue(.text("odd", status: 417))
        #expect(
            await Session(configuration: configuration).upload(Data("x".utf8), to: other.url()).serializingData().response.statusCode == 417
        )
    }

    @Test("A 413, and a 401 that no credential answers, are delivered before the body was sent", arguments: [413, 401])
    func refused(_ status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/") { exchange in
            try exchange.send(
                .text("refused", status: status, headers: [("WWW-Authenticate", "Basic realm=\"r\""), ("Connection", "close")]))
        }
        let folder = try DownloadTests.Folder()
        for rule in [ContinueExpectation.never, .always] {
            var configuration = SessionConfiguration.default
            configuration.expectsContinue = rule
            let session = Session(configuration: configuration)
            for kind in UploadKind.allCases {
                let response = try await kind.upload(UploadKind.pattern(3_000_000), to: server.url(), in: session, folder: folder)
                    .serializingString().response
                #expect(response.statusCode == status && response.value == "refused", "\(kind), \(rule): \(response.result)")
            }
        }
    }

    @Test("A final answer in the middle of the body leaves the rest unsent", arguments: UploadKind.allCases)
    func middle(_ kind: UploadKind) async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        let counts = Journal<Int>()
        server.exchange("/") { exchange in
            let begun = try exchange.read(upTo: 100_000)?.count ?? 0
            try exchange.send(.text("too much", status: 413, headers: [("Connection", "close")]))
            counts.add(begun + exchange.waitForDisconnection())
        }
        let folder = try DownloadTests.Folder()
        let size = 60_000_000
        let session = Session(configuration: .with { $0.expectsContinue = .never })
        let response = try await kind.upload(UploadKind.pattern(size), to: server.url(), in: session, folder: folder).serializingString()
            .response
        #expect(response.statusCode == 413 && response.value == "too much", "\(response)")
        // What the kernel has taken still arrives.
        #expect(try await counts.wait(for: 1)[0] < size / 2, "\(counts.entries)")
    }
}
