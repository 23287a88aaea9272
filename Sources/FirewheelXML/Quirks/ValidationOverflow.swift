#if os(macOS) || os(Linux)
    import Foundation

    #if canImport(FoundationXML)
        import FoundationXML
    #endif

    // FoundationXML up to Swift 6.3 prints each message of libxml2's validation, which quotes the document, into 1,024 bytes without a
    // check, so that a document overwrites memory (`_CFXMLValidityErrorHandler` in `CFXMLInterface.c`). `EntityTests` shows that nothing is
    // validated.
    extension XMLGuard {
        /// - Throws: ``XMLFailure``, if the document was to be validated on Linux.
        static func checkValidation(_ options: XMLNode.Options) throws {
            #if canImport(FoundationXML)
                if options.contains(.documentValidate) { throw XMLFailure(.validationUnavailable) }
            #endif
        }
    }
#endif
