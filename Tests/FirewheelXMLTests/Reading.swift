import FirewheelXML
import Testing

/// A response of a content type.
func response(_ contentType: String? = nil, status: Int = 200) -> HTTPURLResponse? {
    URL(string: "http://stub.test/").flatMap {
        HTTPURLResponse(url: $0, statusCode: status, httpVersion: "1.1", headerFields: contentType.map { ["Content-Type": $0] })
    }
}

func document(_ body: Data, type: String? = nil, options: XMLNode.Options = []) throws -> XMLDocument {
    try DataResponseSerializer<XMLDocument>.xmlDocument(options: options).serializeResponse(nil, response(type), body, nil).get()
}

func document(_ body: String, options: XMLNode.Options = []) throws -> XMLDocument { try document(Data(body.utf8), options: options) }

func parser(_ body: Data, type: String? = nil) throws -> XMLParser {
    try DataResponseSerializer<XMLParser>.xml.serializeResponse(nil, response(type), body, nil).get()
}

/// The failure of both serializers, which must be the same.
func failure(_ body: String, options: XMLNode.Options = []) throws -> XMLFailure {
    let ofParser = try #require(throws: FirewheelError.self) { try parser(Data(body.utf8)) }
    let ofDocument = try #require(throws: FirewheelError.self) { try document(body, options: options) }
    #expect(ofParser.kind == .responseSerializationFailed(.xmlSerializationFailed) && ofParser.kind == ofDocument.kind)
    #expect(ofParser.description == ofDocument.description)
    return try #require(ofDocument.underlyingError as? XMLFailure)
}

/// The failure of the document's serializer.
func documentFailure(_ body: Data, type: String? = nil, options: XMLNode.Options = []) throws -> XMLFailure {
    let error = try #require(throws: FirewheelError.self) { try document(body, type: type, options: options) }
    #expect(error.kind == .responseSerializationFailed(.xmlSerializationFailed) && error.responseData == body)
    return try #require(error.underlyingError as? XMLFailure)
}

/// What a parser reports.
final class Events: NSObject, XMLParserDelegate {
    private(set) var elements: [String] = []
    private(set) var attributes: [String: String] = [:]
    private(set) var text = ""
    private(set) var unresolved: [String] = []
    private(set) var errors: [Int] = []

    /// Runs the parser. The second value is what `parse()` returned.
    static func of(_ parser: XMLParser) -> (Events, Bool) {
        let events = Events()
        parser.delegate = events
        let isParsed = parser.parse()
        return (events, isParsed)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        elements.append(name)
        self.attributes.merge(attributes) { _, new in new }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { self.text += text }

    func parser(_ parser: XMLParser, foundCDATA data: Data) { text += String(decoding: data, as: UTF8.self) }

    func parser(_ parser: XMLParser, resolveExternalEntityName name: String, systemID: String?) -> Data? {
        unresolved.append(name)
        return nil
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { errors.append((error as NSError).code) }
}

extension XMLNode {
    /// The names of the elements of the tree, in order.
    var elementNames: [String] {
        (kind == .element ? [name ?? ""] : []) + (children ?? []).flatMap(\.elementNames)
    }
}
