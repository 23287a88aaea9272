import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `.log(.verbose)`: commands, heads and bodies.
@Suite("Verbose log", .timeLimit(.minutes(5)))
struct VerboseLogTests {
    private let texts = Journal<String>()

    private func session(_ transport: (any Transport)? = nil) -> Session {
        let texts = texts
        var configuration = SessionConfiguration.default
        configuration.headers = [:]
        return Session(configuration: configuration, transport: transport, eventMonitors: [.log(.verbose, to: { texts.add($0) })])
    }

    private func stub(_ type: String?, _ body: Data, _ more: HTTPHeaders = [:]) -> StubTransport {
        var headers = more
        if let type { headers["Content-Type"] = type }
        return StubTransport { [headers] _ in [.response(ResponseHead(statusCode: 200, headers: headers)), .finish(body: body)] }
    }

    /// All texts of one request, which ends with its line.
    private func texts(of request: DataRequest) async throws -> [String] {
        _ = await request.serializingData().response
        try await waitUntil("the line") { texts.entries.last?.contains(" ms") == true }
        return texts.entries.map { $0.replacing("request \(request.id): ", with: "") }
    }

    @Test("The verbose log writes the command, each head, the body and the line, each text in one call")
    func everything() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(
            .redirect(to: "/b?token=s3cret").header("Set-Cookie", "a=s3cret"),
            .json(#"{"name":"ann","access_token":"s3cret"}"#, headers: [("X-Auth", "s3cret")]))
        var request = try URLRequest(url: server.url("/a"), method: .post)
        request.headers = ["Authorization": "Bearer s3cret", "Content-Type": "application/json", "Cookie": "s3cret"]
        request.httpBody = Data(#"{"password":"s3cret","x":1}"#.utf8)
        let session = session()
        let texts = try await texts(of: session.request(request))
        #expect(texts.count == 5)
        #expect(
            texts[0].hasPrefix("started\n\t$ curl -v \\\n\t-X POST \\\n\t-H 'Authorization: <redacted>' \\\n"), "\(texts[0])")
        #expect(texts[0].contains(#"--data-raw '{"password":"<redacted>","x":1}'"#))
        #expect(texts[1].hasPrefix("response 302, redirected to GET \(server.url("/b?token=<redacted>"))\n\t"))
        #expect(texts[1].contains("\n\tLocation: /b?token=<redacted>") && texts[1].contains("\n\tSet-Cookie: <redacted>"))
        #expect(texts[2].hasPrefix("response 200\n\t") && texts[2].contains("\n\tX-Auth: <redacted>"))
        #expect(
            texts[3].hasPrefix("body of 38 bytes, application/json")
                && texts[3].hasSuffix("\n\t{\"name\":\"ann\",\"access_token\":\"<redacted>\"}"))
        #expect(texts[4].hasPrefix("POST \(server.url("/a")) 200, ") && !texts[4].contains("\n"))
        #expect(!texts.joined().contains("s3cret"))
    }

    @Test("The verbose log shows the first 10,000 bytes of a long body in whole characters, and no truncated secret")
    func longBodies() async throws {
        let session = session(stub("application/json", Data((#"{"a":"x"# + String(repeating: "é", count: 50_000) + #""}"#).utf8)))
        var texts = try await texts(of: session.get("http://a.test/"))
        let body = try #require(texts.first { $0.hasPrefix("body") })
        #expect(body.hasPrefix("body of 100009 bytes, application/json, of which the first 10000\n\t{\"a\":\"xé"))
        #expect(body.utf8.count < 10_100 && !body.contains("\u{FFFD}"))

        let secret = Data((#"{"a":""# + String(repeating: "x", count: 9980) + #"","password":"s3cret"}"#).utf8)
        let other = VerboseLogTests()
        texts = try await other.texts(of: other.session(stub("application/json", secret)).get("http://a.test/"))
        #expect(!texts.joined().contains("s3"))
        withExtendedLifetime(session) {}
    }

    @Test(
        "The verbose log shows a body that is not text as its size and type, even if its type claims text",
        arguments: [
            ("image/png", [0x89, 0x50, 0x4E, 0x47]), ("application/octet-stream", Array("text".utf8)),
            ("text/plain", [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0]), ("text/html; charset=iso-8859-1", (0...255).map { UInt8($0 % 200 + 1) }),
            (nil, [0xFF, 0xFE, 0xFD]), ("text/plain", [0x61, 0, 0x62]),
        ] as [(String?, [UInt8])])
    func binaryBodies(type: String?, bytes: [UInt8]) async throws {
        let session = session(stub(type, Data(bytes), ["Content-Encoding": "x"]))
        let texts = try await texts(of: session.get("http://a.test/"))
        let body = try #require(texts.first { $0.hasPrefix("body") })
        #expect(body == "body of \(bytes.count) bytes" + (type.map { ", \($0)" } ?? "") + ", x")
    }

    @Test("The verbose log decodes text with its encoding, and shows text without a media type")
    func encodings() async throws {
        let cases: [(String?, Data)] = [
            ("text/plain; charset=iso-8859-1", Data([0x61, 0xE9])), ("text/plain; charset=utf-16", Data([0, 0x61, 0, 0xE9])),
            (nil, Data("aé".utf8)),
        ]
        for (type, data) in cases {
            let other = VerboseLogTests()
            let session = other.session(stub(type, data))
            let texts = try await other.texts(of: session.get("http://a.test/"))
            #expect(texts.contains { $0.hasPrefix("body") && $0.hasSuffix("\n\taé") })
        }
    }

    @Test("In the verbose log nothing from a server begins a line or controls the terminal")
    func hostileServer() async throws {
        let hostile = "\u{1B}[2J\u{202E}GET http://forged.test/ 200, 1 ms\nGET http://forged.test/ 200\r\nx\ty\u{85}\u{2028}z"
        let headers = HTTPHeaders([HTTPHeader(name: "X-Evil", value: "\u{1B}[2J\tx")])
        let session = session(stub("text/plain", Data(hostile.utf8), headers))
        let texts = try await texts(of: session.get("http://a.test/"))
        for text in texts {
            #expect(text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().allSatisfy { $0.hasPrefix("\t") })
            #expect(
                !text.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" && $0 != "\t" || "\u{202E}\u{85}\u{2028}".unicodeScalars.contains($0)
                })
        }
        #expect(texts.contains { $0.contains("\n\tx\ty") })
    }

    @Test("The verbose log shows a sent text body up to 10,000 bytes, and any other as its size")
    func sentBodies() async throws {
        let cases: [(Data, String)] = [
            (Data(repeating: 0x61, count: 10_000), "--data-raw 'aaa"), (Data(repeating: 0x61, count: 10_001), "'@body-of-10001-bytes'"),
            (Data([0, 1, 2]), "'@body-of-3-bytes'"),
        ]
        for (data, text) in cases {
            let other = VerboseLogTests()
            let session = other.session(stub(nil, Data()))
            var request = try URLRequest(url: "http://a.test/", method: .post)
            request.httpBody = data
            let texts = try await other.texts(of: session.request(request))
            #expect(texts[0].contains(text) && !texts[0].contains("base64"))
        }
    }

    @Test("The verbose log shows each attempt's command and the reason for each retry")
    func attempts() async throws {
        let count = Journal<Int>()
        let session = session(
            StubTransport { _ in
                count.add(1)
                return [.response(ResponseHead(statusCode: count.count == 1 ? 503 : 200)), .finish(body: Data("x".utf8))]
            })
        let texts = try await texts(of: session.get("http://a.test/").validate().retry { _, _ in .retry })
        #expect(
            texts.map { String($0.prefix { $0 != "\n" && $0 != "," }) } == [
                "started", "response 503", "body of 1 bytes", "retry in 0.0 s: status 503 is not in 200..<300 (1 byte)", "attempt 2",
                "response 200", "body of 1 bytes", "GET http://a.test/ 200",
            ])
        #expect(texts.last?.hasSuffix(", 2 attempts") == true)
    }

    @Test("The verbose log shows a download's file and size, and never its body")
    func downloads() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("never shown"))
        let session = session()
        let file = try await session.download(server.url("/")).serializingDownloadedFileURL().value
        try await waitUntil("the line") { texts.entries.last?.contains(" ms") == true }
        #expect(texts.entries.contains { $0.hasSuffix("saved 11 bytes to \(file.path)") })
        #expect(!texts.entries.joined().contains("never shown"))
        try FileManager.default.removeItem(at: file)
    }
}
