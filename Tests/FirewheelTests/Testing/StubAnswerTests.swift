import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Complete responses of StubTransport")
struct StubAnswerTests {
    private struct User: Decodable, Sendable, Equatable { let name: String }

    @Test("StubTransport answers with JSON or text, spelled like a MockResponse")
    func answers() async throws {
        let session = Session(
            transport: StubTransport { request in
                request.method == .get ? .json(#"{"name":"Ada"}"#) : .text("read ❤ only", status: 405, headers: ["Allow": "GET"])
            })
        let user = await session.get("http://stub.test/").validate().serializingDecodable(User.self).response
        #expect(user.value == User(name: "Ada") && user.headers.values(for: "Content-Type") == ["application/json"])
        let refused = await session.post("http://stub.test/").serializingString().response
        #expect(refused.value == "read ❤ only" && refused.statusCode == 405 && refused.headers["Allow"] == "GET")
        #expect(refused.headers["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test("StubTransport can give every request the same response, with another Content-Type")
    func everyRequest() async throws {
        let json = StubTransport.json("{}", headers: ["content-type": "application/problem+json"])
        let response = await Session(transport: json).get("http://stub.test/").serializingString().response
        #expect(response.value == "{}" && response.headers.values(for: "Content-Type") == ["application/problem+json"])
        #expect(json.requests.map(\.target.string) == ["http://stub.test/"])
        let text = Session(transport: StubTransport.text("a,b", status: 203, headers: ["Content-Type": "text/csv"]))
        let rows = await text.get("http://stub.test/").serializingString().response
        #expect(rows.value == "a,b" && rows.statusCode == 203 && rows.headers.values(for: "Content-Type") == ["text/csv"])
    }

    @Test("A download receives a response of StubTransport as a file")
    func download() async throws {
        for text in ["text", ""] {
            let session = Session(transport: StubTransport.text(text))
            let file = try await session.download("http://stub.test/").serializingDownloadedFileURL().value
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            try FileManager.default.removeItem(at: file)
        }
    }
}
