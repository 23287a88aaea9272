import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Why a body cannot be used as XML, and where: the `underlyingError` of `responseSerializationFailed(.xmlSerializationFailed)`.
public struct XMLFailure: Error, Sendable, CustomStringConvertible {
    /// Why a body was rejected.
    public enum Reason: Sendable, Equatable {
        /// The body is not well-formed, or it uses a namespace prefix without a declaration.
        case notWellFormed
        /// The document declares entities, or refers to a parameter entity. Such documents are refused, since entities can read files and
        /// addresses, and expand to more than the memory holds.
        case entityDeclaration
        /// The document was to be validated against an external DTD, which is never loaded.
        case externalDTD
        /// The document was to be validated on Linux, where Foundation's validation is not safe.
        case validationUnavailable
        /// An element has more than ``XMLFailure/maximumAttributes`` attributes. The parser needs time that grows with their square.
        case tooManyAttributes
        /// More than ``XMLFailure/maximumNamespaces`` namespace declarations are in scope. The parser searches them for every name.
        case tooManyNamespaces
        /// The declarations in the document's own DTD are longer than ``XMLFailure/maximumInternalSubset``. The parser needs time that
        /// grows with the square of their number.
        case internalSubsetTooLarge
        /// The DTD's default values of attributes, repeated for each element, would be much larger than the document: 64 MiB and 16 bytes
        /// for each byte of it.
        case tooManyAttributeDefaults
        /// The document's encoding is not supported, or is not the one of its bytes. Its name is nil if none was declared.
        case encoding(String?)
        /// The document is larger than 2 GiB, the most that `XMLDocument` reads on Linux.
        case tooLarge
        /// The document does not match its DTD (`documentValidate`).
        case invalid
        /// The value of an ``XMLHandover`` was taken before.
        case alreadyTaken
    }

    /// The maximum number of attributes of an element, namespace declarations included.
    public static let maximumAttributes = 1_000
    /// The maximum number of namespace declarations in scope.
    public static let maximumNamespaces = 1_000
    /// The maximum size of the declarations in a document type declaration, in bytes.
    public static let maximumInternalSubset = 65_536
    /// The part of the limit of ``Reason/tooManyAttributeDefaults`` that is the same for all documents.
    static let maximumSizeOfDefaults = 64 << 20

    /// Why the body was rejected.
    public let reason: Reason
    /// The line, from 1; nil if the failure has no place.
    public let line: Int?
    /// The column in that line, from 1. Where the parser rejected the document, it is the place that the parser reports, at or shortly
    /// behind the fault.
    public let column: Int?
    /// The error of Foundation's parser, if that rejected the document.
    public let underlyingError: (any Error)?

    init(_ reason: Reason, line: Int? = nil, column: Int? = nil, underlyingError: (any Error)? = nil) {
        self.reason = reason
        self.line = line
        self.column = column
        self.underlyingError = underlyingError
    }

    /// The reason and the place, in English: `a tag is not the one that was opened (line 1, column 15)`.
    public var description: String {
        guard let line, let column else { return words }
        return "\(words) (line \(line), column \(column))"
    }

    private var words: String {
        switch reason {
        case .notWellFormed: Self.words(of: underlyingError) ?? "the markup is not well-formed"
        case .entityDeclaration: "it declares entities, which is refused"
        case .externalDTD: "it cannot be validated against an external DTD, which is not loaded"
        case .validationUnavailable: "it cannot be validated on Linux, where Foundation writes beyond its memory (omit documentValidate)"
        case .tooManyAttributes: "an element has more than \(Self.maximumAttributes) attributes"
        case .tooManyNamespaces: "more than \(Self.maximumNamespaces) namespaces are in scope"
        case .internalSubsetTooLarge: "its DTD has more than \(Self.maximumInternalSubset) bytes of declarations"
        case .tooManyAttributeDefaults: "its DTD adds attributes to its elements that are much larger than the document"
        case .encoding(let name?): "it is not text in \(name.prefix(40)), or that encoding is not supported"
        case .encoding(nil): "it is not text in UTF-8"
        case .tooLarge: "it is larger than 2 GiB"
        case .invalid: "it does not match its DTD"
        case .alreadyTaken: "the value was taken before"
        }
    }

    /// Whether an error of the parser is one of libxml2's warnings, which Linux reports like errors: an entity of a DTD that was not
    /// loaded, the version 1.1, the values of `xml:lang` and `xml:space`, and the form of a namespace's name.
    static func isWarning(_ error: any Error) -> Bool { [27, 97, 98, 99, 100, 102].contains(((error as Any) as? NSError)?.code) }

    /// What the commonest codes of libxml2 (`xmlParserErrors`) mean; Foundation's error has no text of its own on Linux.
    private static func words(of error: (any Error)?) -> String? {
        guard let error, let code = ((error as Any) as? NSError)?.code else { return nil }
        return switch code {
        case 1, 2: "it exceeds a limit of the parser, such as 256 nested elements or 10 MB in one attribute"
        case 4: "there is no root element"
        case 5: "there is something behind the root element, or the document ends too early"
        case 9: "a character is not allowed"
        case 26, 27: "an entity is not declared"
        case 38: "an attribute value has a \"<\""
        case 39: "an attribute value has no quotes"
        case 42: "an attribute appears twice"
        case 64: "the XML declaration is not at the start"
        case 68: "a name is missing"
        case 73: "a tag is not finished"
        case 76, 77: "a tag is not the one that was opened"
        case 201: "a namespace prefix is not declared"
        default: "the parser reports error \(code)"
        }
    }
}
