import FirewheelTesting
import FirewheelXML
import Testing

/// XML through requests: handlers, tasks, downloads, empty bodies, errors.
@Suite("Requests of XML", .timeLimit(.minutes(5)))
struct XMLRequestTests {
    private func session(_ body: String, status: Int = 200, type: String = "application/xml") -> Session {
        Session(
            transport: StubTransport { _ in
                [.response(ResponseHead(statusCode: status, headers: ["Content-Type": type])), .finish(body: Data(body.utf8))]
            })
    }

    private let url = "http://stub.test/feed"

    @Test("Handlers on the main actor and on a queue get a parser that has not run, and a tree")
    func handlers() async throws {
        let session = session(Fixtures.atom)
        let names = await withCheckedContinuation { continuation in
            let request = session.request(url).validate(contentType: .xml)
            request.responseXML(queue: .global()) { response in
                let events = response.value.map { Events.of($0).0.elements } ?? []
                request.responseXMLDocument(queue: .global()) { continuation.resume(returning: (events, $0.value?.elementNames)) }
            }
        }
        #expect(names.0 == ["feed", "title", "entry", "title", "link", "content"] && names.1 == names.0)
        #expect(await onMainActor(session) == names.0)
    }

    @MainActor
    private func onMainActor(_ session: Session) async -> [String] {
        await withCheckedContinuation { continuation in
            session.request(url).responseXMLDocument { response in
                MainActor.assertIsolated()
                let tree = response.value?.elementNames ?? []
                session.request(self.url).responseXML { response in
                    MainActor.assertIsolated()
                    let events = response.value.map { Events.of($0).0.elements } ?? []
                    continuation.resume(returning: events == tree ? tree : [])
                }
            }
        }
    }

    @Test("Tasks hand a parser and a tree over once")
    func tasks() async throws {
        let session = session(Fixtures.rss)
        let parser = try await session.request(url).validate(contentType: .xml).serializingXML().value
        #expect(Events.of(try parser.take()).0.elements.count == 8)
        #expect(throws: XMLFailure.self) { _ = try parser.take() }
        let tree = try await session.request(url).serializingXMLDocument(options: .nodePreserveWhitespace).value.take()
        #expect(tree.rootElement()?.childCount == 3)
    }

    @Test("Downloads are read from the file")
    func downloads() async throws {
        let session = session(Fixtures.rss)
        #expect(Events.of(try await session.download(url).serializingXML().value.take()).0.elements.count == 8)
        #expect(try await session.download(url).serializingXMLDocument().value.take().elementNames.count == 8)
        let counts = await withCheckedContinuation { continuation in
            let request = session.download(url)
            request.responseXML(queue: .global()) { response in
                let count = response.value.map { Events.of($0).0.elements.count }
                request.responseXMLDocument(queue: .global()) { continuation.resume(returning: (count, $0.value?.elementNames.count)) }
            }
        }
        #expect(counts.0 == 8 && counts.1 == 8)
    }

    @Test("An empty body is an error, and another one if it is allowed to be empty")
    func empty() async throws {
        let error = try #require(await session("").request(url).serializingXML().response.error?.asFirewheelError)
        #expect(error.kind == .responseSerializationFailed(.inputDataNilOrZeroLength))
        let allowed = try #require(await session("", status: 204).request(url).serializingXMLDocument().response.error?.asFirewheelError)
        guard case .responseSerializationFailed(.invalidEmptyResponse) = allowed.kind else {
            Issue.record("\(allowed)")
            return
        }
    }

    @Test("Errors say what is wrong and where, and keep the cause, the response and the body")
    func errors() async throws {
        let error = try #require(await session("<a>\n<b></a>").request(url).serializingXMLDocument().response.error?.asFirewheelError)
        #expect(error.kind == .responseSerializationFailed(.xmlSerializationFailed))
        #expect(
            error.description.hasPrefix(
                "GET http://stub.test/feed: cannot use the body as XML: a tag is not the one that was opened (line 2, "))
        #expect(error.description.hasSuffix("), 11 bytes of application/xml"))
        #expect(error.response?.statusCode == 200 && error.responseData == Data("<a>\n<b></a>".utf8))
        let failure = try #require(error.underlyingError as? XMLFailure)
        #expect(failure.line == 2 && ((failure.underlyingError as Any) as? NSError)?.code == 76)

        let page = try #require(await session("<p>no", type: "text/html").request(url).serializingXMLDocument().response.error)
        #expect("\(page)" == "GET http://stub.test/feed: expected XML, the response is text/html, 5 bytes")
        let bomb = "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"
        let refused = try #require(await session(bomb).request(url).serializingXML().response.error)
        #expect("\(refused)".contains("cannot use the body as XML: it declares entities, which is refused (line 1, column 14), 40 bytes"))
    }

    @Test("An earlier error is the result")
    func earlier() async throws {
        let session = session(Fixtures.rss, status: 404)
        let error = try #require(await session.request(url).validate().serializingXMLDocument().response.error?.asFirewheelError)
        #expect(error.kind == .responseValidationFailed(.unacceptableStatusCode(404)))
        let other = self.session(Fixtures.rss, type: "text/plain")
        let type = try #require(await other.request(url).validate(contentType: .xml).serializingXML().response.error?.asFirewheelError)
        #expect(type.acceptableContentTypes == ["application/xml", "text/xml"])
    }

    @Test("A preprocessor sees the body first")
    func preprocessor() async throws {
        let tree = try await session("junk<a/>").request(url).serializingXMLDocument(dataPreprocessor: Dropping()).value.take()
        #expect(tree.elementNames == ["a"])
    }

    private struct Dropping: DataPreprocessor {
        func preprocess(_ data: Data) throws -> Data { data.dropFirst(4) }
    }
}
