#if os(macOS) || os(Linux)
    import Foundation

    #if canImport(FoundationXML)
        import FoundationXML
    #endif

    extension XMLGuard {
        /// The document as a tree.
        ///
        /// On Linux `XMLDocument` repairs malformed documents silently, and traps on those that it cannot repair. Therefore a parser reads
        /// the document first.
        func document(options: XMLNode.Options) throws -> XMLDocument {
            try Self.checkValidation(options)
            if hasExternalSubset, options.contains(.documentValidate) { throw XMLFailure(.externalDTD) }
            guard text.count <= Int32.max else { throw XMLFailure(.tooLarge) }
            let builder = DocumentBuilder(text: text, options: options)
            let parser = try parser()
            parser.delegate = builder
            let isParsed = parser.parse()
            if let failure = builder.failure { throw failure }
            guard isParsed, let document = builder.document else {
                throw XMLFailure(.notWellFormed, line: 1, column: 1, underlyingError: parser.parserError)
            }
            return document
        }
    }

    /// Watches a parser for errors, and builds the document at the end if there was none.
    ///
    /// Building it while the parser is active has three effects on Linux. The parser's policy, to load no entity and no DTD, also applies
    /// to the document. Errors in it, such as those of declarations, are reported here, and they are not written to standard error.
    private final class DocumentBuilder: NSObject, XMLParserDelegate {
        private let text: Data
        private let options: XMLNode.Options
        private(set) var document: XMLDocument?
        private(set) var failure: XMLFailure?

        init(text: Data, options: XMLNode.Options) {
            self.text = text
            let loading: XMLNode.Options = [
                .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly, .documentXInclude,
            ]
            self.options = options.subtracting(loading).union(.nodeLoadExternalEntitiesNever)
        }

        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
            guard failure == nil, !XMLFailure.isWarning(error) else { return }
            failure = XMLFailure(.notWellFormed, line: parser.lineNumber, column: parser.columnNumber, underlyingError: error)
        }

        func parserDidEndDocument(_ parser: XMLParser) {
            guard failure == nil, document == nil else { return }
            do {
                document = try XMLDocument(data: text, options: options)
            } catch {
                // Only a document that was to be validated, or one that the parser accepted and the document does not, gets here.
                failure = XMLFailure(options.contains(.documentValidate) ? .invalid : .notWellFormed, underlyingError: error)
            }
        }
    }
#endif
