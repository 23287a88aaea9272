import FirewheelClassic
import FirewheelTesting
import Testing

/// The chains of `Chains.swift`, over a real socket.
@Suite("Chains as they stand in programs", .serialized, .timeLimit(.minutes(5)))
struct ChainTests {
    @Test("response, then responseJSON, of a plain class")
    func chainOfAClass() async throws {
        try await expectChain { PlainClient($0).chain() }
    }

    @Test("response, then responseJSON, of a class of the main actor")
    func chainOfTheMainActor() async throws {
        try await expectChain { await ViewController($0).chain() }
    }

    @Test("response, then responseJSON, of an async function")
    func chainOfAFunction() async throws {
        try await expectChain { try await chain($0) }
    }

    @Test("A serializer of one's own, of a plain class")
    func serializerOfAClass() async throws {
        try await expectSerializer { PlainClient($0).serializer() }
    }

    @Test("A serializer of one's own, of a class of the main actor")
    func serializerOfTheMainActor() async throws {
        try await expectSerializer { await ViewController($0).serializer() }
    }

    @Test("A serializer of one's own, of an async function")
    func serializerOfAFunction() async throws {
        try await expectSerializer { try await serializer($0) }
    }

    @Test("A failure comes through the same handlers")
    func failure() async throws {
        PlainClient("no URL").chain()
        PlainClient("no URL").serializer()
        let lines = await printed.lines(4).map(\.text)
        #expect(lines.filter { $0.contains("failure(The URL is not valid") }.count == 2, "\(lines)")
        #expect(lines.contains("raw: nil"))
        #expect(lines.contains { $0.contains("success(\"done\")") })
    }

    private func expectChain(_ run: (String) async throws -> Void) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.json(#"{"name":"Firewheel"}"#))
        try await run(server.url("/user"))
        let lines = await printed.lines(2)
        #expect(lines[0].text.hasPrefix("status 200, 20 bytes, success("), "\(lines)")
        #expect(lines[1].text.contains("success([\"name\": \"Firewheel\"])"), "\(lines)")
        #expect(lines[0].isOnMainQueue && lines[1].isOnMainQueue)
        #expect(try await server.takeRequest().path == "/user")
        #expect(server.requestCount == 1)
    }

    private func expectSerializer(_ run: (String) async throws -> Void) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("raw"))
        try await run(server.url("/text"))
        let lines = await printed.lines(2)
        #expect(lines[0].text.hasPrefix("raw: Optional(") && lines[0].text.contains(server.url("/text")), "\(lines)")
        #expect(!lines[0].isOnMainQueue, "A serializer works off the main queue")
        #expect(lines[1].text.hasPrefix("status 200, 3 bytes, success(\"done\")"), "\(lines)")
        #expect(lines[1].isOnMainQueue)
        #expect(server.requestCount == 1)
    }
}
