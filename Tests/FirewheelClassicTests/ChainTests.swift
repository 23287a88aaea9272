import FirewheelClassic
import FirewheelTesting
import Testing

/// The chains of `Chains.swift` over a real socket.
@Suite("Alamofire 4 handler chains compile and run unchanged", .serialized, .timeLimit(.minutes(5)))
struct ChainTests {
    @Test("A plain class can chain response and responseJSON")
    func chainOfAClass() async throws {
        try await expectChain { PlainClient($0).chain() }
    }

    @Test("A class of the main actor can chain response and responseJSON")
    func chainOfTheMainActor() async throws {
        try await expectChain { await ViewController($0).chain() }
    }

    @Test("An async function can chain response and responseJSON")
    func chainOfAFunction() async throws {
        try await expectChain { try await chain($0) }
    }

    @Test("A plain class can use a custom response serializer")
    func serializerOfAClass() async throws {
        try await expectSerializer { PlainClient($0).serializer() }
    }

    @Test("A class of the main actor can use a custom response serializer")
    func serializerOfTheMainActor() async throws {
        try await expectSerializer { await ViewController($0).serializer() }
    }

    @Test("An async function can use a custom response serializer")
    func serializerOfAFunction() async throws {
        try await expectSerializer { try await serializer($0) }
    }

    @Test("A failed request calls the same chained handlers with its error")
    func failure() async throws {
        PlainClient("no URL").chain()
        PlainClient("no URL").serializer()
        let lines = await printed.lines(4).map(\.text)
        #expect(lines.filter { $0.contains("failure(the URL") }.count == 2, "\(lines)")
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
