import Firewheel
import Foundation
import Testing

/// `print` and debuggers show everything useful of a response, and no credential.
@Suite("Descriptions of responses")
struct ResponseDescriptionTests {
    @Test("The debug description of a response shows request and response line by line")
    func debugDescription() async throws {
        let session = session(answering: 201, ["Content-Type": "application/json", "X-A": "1"], body: "{\n  \"a\": 1\n}")
        let response = await session.request(
            "http://stub.test/a?b=1", method: .post, parameters: ["q": "x"], headers: ["X-Sent": "yes"]
        ).serializingString().response
        let lines = response.debugDescription.split(separator: "\n").map(String.init)
        #expect(lines.first == "[Request]: POST http://stub.test/a?b=1")
        for line in [
            "        X-Sent: yes", "        q=x", "[Response]:", "    [Status Code]: 201", "        X-A: 1",
            "        Content-Type: application/json",
            "        {", "          \"a\": 1", "        }", "[Data]: 12 bytes",
        ] { #expect(lines.contains(line), "\(line)") }
        for start in ["[Network Duration]: ", "[Serialization Duration]: ", "[Result]: success("] {
            #expect(lines.contains { $0.hasPrefix(start) && !$0.hasSuffix("None") }, "\(start)")
        }
        withExtendedLifetime(session) {}
    }

    @Test("The debug description of a download shows where its file is and nothing of the content")
    func download() async throws {
        let session = session(["Content-Type": "text/plain"], body: "content")
        let response = await session.download("http://stub.test/a").serializingDownloadedFileURL().response
        let file = try #require(response.fileURL)
        let text = response.debugDescription
        #expect(text.hasPrefix("[Request]: GET http://stub.test/a\n") && text.contains("[File]: \(file.path)\n"))
        #expect(text.contains("[Status Code]: 200") && !text.contains("        content"))
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }

    @Test("The debug description of a response shows None for what is missing")
    func nothing() {
        let data = DataResponse<Int>(request: nil, response: nil, data: nil, result: .failure(SomeError(number: 2)))
        let text = """
            [Request]: None
            [Response]: None
            [Data]: None
            [Network Duration]: None
            [Serialization Duration]: 0.0 s
            [Result]: failure(SomeError(number: 2))
            """
        #expect(data.debugDescription == text)
        #expect(data.description.contains("no response") && data.description.contains("SomeError(number: 2)"))
        let download = DownloadResponse<Int>(request: nil, response: nil, result: .failure(SomeError(number: 2)))
        #expect(download.debugDescription == text.replacingOccurrences(of: "[Data]", with: "[File]"))
    }

    @Test(
        "The debug description shows text bodies up to 100,000 bytes, and the size of others",
        arguments: [
            ("text/plain", "abc", true), ("application/json", "[1]", true), ("application/problem+json; charset=utf-8", "[1]", true),
            ("image/svg+xml", "<svg/>", true), ("application/x-www-form-urlencoded", "a=b", true), ("application/javascript", "f()", true),
            ("image/png", "abc", false), ("application/octet-stream", "abc", false), ("", "abc", false), ("nonsense", "abc", false),
            ("text/plain", String(repeating: "x", count: 100_000), true), ("text/plain", String(repeating: "x", count: 100_001), false),
        ])
    func bodies(type: String, body: String, isShown: Bool) async throws {
        let session = session(["Content-Type": type], body: body)
        let text = await session.request("http://stub.test/").serializingData().response.debugDescription
        let shown = text.contains("\n        \(body)\n")
        #expect(shown == isShown)
        #expect(text.contains("\n        \(body.utf8.count) bytes\n") != isShown)
        withExtendedLifetime(session) {}
    }

    @Test("The debug description reads a body in its charset, and shows the size of one that is not text")
    func charset() async throws {
        for (type, bytes, line) in [
            ("text/plain; charset=iso-8859-1", [0xE4], "ä"), ("text/plain", [0xC3, 0xA4], "ä"),
            ("text/plain; charset=utf-8", [0xFF], "1 bytes"),
        ] as [(String, [UInt8], String)] {
            let session = session(["Content-Type": type], data: Data(bytes))
            let text = await session.request("http://stub.test/").serializingData().response.debugDescription
            #expect(text.contains("\n        \(line)\n"))
            withExtendedLifetime(session) {}
        }
    }

    @Test("The debug description shows no credential in URLs, fields, forms, JSON or values")
    func secrets() async throws {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "sid=hunter2"), HTTPHeader(name: "set-cookie", value: "b=hunter2"),
            HTTPHeader(name: "Location", value: "http://a:hunter2@b.test/?token=hunter2"),
            HTTPHeader(name: "Content-Type", value: "application/json"),
        ])
        let body = #"{"access_token": "hunter2\"hunter2", "n": {"password":"hunter2", "secret" : 42424242}, "shown": "yes"}"#
        let session = session(headers, body: body)
        func request() -> DataRequest {
            session.request(
                "http://ann:hunter2@stub.test/?access_token=hunter2&x=1", method: .post,
                parameters: ["password": "hunter2", "name": "ann"],
                headers: [
                    "Authorization": "Bearer hunter2", "Cookie": "a=hunter2", "Proxy-Authorization": "hunter2", "X-Api-Key": "hunter2",
                ])
        }
        let string = await request().serializingString().response
        let json = await request().serializingJSON().response
        let dictionary = json.map { ($0["n"]?.objectValue ?? [:]).mapValues(\.description) }
        for text in [string.description, string.debugDescription, json.description, json.debugDescription, dictionary.debugDescription] {
            #expect(!text.contains("hunter2") && !text.contains("42424242"), "\(text)")
        }
        for text in [string.debugDescription, json.debugDescription] {
            #expect(text.contains("name=ann") && text.contains("x=1") && text.contains("yes") && text.contains("Authorization: <redacted>"))
        }
        let download = await session.download("http://ann:hunter2@stub.test/?token=hunter2", headers: ["Cookie": "hunter2"])
            .serializingString().response
        #expect(!download.debugDescription.contains("hunter2") && !download.description.contains("hunter2"))
        try download.fileURL.map { try FileManager.default.removeItem(at: $0) }
        withExtendedLifetime(session) {}
    }
}
