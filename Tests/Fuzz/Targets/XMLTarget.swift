import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A document is an error or is read, with the parser and as a tree alike, and stands for no more than it has.
func fuzzXML(_ input: [UInt8]) {
    let types = [nil, "text/xml; charset=utf-8", "application/xml; charset=utf-16", "text/xml; charset=iso-8859-1", "application/xml"]
    guard let accepted = try? XMLGuard(Data(input), contentType: types[input.count % types.count]) else { return }
    let events = MarkupCounter()
    if let parser = try? accepted.parser() {
        parser.delegate = events
        _ = parser.parse()
        check(events.size <= accepted.text.count * 4, "\(events.size) bytes of text and attributes")
    }
    let options: XMLNode.Options = input.count.isMultiple(of: 2) ? [] : [.nodePreserveWhitespace, .documentXInclude]
    guard let document = try? accepted.document(options: options) else { return }
    let count = elements(of: document)
    check(count == events.elements, "the tree has \(count) elements, the parser \(events.elements)")
    _ = document.xmlString
}

/// Counts what a parser reports.
private final class MarkupCounter: NSObject, XMLParserDelegate {
    private(set) var elements = 0
    private(set) var size = 0

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        elements += 1
        size += attributes.reduce(0) { $0 + $1.value.utf8.count }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { size += text.utf8.count }

    func parser(_ parser: XMLParser, foundCDATA data: Data) { size += data.count }

    func parser(_ parser: XMLParser, foundComment comment: String) { size += comment.utf8.count }

    func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
        size += data?.utf8.count ?? 0
    }
}

private func elements(of node: XMLNode) -> Int {
    (node.children ?? []).reduce(node.kind == .element ? 1 : 0) { $0 + elements(of: $1) }
}
