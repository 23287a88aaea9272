import Foundation

/// What is in front of a document's root element (XML 1.0 section 2.8), read strictly.
///
/// Foundation's parser continues behind errors, so where this reader and the parser disagreed about what is a comment, the parser could
/// find declarations that this one did not see. Therefore everything malformed here is an error, and the declaration of an entity is
/// refused wherever its text appears, also in a comment.
struct XMLProlog {
    /// Where the root element's tag begins; the document's end if there is none.
    private(set) var end: Int
    /// Whether the document type declaration names an external subset.
    private(set) var hasExternalSubset = false
    /// What is between the brackets of the document type declaration, if it has them.
    private(set) var internalSubset: Range<Int>?
    /// The bytes that the attributes' default values in the internal subset add to an element, at most.
    private(set) var sizeOfDefaults = 0

    private var reader: ByteReader

    /// - Throws: ``XMLFailure``: malformed, or with declarations of entities.
    init(_ text: Data) throws {
        reader = ByteReader(text)
        end = text.endIndex
        reader.skip([0xEF, 0xBB, 0xBF])
        var hasType = false
        while true {
            reader.skipSpaces()
            if try skipComment() || skipInstruction() { continue }
            guard reader.skip("<!") else { break }
            guard !hasType, reader.skip("DOCTYPE") else { throw reader.malformed }
            hasType = true
            try readDocumentType()
        }
        end = reader.index
        try refuseEntities()
    }

    private func refuseEntities() throws {
        guard let found = reader.bytes[..<end].range(of: Data("<!ENTITY".utf8)) else { return }
        var place = reader
        place.index = found.lowerBound
        throw place.failure(.entityDeclaration)
    }

    /// Section 2.5. Two hyphens end a comment, or are an error.
    private mutating func skipComment() throws -> Bool {
        guard reader.skip("<!--") else { return false }
        try reader.skipCharacters(to: "--")
        guard reader.skip("-->") else { throw reader.malformed }
        return true
    }

    /// Section 2.6.
    private mutating func skipInstruction() throws -> Bool {
        guard reader.skip("<?") else { return false }
        guard reader.skipName() else { throw reader.malformed }
        if reader.skip("?>") { return true }
        guard reader.skipSpaces() else { throw reader.malformed }
        try reader.skipCharacters(to: "?>")
        reader.skip("?>")
        return true
    }

    /// Section 2.8, behind `<!DOCTYPE`.
    private mutating func readDocumentType() throws {
        guard reader.skipSpaces(), reader.skipName() else { throw reader.malformed }
        if reader.skipSpaces() {
            if reader.skip("SYSTEM") {
                try skipLiteral()
                hasExternalSubset = true
            } else if reader.skip("PUBLIC") {
                try skipLiteral()
                try skipLiteral()
                hasExternalSubset = true
            }
            reader.skipSpaces()
        }
        if reader.skip("[") {
            let start = reader.index
            try readInternalSubset()
            internalSubset = start..<(reader.index - 1)
            guard reader.index - start <= XMLFailure.maximumInternalSubset else {
                reader.index = start
                throw reader.failure(.internalSubsetTooLarge)
            }
            reader.skipSpaces()
        }
        guard reader.skip(">") else { throw reader.malformed }
    }

    private mutating func skipLiteral() throws {
        guard reader.skipSpaces() else { throw reader.malformed }
        try skipQuoted()
    }

    private mutating func skipQuoted() throws {
        let quote = reader.next == UInt8(ascii: "'") ? "'" : "\""
        guard reader.skip(quote) else { throw reader.malformed }
        try reader.skipCharacters(to: quote)
        reader.skip(quote)
    }

    private mutating func readInternalSubset() throws {
        while !reader.skip("]") {
            if reader.skipSpaces() { continue }
            if try skipComment() || skipInstruction() { continue }
            // An entity's declaration or its use; the latter needs a declaration.
            if reader.next == UInt8(ascii: "%") || reader.bytes[reader.index...].starts(with: "<!ENTITY".utf8) {
                throw reader.failure(.entityDeclaration)
            }
            let isOfAttributes = reader.skip("<!ATTLIST")
            guard isOfAttributes || reader.skip("<!ELEMENT") || reader.skip("<!NOTATION"), reader.skipSpaces() else {
                throw reader.malformed
            }
            try skipDeclaration(ofAttributes: isOfAttributes)
        }
    }

    /// What a parser needs for an attribute, beside its value.
    private static let sizeOfAttribute = 64

    private mutating func skipDeclaration(ofAttributes: Bool) throws {
        while let byte = reader.next, byte != UInt8(ascii: ">") {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let start = reader.index
                try skipQuoted()
                if ofAttributes { sizeOfDefaults += reader.index - start + Self.sizeOfAttribute }
            case UInt8(ascii: "<"): throw reader.malformed
            default: reader.index += 1
            }
        }
        guard reader.skip(">") else { throw reader.malformed }
    }
}
