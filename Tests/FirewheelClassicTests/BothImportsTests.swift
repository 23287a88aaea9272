import Firewheel
import FirewheelClassic
import FirewheelTesting
import Testing

/// A file that imports both modules and uses results with an error type of its own.
@Suite("Importing Firewheel and FirewheelClassic together", .timeLimit(.minutes(5)))
struct BothImportsTests {
    private enum Refusal: Error { case tooSmall }

    private func check(_ value: Int) -> Swift.Result<Int, Refusal> {
        value < 5 ? .failure(.tooSmall) : .success(value)
    }

    @Test("With both modules imported, Swift.Result has two type parameters and Result has one")
    func names() {
        let typed: Swift.Result<Int, Refusal> = check(1)
        let plain: Result<Int> = Result { try typed.get() }
        #expect(typed.error == .tooSmall)
        #expect(plain.error as? Refusal == .tooSmall)
        #expect(check(7).value == 7)
    }

    @Test("A program of both makes requests with either's spelling, and names ambiguous types with their module")
    func requests() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .json(#"{"a":1}"#) }
        let fields: FirewheelClassic.HTTPHeaders = ["X-One": "1"]
        let list: Firewheel.HTTPHeaders = ["X-One": "2"]
        struct Adding: FirewheelClassic.RequestAdapter {
            func adapt(_ urlRequest: URLRequest) throws -> URLRequest { urlRequest }
        }
        let manager = SessionManager()
        manager.adapter = Adding()
        let classic: DataResponse<Any> = await withCheckedContinuation { done in
            manager.request(server.url(), parameters: ["q": 1], headers: fields).validate().responseJSON { response in
                // Sound because nobody else has the value.
                nonisolated(unsafe) let response = response
                done.resume(returning: response)
            }
        }
        #expect(classic.result.value as? [String: Int] == ["a": 1] && classic.result.isSuccess)
        let value: JSONValue = try await Session().get(server.url(), parameters: ["q": 2], headers: list).serializingJSON().value
        #expect(value == ["a": 1])
        for number in 1...2 {
            let sent = try await server.takeRequest()
            #expect(sent.target == "/?q=\(number)" && sent.header("x-one") == "\(number)")
        }
    }
}
