import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension XMLGuard {
    /// A parser of the document, with Foundation's default to load no external entity.
    func parser() throws -> XMLParser {
        // No element is shorter than <a/>. On Linux the parser finds no fault with fewer bytes (`LimitTests`).
        guard text.endIndex - root >= 4 else {
            // As in libxml2: the codes of Foundation's enumeration are others on Linux.
            let code = root == text.endIndex ? 4 : 5
            var end = ByteReader(text)
            end.index = text.endIndex
            throw end.failure(.notWellFormed, NSError(domain: XMLParser.errorDomain, code: code))
        }
        // From a stream, because on Linux the parser refuses data of more than 10 MB at once.
        return XMLParser(stream: InputStream(data: try withoutTraps()))
    }
}
