import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Data requests in Alamofire's form", .timeLimit(.minutes(2)))
struct DataRequestTests {
    let server: MockServer
    let session = Session()

    init() throws { server = try .usual() }

    @Test("A handler without a queue runs on the main actor, and may change its state")
    @MainActor
    func mainActor() async {
        final class Model { var user: User? }
        let model = Model()
        await withCheckedContinuation { continuation in
            session.request(server.url("/user")).validate().responseDecodable(of: User.self) { response in
                model.user = response.value
                continuation.resume()
            }
        }
        #expect(model.user == User(name: "Ada"))
    }

    @Test("A handler with a queue runs on it")
    func queue() async {
        let queue = DispatchQueue(label: "handlers")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isOnQueue: Bool = await delivered { done in
            session.request(server.url("/user")).response(queue: queue) { _ in done(DispatchQueue.getSpecific(key: key) == true) }
        }
        #expect(isOnQueue)
    }

    @Test("The response has the request, the response, the body, the metrics and the value")
    func response() async {
        let response = await session.request(server.url("/user")).serializingString().response
        #expect(response.request?.url?.path == "/user")
        #expect(response.response?.statusCode == 200)
        #expect(response.data == Data(#"{"name":"Ada"}"#.utf8))
        #expect(response.metrics?.transactionMetrics.count == 1)
        #expect(response.value == #"{"name":"Ada"}"#)
        #expect(response.error == nil && response.serializationDuration >= 0)
        #expect(response.map(\.count).value == 14)
    }

    @Test("JSON objects of handlers need not be Sendable")
    func json() async {
        let name: String? = await delivered { done in
            session.request(server.url("/user")).responseJSON(queue: .global()) { response in
                done((response.value as? [String: Any])?["name"] as? String)
            }
        }
        #expect(name == "Ada")
    }

    @Test("A serializer's own type may have only serialize(), and any value")
    func ownSerializer() async {
        final class Box { var count = 0 }
        struct Counting: ResponseSerializer {
            func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Box {
                if let error { throw error }
                let box = Box()
                box.count = data?.count ?? 0
                return box
            }
        }
        let count: Int? = await delivered { done in
            session.request(server.url("/user")).response(queue: .global(), responseSerializer: Counting()) { done($0.value?.count) }
        }
        #expect(count == 14)
    }

    @Test("An error of a serializer that is no AFError is a custom serialization failure")
    func serializerError() async {
        struct Broken: Error {}
        struct Failing: DataResponseSerializerProtocol {
            func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Int {
                throw Broken()
            }
        }
        let error = await session.request(server.url("/user")).serializingResponse(using: Failing()).response.error
        guard case .responseSerializationFailed(.customSerializationFailed(let cause))? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(cause is Broken)
    }

    @Test("validate() refuses a status, and a serializer gets the AFError")
    func validation() async {
        let response = await session.request(server.url("/status/404")).validate().serializingData().response
        #expect(response.error?.responseCode == 404 && response.error?.isResponseValidationError == true)
        #expect(response.response?.statusCode == 404)
        struct Asking: DataResponseSerializerProtocol {
            func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Int? {
                (error as? AFError)?.responseCode
            }
        }
        let code = await session.request(server.url("/status/404")).validate().serializingResponse(using: Asking()).response.value
        #expect(code == .some(404))
    }

    @Test("A 304 does not pass validate(), also if the caller asked for it")
    func notModified() async {
        let request = session.request(server.url("/status/304"), headers: ["If-None-Match": "\"1\""]).validate()
        #expect(await request.serializingData().response.error?.responseCode == 304)
    }

    @Test("A validation's own error is that of the response")
    func customValidation() async {
        struct Refused: Error {}
        let response = await session.request(server.url("/user")).validate { _, _, data in
            data?.count == 14 ? .failure(Refused()) : .success(())
        }.serializingData().response
        #expect(response.error?.underlyingError is Refused)
        #expect(response.error?.isResponseValidationError == true)
        let passed = await session.request(server.url("/user")).validate(statusCode: [200]).validate(contentType: ["application/json"])
            .validate { request, response, _ in
                request != nil && response.statusCode == 200 ? .success(()) : .failure(Refused())
            }.serializingData().response
        #expect(passed.error == nil)
    }

    @Test("Parameters and headers are sent as the engine sends them")
    func parameters() async throws {
        let echoed = try await session.request(
            server.url("/echo"), method: .post, parameters: ["a": "b c"], headers: ["X-A": "1"]
        ) { $0.headers.add(name: "X-B", value: "2") }.serializingString().value
        #expect(echoed.hasPrefix("POST /echo\n") && echoed.hasSuffix("\n\na=b%20c"))
        #expect(echoed.contains("X-A: 1") && echoed.contains("X-B: 2"))
        let encoded = try await session.request(server.url("/echo"), method: .put, parameters: User(name: "Ada"), encoder: .json)
            .serializingString().value
        #expect(encoded.hasSuffix(#"{"name":"Ada"}"#))
        let query = try await session.request(server.url("/echo"), parameters: User(name: "Ada")).serializingString().value
        #expect(query.hasPrefix("GET /echo?name=Ada\n"))
        var request = try URLRequest(url: server.url("/echo"), method: .patch)
        request.httpBody = Data("body".utf8)
        #expect(try await session.request(request).serializingString().value.hasSuffix("\n\nbody"))
    }

    @Test("All handlers are called once, in order, also those that are attached after the end")
    func handlers() async throws {
        let journal = Journal<Int>()
        let queue = DispatchQueue(label: "handlers")
        let request = session.request(server.url("/user"))
        request.response(queue: queue) { _ in journal.add(1) }.responseData(queue: queue) { _ in journal.add(2) }
            .responseString(queue: queue) { _ in journal.add(3) }
        try await waitUntil("the handlers") { journal.elements.count == 3 && request.isFinished }
        request.responseDecodable(of: User.self, queue: queue) { journal.add($0.value == User(name: "Ada") ? 4 : 0) }
        try await waitUntil("the late handler") { journal.elements.count == 4 }
        #expect(journal.elements == [1, 2, 3, 4])
    }

    @Test("What was sent to the root queue before a response comes before its handler")
    func rootQueue() async throws {
        let journal = Journal<Double>()
        let body = Data(count: 1_000_000)
        server.route("/large") { _ in MockResponse(body: body) }
        for _ in 0..<20 {
            let last: Double? = await delivered { done in
                session.request(server.url("/large"))
                    .downloadProgress(queue: session.rootQueue) { journal.add($0.fractionCompleted) }
                    .response(queue: .global()) { _ in done(journal.elements.last) }
            }
            #expect(last == 1)
        }
    }

    @Test("A cancelled request ends with explicitlyCancelled, and cancelling the awaiting task cancels it")
    func cancelling() async throws {
        server.route("/never") { _ in MockResponse().delayed(head: 60) }
        let request = session.request(server.url("/never"))
        let task = request.serializingData()
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true && request.isCancelled)
        let other = session.request(server.url("/never"))
        let awaiting = Task { await other.serializingData().response.error }
        try await waitUntil("the start") { other.task != nil }
        awaiting.cancel()
        #expect(await awaiting.value?.isExplicitlyCancelledError == true && other.isCancelled)
    }

    @Test("An invalid URL is its error, with the URL")
    func invalidURL() async {
        let response = await session.request("").serializingData().response
        #expect(response.error?.isInvalidURLError == true && response.request == nil && response.data == nil)
        #expect(response.error?.urlConvertible as? String == "")
    }

    @Test("Text without a declared encoding is UTF-8 if it is valid, otherwise ISO-8859-1")
    func text() async throws {
        for (name, bytes) in [("utf8", [0x47, 0xC3, 0xBC]), ("latin1", [0x47, 0xFC])] as [(String, [UInt8])] {
            server.route("/\(name)") { _ in MockResponse(body: Data(bytes)) }
            #expect(try await session.request(server.url("/\(name)")).serializingString().value == "G\u{FC}")
            let serializer = StringResponseSerializer()
            #expect(try serializer.serialize(request: nil, response: nil, data: Data(bytes), error: nil) == "G\u{FC}")
        }
    }

    @Test("The header fields of Alamofire's default configuration are sent, with Firewheel's name")
    func agent() async throws {
        let echoed = try await session.request(server.url("/echo")).serializingString().value
        #expect(echoed.contains("User-Agent: ") && echoed.contains("Firewheel/") && echoed.contains("Accept-Encoding: "))
    }

    @Test("A retrier is asked once about a failure, whatever the number of validations and handlers")
    func retrierIsAskedOnce() async throws {
        let journal = Journal<Int?>()
        let queue = DispatchQueue(label: "handlers")
        let handlers = Journal<Int>()
        let retrier = Retrier { _, _, error, completion in
            journal.add(error.asAFError?.responseCode)
            completion(.doNotRetry)
        }
        session.request(server.url("/status/503"), interceptor: retrier).validate().validate(contentType: ["text/css"])
            .responseData(queue: queue) { _ in handlers.add(1) }.responseString(queue: queue) { _ in handlers.add(2) }
        try await waitUntil("the handlers") { handlers.elements.count == 2 }
        #expect(journal.elements == [503])
    }

    @Test("Descriptions show no credentials")
    func descriptions() async {
        let secret = server.url("/user").replacingOccurrences(of: "http://", with: "http://ada:lovelace@")
        let request = session.request(secret, headers: [.authorization(bearerToken: "token-1")])
        let response = await request.serializingData().response
        for text in ["\(request)", request.cURLDescription(), "\(response)", response.debugDescription, "\(String(reflecting: request))"] {
            #expect(!text.contains("lovelace") && !text.contains("token-1"))
        }
        let command = request.cURLDescription()
        #expect(command.contains("-H 'Authorization: ") && !command.contains("\""))
        var dumped = ""
        dump(request, to: &dumped)
        dump(response, to: &dumped)
        #expect(!dumped.contains("lovelace") && !dumped.contains("token-1"))

        // The input of requests, and the configuration of their session.
        let configuration = URLSessionConfiguration.af.ephemeral
        configuration.headers.add(.authorization(bearerToken: "lovelace"))
        let other = Session(configuration: configuration, startRequestsImmediately: false)
        let untyped = other.request(secret, parameters: ["password": "token-1"]).convertible
        let typed = other.request(secret, parameters: ["password": "token-1"], encoder: .urlEncodedForm).convertible
        let download = other.download(secret, parameters: ["password": "token-1"] as Parameters).downloadable
        for input in [other, untyped, typed, download] as [Any] {
            var text = "\(input) \(String(reflecting: input)) "
            dump(input, to: &text)
            #expect(!text.contains("lovelace") && !text.contains("token-1"), "\(text)")
        }
    }
}
