import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("The sequences of a request", .timeLimit(.minutes(3)))
struct ConcurrencySequenceTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    @Test("All of them have what they are for, and end with the request")
    func all() async throws {
        let server = try MockServer()
        server.route("/") { _ in .json("{\"n\":1}") }
        let request = session.request(server.url())
        let (requests, tasks, commands) = (request.urlRequests(), request.urlSessionTasks(), request.cURLDescriptions())
        let (responses, sent, received) = (request.httpResponses(), request.uploadProgress(), request.downloadProgress())
        async let allRequests = requests.allElements()
        async let allTasks = tasks.allElements()
        async let allCommands = commands.allElements()
        async let allResponses = responses.allElements()
        async let allSent = sent.allElements()
        async let allReceived = received.allElements()
        async let response = request.serializingDecodable(StreamNumber.self).response
        #expect(await response.value == StreamNumber(n: 1))
        #expect(await allRequests.map(\.url?.absoluteString) == [server.url()])
        #expect(await allTasks == [request.task])
        #expect(await allCommands == [request.cURLDescription()])
        #expect(await allResponses == [request.response])
        #expect(await allSent.isEmpty)
        #expect(await allReceived.last?.isFinished == true)
    }

    @Test("After a retry they go on with the next attempt")
    func retry() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .text("done"))
        let request = session.request(server.url(), shouldAutomaticallyResume: false)
            .validate()
            .retry(using: .retrier { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
        let (requests, tasks, commands) = (request.urlRequests(), request.urlSessionTasks(), request.cURLDescriptions())
        let responses = request.httpResponses()
        request.resume()
        #expect(await requests.allElements().count == 2)
        #expect(await tasks.allElements() == request.tasks)
        #expect(await commands.allElements().count == 2)
        #expect(await responses.allElements().map(\.statusCode) == [503, 200])
    }

    @Test("Of a request that has finished they have the last, of one that could not be made nothing")
    func late() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("done") }
        let request = session.request(server.url())
        _ = await request.serializingData().response
        #expect(await request.urlRequests().allElements().count == 1)
        #expect(await request.urlSessionTasks().allElements() == [request.task])
        #expect(await request.cURLDescriptions().allElements() == [request.cURLDescription()])
        #expect(await request.httpResponses().allElements() == [request.response])
        #expect(await request.downloadProgress().allElements().count == 1)

        let invalid = session.request("")
        let (requests, tasks) = (invalid.urlRequests(), invalid.urlSessionTasks())
        _ = await invalid.serializingData().response
        #expect(await requests.allElements().isEmpty)
        #expect(await tasks.allElements().isEmpty)
        #expect(await invalid.cURLDescriptions().allElements().isEmpty)
    }

    @Test("Secrets are not in the curl commands, and leaving a loop does not end the request")
    func leaving() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("done") }
        let request = session.request(
            server.url(), headers: [.authorization(bearerToken: "secret")], shouldAutomaticallyResume: false)
        let commands = request.cURLDescriptions()
        request.resume()
        for await command in commands {
            #expect(command.contains("curl") && !command.contains("secret"))
            break
        }
        #expect(try await request.serializingString().value == "done" && !request.isCancelled)
    }
}
