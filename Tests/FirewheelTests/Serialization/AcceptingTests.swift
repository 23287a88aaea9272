import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `accepting(statusCodes:contentTypes:)` follows AFNetworking's response serializers.
@Suite("Serializers that accept only some responses")
struct AcceptingTests {
    private static let json = DataResponseSerializer<Any>.json().accepting(statusCodes: 200..<300, contentTypes: ["application/json"])
    private static let body = Data(#"{"problem":"none"}"#.utf8)

    struct Seen: Equatable, Sendable {
        var kind: FirewheelError.Kind?
        var underlying: FirewheelError.Kind?
        var original: FirewheelError.Kind?
        var value: JSONValue?
    }

    private static let wrongStatus = FirewheelError.Kind.responseValidationFailed(.unacceptableStatusCode(404))
    private static func wrongType(_ type: String) -> FirewheelError.Kind {
        .responseValidationFailed(.unacceptableContentType(acceptable: ["application/json"], received: type))
    }
    private static let noType = FirewheelError.Kind.responseValidationFailed(.missingContentType(acceptable: ["application/json"]))
    private static let noBody = FirewheelError.Kind.responseSerializationFailed(.inputDataNilOrZeroLength)
    private static let noJSON = FirewheelError.Kind.responseSerializationFailed(.jsonSerializationFailed)

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        let type: String?
        let body: String?
        let seen: Seen

        init(_ name: String, _ status: Int, _ type: String?, _ body: String?, _ seen: Seen) {
            (testDescription, self.status, self.type, self.body, self.seen) = (name, status, type, body, seen)
        }
    }

    @Test(
        "The status and the media type are checked, and the value of a response with a wrong status is kept",
        arguments: [
            Row("both right", 200, "application/json; charset=utf-8", #"{"a":1}"#, Seen(value: ["a": 1])),
            Row("wrong type", 200, "text/html", "<html>", Seen(kind: wrongType("text/html"))),
            Row("no type", 200, nil, #"{"a":1}"#, Seen(kind: noType)),
            Row("wrong status", 404, "application/json", #"{"a":1}"#, Seen(kind: wrongStatus, value: ["a": 1])),
            Row("both wrong", 404, "text/html", "<html>", Seen(kind: wrongStatus, underlying: wrongType("text/html"))),
            Row("wrong status, no type", 404, nil, "{}", Seen(kind: wrongStatus, underlying: noType)),
            Row("wrong status, unreadable", 404, "application/json", "{", Seen(kind: noJSON, original: wrongStatus)),
            // Without a body there is no media type.
            Row("no body, no type", 204, nil, nil, Seen(value: .null)),
            Row("no body, wrong type", 204, "text/html", "", Seen(value: .null)),
            Row("no body where one is needed", 200, "text/html", "", Seen(kind: noBody)),
            Row("wrong status, no body", 404, "text/html", "", Seen(kind: wrongStatus)),
            Row("wrong status, a single space", 404, "application/json", " ", Seen(kind: wrongStatus)),
        ])
    func table(row: Row) throws {
        let result = try apply(Self.json, status: row.status, type: row.type, row.body.map { Data($0.utf8) })
        switch result {
        case .success(let value): #expect(try Seen(value: JSONValue(foundationObject: value)) == row.seen)
        case .failure(let error):
            let error = try #require(error.asFirewheelError)
            var underlying: FirewheelError.Kind?
            if case .responseValidationFailed = error.kind { underlying = error.underlyingError?.asFirewheelError?.kind }
            let seen = Seen(
                kind: error.kind, underlying: underlying, original: error.originalError?.asFirewheelError?.kind,
                value: error.responseValue as? JSONValue)
            #expect(seen == row.seen)
            // The error carries the response and its body, whatever was wrong.
            if row.seen.kind != Self.noBody {
                #expect(error.responseCode == row.status && error.response != nil)
                #expect(error.responseData == row.body.map { Data($0.utf8) })
            }
        }
    }

    @Test("An earlier error is passed on to the serializer")
    func earlier() throws {
        struct Earlier: Error {}
        #expect(try apply(Self.json, status: 404, Self.body, error: Earlier()).failure is Earlier)
        let recovering = DataResponseSerializer<Int> { _, _, _, error in error == nil ? .success(1) : .success(2) }
        #expect(try apply(recovering.accepting(), status: 404, Self.body, error: Earlier()).get() == 2)
    }

    @Test("Values of every Sendable type are kept, and errors of custom serializers are not lost")
    func values() throws {
        struct Odd: Error {}
        func value<Value>(_ serializer: DataResponseSerializer<Value>) throws -> (any Sendable)? {
            let result = try apply(serializer, status: 500, Self.body)
            return result.failure?.asFirewheelError?.responseValue
        }
        struct Problem: Codable, Equatable {
            let problem: String
        }
        let text = try value(DataResponseSerializer.string().accepting())
        #expect(text as? String == #"{"problem":"none"}"#)
        let data = try value(DataResponseSerializer.data.accepting())
        #expect(data as? Data == Self.body)
        let json = try value(DataResponseSerializer.jsonValue().accepting())
        #expect(json as? JSONValue == ["problem": "none"])
        let decoded = try value(DataResponseSerializer<Problem>.decodable().accepting())
        #expect(decoded as? Problem == Problem(problem: "none"))
        let erased = try value(DataResponseSerializer.string().map { $0 as Any }.accepting())
        #expect(erased as? JSONValue == .string(#"{"problem":"none"}"#))
        // As for the built-in parsers, the parser's error is told first, and then the status.
        let custom = DataResponseSerializer<Int> { _, _, _, _ in .failure(Odd()) }
        let failure = try #require(apply(custom.accepting(), status: 500, Self.body).failure?.asFirewheelError)
        #expect(failure.kind == .responseSerializationFailed(.customSerializationFailed) && failure.underlyingError is Odd)
        #expect(failure.originalError?.asFirewheelError?.kind == .responseValidationFailed(.unacceptableStatusCode(500)))
        #expect(failure.responseCode == 500 && failure.responseData == Self.body && failure.response != nil)
        #expect(failure.description.contains(": the serializer failed: ") && failure.description.contains("500"))
        #expect(try apply(custom.accepting(), status: 200, Self.body).failure is Odd)
    }

    @Test("A property list with dates and data is kept as Sendable values", arguments: [false, true])
    func propertyLists(isMutable: Bool) throws {
        let options: PropertyListSerialization.ReadOptions = isMutable ? .mutableContainersAndLeaves : []
        let list: [String: Any] = ["when": Date(timeIntervalSinceReferenceDate: 7), "what": Data([1]), "rows": [1, 2.5, true, "x"]]
        let serializer = DataResponseSerializer<Any>.propertyList(options: options).accepting()
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let body = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
            let error = try #require(apply(serializer, status: 500, body).failure?.asFirewheelError)
            #expect(error.responseCode == 500)
            let value = try #require(error.responseValue as? [String: any Sendable])
            #expect(value["when"] as? Date == Date(timeIntervalSinceReferenceDate: 7) && value["what"] as? Data == Data([1]))
            let rows = try #require(value["rows"] as? [any Sendable])
            #expect(rows[0] as? Int == 1 && rows[1] as? Double == 2.5 && rows[2] as? Bool == true && rows[3] as? String == "x")
            let data = try PropertyListSerialization.data(fromPropertyList: Data([2]), format: format, options: 0)
            #expect(try apply(serializer, status: 500, data).failure?.asFirewheelError?.responseValue as? Data == Data([2]))
        }
        let plain = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
        #expect(try apply(serializer, status: 500, plain).failure?.asFirewheelError?.responseValue as? JSONValue == ["a": 1])
    }

    @Test("JSON is kept at every depth that is parsed", arguments: [100, 101, 512])
    func depth(_ depth: Int) throws {
        let body = Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        let error = try #require(apply(Self.json, status: 404, type: "application/json", body).failure?.asFirewheelError)
        #expect(error.kind == Self.wrongStatus)
        #expect(try error.responseValue as? JSONValue == JSONValue(data: body))
    }

    @Test("The codes and types can be any: sets, arrays, wildcards")
    func forms() throws {
        let any = DataResponseSerializer<String>.string().accepting(statusCodes: [200, 404] as Set, contentTypes: ["text/*"])
        #expect(try apply(any, status: 404, type: "text/plain", Data("x".utf8)).get() == "x")
        #expect(try apply(any, status: 201, type: "text/plain", Data("x".utf8)).failure?.asFirewheelError?.responseValue as? String == "x")
        #expect(
            try apply(any, status: 200, type: "image/png", Data("x".utf8)).failure?.asFirewheelError?.responseContentType == "image/png")
        let all = DataResponseSerializer<String>.string().accepting(statusCodes: 100...599, contentTypes: ["*/*"])
        #expect(try apply(all, status: 500, Data("x".utf8)).get() == "x")
    }

    @Test("A request delivers the page of an error beside the error, with the session's decoder")
    func onWire() async throws {
        struct Problem: Codable, Equatable, Sendable {
            let someProblem: String
        }
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in .text(#"{"some_problem":"none left"}"#, status: 409, headers: [("Content-Type", "application/json")]) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let session = Session(configuration: .with { $0.decoder = decoder })
        let response = await session.request(server.url())
            .serializingResponse(using: DataResponseSerializer<Problem>.decodable().accepting(contentTypes: ["application/json"])).response
        let error = try #require(response.error?.asFirewheelError)
        #expect(error.kind == .responseValidationFailed(.unacceptableStatusCode(409)))
        #expect(error.responseValue as? Problem == Problem(someProblem: "none left"))
        #expect(error.request?.url == URL(string: server.url()) && !"\(error)".contains("none left"))
        #expect(!String(reflecting: error).contains("none left"))
    }

    @Test("Downloads: the content of a file with a wrong status is parsed, and the file itself is not taken")
    func downloads() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        server.route("/") { _ in .text(#"{"a":1}"#, status: 500, headers: [("Content-Type", "application/json")]) }
        server.route("/html") { _ in .text("<html>", headers: [("Content-Type", "text/html")]) }
        server.route("/empty") { _ in .text("", status: 204) }
        let session = Session(configuration: .with { $0.temporaryDirectory = folder.url })
        let json = DownloadResponseSerializer(DataResponseSerializer<JSONValue>.jsonValue()).accepting(contentTypes: ["application/json"])
        let file = DownloadResponseSerializer<URL>.url.accepting()
        // A response keeps its file for as long as it exists.
        func check() async throws {
            let response = await session.download(server.url()).serializingDownload(using: json).response
            #expect(response.error?.asFirewheelError?.kind == .responseValidationFailed(.unacceptableStatusCode(500)))
            #expect(response.error?.asFirewheelError?.responseValue as? JSONValue == ["a": 1])
            #expect(response.error?.asFirewheelError?.responseData == Data(#"{"a":1}"#.utf8))
            let html = await session.download(server.url("/html")).serializingDownload(using: json).response
            #expect(html.error?.asFirewheelError?.responseContentType == "text/html")
            #expect(try await session.download(server.url("/empty")).serializingDownload(using: json).value == .null)
            let refused = await session.download(server.url()).serializingDownload(using: file).response
            #expect(refused.error?.asFirewheelError?.responseCode == 500)
        }
        try await check()
        try await waitUntil("the refused files are removed") { (try? folder.contents.isEmpty) == true }
        let taken = try await session.download(server.url("/html")).serializingDownload(using: file).value
        #expect(try Data(contentsOf: taken) == Data("<html>".utf8))
    }
}
