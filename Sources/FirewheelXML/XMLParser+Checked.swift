import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension XMLGuard {
    /// A parser of the document, with Foundation's default to load no external entity.
    func parser() throws -> XMLParser {
        // From a stream, because on Linux the parser refuses data of more than 10 MB at once.
        XMLParser(stream: InputStream(data: try withoutTraps()))
    }
}
