import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Content types of mock responses")
struct MockResponseTests {
    private static let given: [MockResponse] = {
        var appended = MockResponse.data(Data())
        appended.headers.append(("content-type", "text/csv"))
        return [
            .json("{}", headers: ["content-type": "text/csv"]), .json("{}", headers: [("CONTENT-TYPE", "text/csv")]),
            .text("{}", headers: ["Content-Type": "text/csv"]), .data(Data(), headers: ["Content-Type": "text/csv"]),
            .json("{}").header("Content-Type", "text/csv"),
            .text("{}").header("Content-type", "text/html").header("Content-Type", "text/csv"),
            .text("").rawHeaderLine(Data("Content-Type: text/csv".utf8)), appended,
            MockResponse(headers: ["Content-Type": "text/html"]).header("content-type", "text/csv"),
        ]
    }()

    @Test("A mock response sends one Content-Type: the explicit one replaces the default", arguments: given.indices)
    func once(index: Int) async throws {
        #expect(try await types(of: Self.given[index]) == ["text/csv"])
    }

    @Test("A mock response without an explicit Content-Type has that of its kind, or none")
    func assumed() async throws {
        #expect(try await types(of: .json("{}")) == ["application/json"])
        #expect(try await types(of: .text("")) == ["text/plain; charset=utf-8"])
        #expect(try await types(of: .data(Data())) == ["application/octet-stream"])
        #expect(try await types(of: MockResponse(headers: ["ETag": "1"])) == [])
    }

    @Test("A mock response's fields given as a list may repeat, including Content-Type")
    func repeated() async throws {
        let response = MockResponse(headers: [("Content-Type", "a/b"), ("Content-Type", "c/d")])
        #expect(try await types(of: response) == ["a/b", "c/d"])
    }

    private func types(of response: MockResponse) async throws -> [String] {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(response)
        return await Session().request(server.url()).serializingData(emptyResponseCodes: [200]).response.headers.values(for: "Content-Type")
    }
}
