import FirewheelClassic
import FirewheelImage
import FirewheelTesting
import FirewheelXML
import Testing

/// `HTTPSessionManager` with the serializers of FirewheelXML and FirewheelImage.
@Suite("A session manager with XML and images", .timeLimit(.minutes(5)))
struct ManagerSerializerTests {
    private static let xmlParser = HTTPResponseSerializer(DataResponseSerializer<XMLParser>.xml, acceptableContentTypes: Set([String].xml))
    private static let image = HTTPResponseSerializer(
        DataResponseSerializer<ResponseImage>.image(), acceptableContentTypes: Set(ResponseImage.acceptableContentTypes))

    /// A GIF with 7 × 5 pixels, of which only the header is read.
    private static let gif = Data("GIF89a".utf8) + Data([7, 0, 5, 0, 0, 0, 0, 0x3B])

    private func response(_ body: String, _ type: String, status: Int = 200) -> MockResponse {
        MockResponse(status: status, headers: [("Content-Type", type)], body: Data(body.utf8))
    }

    @Test("A parser that has not run, and an error of a bad type, of a bad status and of entities")
    func parser() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(
            response("<a><b/></a>", "application/xml"), response("<a/>", "text/html"), response("<a/>", "text/xml", status: 500),
            response("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "text/xml"))
        bench.manager.responseSerializer = Self.xmlParser
        let parser = try #require(await bench.get().value as? XMLParser)
        #expect(parser.parse())
        #expect(await bench.get().failure?.responseContentType == "text/html")
        // A parser is not Sendable, so the error cannot have it; it has the body.
        let bad = await bench.get().failure
        #expect(bad?.kind == .responseValidationFailed(.unacceptableStatusCode(500)))
        #expect(bad?.responseValue == nil && bad?.responseData == Data("<a/>".utf8))
        #expect(await bench.get().failure?.kind == .responseSerializationFailed(.xmlSerializationFailed))
    }

    #if os(macOS) || os(Linux)
        @Test("A tree, with options")
        func tree() async throws {
            let bench = try ManagerBench()
            defer { bench.server.shutdown() }
            bench.server.enqueue(response("<a> <b/> </a>", "text/xml"))
            bench.manager.responseSerializer = HTTPResponseSerializer(
                DataResponseSerializer<XMLDocument>.xmlDocument(options: .nodePreserveWhitespace),
                acceptableContentTypes: Set([String].xml))
            #expect((await bench.get().value as? XMLDocument)?.rootElement()?.childCount == 3)
        }
    #endif

    @Test("An image, also of a bad status, beside the error")
    func images() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        for status in [200, 404] {
            bench.server.enqueue(MockResponse(status: status, headers: [("Content-Type", "image/gif")], body: Self.gif))
        }
        bench.manager.responseSerializer = Self.image
        let image = try #require(await bench.get().value as? ResponseImage)
        #expect(image.width == 7 && image.height == 5 && !image.isDecoded)
        let bad = await bench.get().failure
        #expect(bad?.responseCode == 404 && (bad?.responseValue as? ResponseImage)?.width == 7)
    }

    @Test("Without a body the value is nil: 204, 205, HEAD, and any other acceptable status")
    func noBody() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        var serializers = [Self.xmlParser, Self.image]
        #if os(macOS) || os(Linux)
            serializers.append(HTTPResponseSerializer(DataResponseSerializer<XMLDocument>.xmlDocument))
        #endif
        for serializer in serializers {
            bench.manager.responseSerializer = serializer
            bench.server.enqueue(.text(""), MockResponse(status: 204), MockResponse(status: 205), .text("not sent"))
            for status in [200, 204, 205] {
                let outcome = await bench.get()
                #expect(outcome.error == nil && outcome.value == nil, "\(status)")
            }
            let error: (any Error)? = await withCheckedContinuation { done in
                bench.manager.head("x", success: { _ in done.resume(returning: nil) }, failure: { done.resume(returning: $1) })
            }
            #expect(error == nil)
        }
    }

    @Test("Of several serializers one that has parsed a bad status ends the search, although its value cannot be kept")
    func compound() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(response("<a/>", "text/xml", status: 500), response("x", "text/plain", status: 500))
        bench.manager.responseSerializer = .compound([.json, Self.xmlParser, Self.image])
        let parsed = await bench.get().failure
        #expect(parsed?.responseCode == 500 && parsed?.responseValue == nil)
        #expect(await bench.get().failure?.responseValue as? Data == Data("x".utf8))
    }
}
