import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What a server nests deeply must not overflow the stack on which it is decoded.
@Suite("Decoding deeply nested bodies")
struct DeepDecodingTests {
    private struct Comment: Decodable, Sendable {
        let text: String
        let replies: [Comment]
    }

    private final class Link: Decodable, Sendable {
        let next: Link?
        let number: Int
    }

    @Test(
        "Recursive types are decoded from the deepest JSON that Foundation parses, or fail with an error", arguments: [10, 200, 250, 256])
    func nested(depth: Int) async {
        let comments = #"{"text":"a","replies":["# + String(repeating: #"{"text":"a","replies":["#, count: depth)
        let session = Session(transport: StubTransport.answering(comments + String(repeating: "]}", count: depth + 1)))
        let response = await session.request("http://stub.test/").serializingDecodable(Comment.self).response
        #expect(response.value != nil || kind(response.error) == .responseSerializationFailed(.decodingFailed))
        let file = await session.download("http://stub.test/").serializingDecodable(Comment.self).response
        #expect((file.value == nil) == (response.value == nil))
        if depth < 250 { #expect(response.value != nil) }
    }

    @Test("A chain of objects that is never closed fails with an error")
    func unclosed() async {
        let session = Session(transport: StubTransport.answering(String(repeating: #"{"next":"#, count: 500) + "null"))
        let response = await session.request("http://stub.test/").serializingDecodable(Link.self).response
        #expect(kind(response.error) == .responseSerializationFailed(.decodingFailed))
    }

    @Test("A key of megabytes that a server chose is cut in the text of the error")
    func longKeys() async throws {
        let body = #"{"\#(String(repeating: "k", count: 3_000_000))":"x"}"#
        let session = Session(transport: StubTransport.answering(body))
        let error = await session.request("http://stub.test/").serializingDecodable([String: Int].self).response.error
        let text = try #require(error?.asFirewheelError).description
        #expect(text.contains("expected Int for \"kkk") && text.count < 500)
    }
}
