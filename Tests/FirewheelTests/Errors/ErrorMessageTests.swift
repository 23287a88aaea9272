import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What the messages of errors name, and that they do so once.
@Suite("Messages of errors", .timeLimit(.minutes(5)))
struct ErrorMessageTests {
    private func session(_ status: Int, _ body: String, type: String? = nil) -> Session {
        let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
        return Session(
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: status, headers: headers)), .finish(body: Data(body.utf8))]
            })
    }

    @Test(
        "The status of a refused response is in the text once",
        arguments: [
            ("", "expected a body, the response is empty (status 404)"),
            ("no", "the body is not valid JSON (expected a value at byte 0), 2 bytes (status 404)"),
        ])
    func once(body: String, words: String) async throws {
        let session = session(404, body)
        let url = "http://stub.test/"
        let errors: [any Error] = [
            try #require(await session.get(url).serializingDecodable([Int].self).response.error),
            try #require(
                await session.get(url).serializingResponse(using: .compound([.decodable(of: [Int].self), .decodable(of: [Int].self)]))
                    .response.error),
            try #require(await session.get(url).serializingDecodable([Int].self, emptyResponseCodes: [404]).response.error),
            try #require(await session.get(url).serializingDecodable([Int].self, emptyRequestMethods: [.get]).response.error),
        ]
        for error in errors { #expect("\(error)".ranges(of: "(status 404)").count == 1, "\(error)") }
        #expect("\(errors[0])".hasSuffix(words), "\(errors[0])")
        // A status that is acceptable is named where the body is empty only.
        let accepted = await Self.error(of: self.session(200, body))
        #expect("\(accepted)".ranges(of: "(status 200)").count == (body.isEmpty ? 1 : 0), "\(accepted)")
    }

    private static func error(of session: Session) async -> any Error {
        await session.get("http://stub.test/").serializingDecodable([Int].self).response.error ?? CancellationError()
    }

    @Test(
        "A path whose first segment has a colon is explained where there is a baseURL",
        arguments: [
            ("images:annotate", "./images:annotate"), ("v1:search?key=1", "./v1:search?key=<redacted>"), ("a:b/c", "./a:b/c"),
            ("localhost:8080", "./localhost:8080"), ("mailto:a@b.test", nil), ("ftp://stub.test/x", nil), ("images:/x", "./images:/x"),
            ("2024:report", "./2024:report"), ("_x:y", "./_x:y"), ("ä:b", "./ä:b"), (":x", "./:x"), ("http:x", nil),
        ])
    func colon(path: String, suggestion: String?) async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 204)), .finish()] }
        let session = Session(configuration: .with { $0.baseURL = URL(string: "https://stub.test/v1") }, transport: stub)
        let error = "\(try #require(await session.get(path).raw().error))"
        if let suggestion, !path.contains("@") {
            #expect(error.hasSuffix("(for a path below the baseURL write \"\(suggestion)\")"), "\(error)")
        } else {
            #expect(path.contains("@") ? !error.contains("mailto:a") : !error.contains("baseURL"), "\(error)")
        }
        // Without a base there is nothing to suggest.
        let bare = "\(try #require(await Session(transport: stub).get(path).raw().error))"
        #expect(!bare.contains("./"), "\(bare)")
        #expect(stub.requests.isEmpty)
    }

    @Test("What is suggested for such a path works")
    func suggested() async throws {
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 204)), .finish()] }
        let session = Session(configuration: .with { $0.baseURL = URL(string: "https://stub.test/v1") }, transport: stub)
        for path in ["./images:annotate", "./a:b/c?d=e:f"] { #expect(await session.get(path).raw().error == nil) }
        #expect(stub.requests.map(\.target.string) == ["https://stub.test/v1/images:annotate", "https://stub.test/v1/a:b/c?d=e:f"])
    }
}

/// The number of the line in errors of streams of values.
@Suite("Lines in errors of streams", .eachTransport, .timeLimit(.minutes(5)))
struct StreamLineNumberTests {
    private struct Value: Decodable, Sendable, Equatable { let number: Int }

    /// Lines with all three ends, blank ones, and pieces that end anywhere.
    private func server(_ lines: String, pieces: Int) throws -> MockServer {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "application/x-ndjson")])
            let bytes = Data(lines.utf8)
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                try exchange.sendChunk(bytes[start..<min(start + pieces, bytes.count)])
            }
            try exchange.endChunks()
        }
        return server
    }

    @Test("A value that cannot be decoded names its line, in a handler and in a sequence", arguments: [1, 7, 1_000])
    func lines(pieces: Int) async throws {
        let server = try server(
            "\u{FEFF}{\"number\": 1}\n\n  \r\n{\"number\": 2}\r{\"name\": 3}\r\n{\"number\": \n{\"number\": 4}\nnull", pieces: pieces)
        defer { server.shutdown() }
        let session = Session.onTest()
        let log = StreamCollector<Value>()
        session.streamRequest(server.url()).responseStreamDecodable(of: Value.self, queue: .global()) { log.take($0) }
        let seen = await log.wait()
        #expect(seen.values == [Value(number: 1), Value(number: 2), Value(number: 4)])
        let words = seen.errors.map { "\($0)" }
        try #require(words.count == 3)
        #expect(words[0].hasSuffix("/: line 5: Value: no value for \"number\""), "\(words[0])")
        #expect(words[1].contains("/: line 6 is not valid JSON"), "\(words[1])")
        #expect(!words[1].contains("line 1"), "\(words[1])")
        #expect(words[2].contains("/: line 8: Value: "), "\(words[2])")
        let stream = session.streamRequest(server.url()).streamTask().streamingDecodables(Value.self)
        var iterator = stream.makeAsyncIterator()
        #expect(try await [iterator.next(), iterator.next()] == [Value(number: 1), Value(number: 2)])
        do {
            _ = try await iterator.next()
            Issue.record("no error")
        } catch {
            #expect("\(error)".hasSuffix("/: line 5: Value: no value for \"number\""), "\(error)")
        }
    }

    @Test("An error of a custom decoder has the number, too, and no other error has one")
    func others() async throws {
        struct Refusing: DataDecoder {
            struct Refusal: Error {}
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw Refusal() }
        }
        let server = try server("\n1\n", pieces: 100)
        defer { server.shutdown() }
        let log = StreamCollector<Int>()
        Session.onTest().streamRequest(server.url()).responseStreamDecodable(of: Int.self, queue: .global(), decoder: Refusing()) {
            log.take($0)
        }
        let seen = await log.wait()
        #expect(seen.errors.map(\.kind) == [.responseSerializationFailed(.decodingFailed)])
        #expect(seen.errors.allSatisfy { "\($0)".contains("/: line 2: Int: ") }, "\(seen.errors)")
        let whole = await Session.onTest().get(server.url()).serializingDecodable([Int].self).response.error
        #expect(whole.map { !"\($0)".contains("line") } == true, "\(String(describing: whole))")
    }
}
