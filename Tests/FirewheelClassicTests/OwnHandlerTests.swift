import FirewheelClassic
import FirewheelTesting
import Testing

/// Custom handlers made of the built-in serializers, as in Alamofire 4's documentation.
@Suite("Custom response handlers written for Alamofire 4", .timeLimit(.minutes(5)))
@MainActor
struct OwnHandlerTests {
    @Test("A custom responseObject with an optional queue works, also behind a function that passes its completion on")
    func ownHandlers() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .json(#"{"name":"Firewheel"}"#) }
        let user: Result<User> = await withCheckedContinuation { continuation in
            SessionManager.default.request(server.url()).responseObject { (response: DataResponse<User>) in
                continuation.resume(returning: response.result)
            }
        }
        #expect(user.value?.name == "Firewheel")
        let lists: Result<User> = await withCheckedContinuation { continuation in
            fetch(User.self, from: server.url(), queue: .global()) { continuation.resume(returning: $0) }
        }
        #expect(lists.value?.name == "Firewheel")
    }

    @Test("The static serialize functions return the value, the given error, or the parse failure")
    func failures() {
        struct Broken: Error {}
        #expect(Request.serializeResponseData(response: nil, data: Data("x".utf8), error: nil).value == Data("x".utf8))
        #expect(Request.serializeResponseString(encoding: .utf8, response: nil, data: Data("é".utf8), error: nil).value == "é")
        #expect(Request.serializeResponseJSON(options: [], response: nil, data: Data("[1]".utf8), error: nil).value as? [Int] == [1])
        #expect(Request.serializeResponseJSON(options: [], response: nil, data: nil, error: Broken()).error is Broken)
        #expect(Request.serializeResponsePropertyList(options: [], response: nil, data: Data("{".utf8), error: nil).isFailure)
    }

    @Test("flatMap and flatMapError of a response transform its value and its error")
    func transformations() async throws {
        struct Wrapped: Error { let error: any Error }
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .json(#"{"name":"Firewheel"}"#) }
        let response: DataResponse<Any> = await withCheckedContinuation { continuation in
            SessionManager.default.request(server.url()).responseJSON { response in
                let copy = TestBox(response)
                continuation.resume(returning: copy)
            }
        }.value
        let name = response.flatMap { json in try User(representation: json).name }
        #expect(name.result.value == "Firewheel")
        let failed = response.flatMap { _ in try User(representation: 1) }.flatMapError { Wrapped(error: $0) }
        #expect((failed.error as? Wrapped)?.error is User.Missing)
    }
}

/// Passes a response from a main-actor handler to the main-actor test.
private struct TestBox<Value>: @unchecked Sendable {
    // Sound because both ends are on the main actor.
    let value: Value
    init(_ value: Value) { self.value = value }
}

private protocol ResponseObjectSerializable: SendableMetatype {
    init(representation: Any) throws
}

private struct User: ResponseObjectSerializable, Sendable {
    struct Missing: Error {}

    let name: String

    init(representation: Any) throws {
        guard let object = representation as? [String: Any], let name = object["name"] as? String else { throw Missing() }
        self.name = name
    }
}

extension DataRequest {
    @discardableResult
    fileprivate func responseObject<T: ResponseObjectSerializable>(
        queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<T>) -> Void
    ) -> Self {
        let responseSerializer = DataResponseSerializer<T> { request, response, data, error in
            guard error == nil else { return .failure(error!) }
            let jsonResponseSerializer = DataRequest.jsonResponseSerializer(options: .allowFragments)
            let result = jsonResponseSerializer.serializeResponse(request, response, data, nil)
            guard case .success(let jsonObject) = result else { return .failure(result.error!) }
            return result.flatMap { _ in try T(representation: jsonObject) }
        }
        return response(queue: queue, responseSerializer: responseSerializer, completionHandler: completionHandler)
    }
}

private func fetch<T: ResponseObjectSerializable & Sendable>(
    _ type: T.Type, from url: String, queue: DispatchQueue?, completion: @escaping @Sendable (Result<T>) -> Void
) {
    SessionManager.default.request(url).validate().responseObject(queue: queue) { (response: DataResponse<T>) in
        completion(response.result)
    }
}

#if swift(<6.0)
    /// Code that Swift 5 mode accepts without `@Sendable` or `@MainActor`.
    class OldClient {
        var items: [Any] = []
        var name: String?

        func load(_ url: String, queue: DispatchQueue? = nil, completion: @escaping (Error?) -> Void) {
            SessionManager.default.request(url).validate().responseJSON { response in
                switch response.result {
                case .success(let value):
                    self.items.append(value)
                    self.loadName(url, queue: queue, completion: completion)
                case .failure(let error):
                    completion(error)
                }
            }
        }

        func loadName(_ url: String, queue: DispatchQueue?, completion: @escaping (Error?) -> Void) {
            let handler: (DataResponse<String>) -> Void = { response in
                self.name = response.result.value
                completion(response.error)
            }
            SessionManager.default.request(url).responseString(queue: queue, completionHandler: handler)
        }
    }

    @Suite("Custom response handlers in Swift 5 mode", .timeLimit(.minutes(5)))
    struct Swift5Tests {
        @Test("In Swift 5 mode a plain class can store responses and pass its completion handlers on")
        func plainClass() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/*") { _ in .json("[1]") }
            let client = OldClient()
            let error: Error? = await withCheckedContinuation { continuation in
                client.load(server.url()) { continuation.resume(returning: $0) }
            }
            #expect(error == nil && client.items.count == 1 && client.name == "[1]")
        }
    }
#endif
