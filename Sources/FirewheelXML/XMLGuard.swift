import Foundation

/// Refuses documents that a parser would need too much time or memory for, or that reach for files and addresses, before a parser reads
/// them.
///
/// libxml2, Foundation's parser on all platforms, limits the depth of a tree (256 elements) and the length of names, attributes, comments
/// and sections (10 MB) itself.
struct XMLGuard {
    /// The document in UTF-8.
    let text: Data
    /// Whether the document names an external DTD.
    let hasExternalSubset: Bool
    /// Where the root element's tag begins; the document's end if there is none.
    let root: Int
    /// The declarations in the document type declaration, if it has brackets.
    let internalSubset: Range<Int>?

    /// - Throws: ``XMLFailure``.
    init(_ body: Data, contentType: String?) throws {
        text = try XMLText.utf8(body, contentType: contentType)
        let prolog = try XMLProlog(text)
        hasExternalSubset = prolog.hasExternalSubset
        root = prolog.end
        internalSubset = prolog.internalSubset
        let most = XMLFailure.maximumSizeOfDefaults + 16 * text.count
        try Self.limitTags(
            of: text, from: prolog.end, maximum: prolog.sizeOfDefaults == 0 ? .max : most / prolog.sizeOfDefaults)
    }

    /// Counts the tags, the attributes of each tag and the namespace declarations in scope.
    ///
    /// Markup that is malformed may be counted wrongly. The parser stops within 128 kB behind it.
    private static func limitTags(of text: Data, from start: Int, maximum: Int) throws {
        let excess = text.withUnsafeBytes { bytes in
            var tags = TagCounter(bytes: bytes, index: start - text.startIndex, maximum: maximum)
            return tags.firstExcess()
        }
        guard let place = excess else { return }
        var reader = ByteReader(text)
        reader.index = text.startIndex + place.offset
        throw reader.failure(place.reason)
    }
}

/// Walks through the tags of a document. It works on the raw bytes, since it reads all of them.
private struct TagCounter {
    let bytes: UnsafeRawBufferPointer
    var index: Int

    /// The number of start tags and empty tags that are allowed.
    private let maximum: Int
    private var count = 0
    private var depth = 0
    /// The open elements that declare namespaces, and the number of those.
    private var scopes: [(depth: Int, count: Int)] = []
    private var inScope = 0

    init(bytes: UnsafeRawBufferPointer, index: Int, maximum: Int) {
        self.bytes = bytes
        self.index = index
        self.maximum = maximum
    }

    mutating func firstExcess() -> (offset: Int, reason: XMLFailure.Reason)? {
        while skip(to: UInt8(ascii: "<")) {
            let start = index
            index += 1
            guard let byte = next else { return nil }
            if byte == UInt8(ascii: "/") {
                close()
            } else if byte == UInt8(ascii: "?") {
                skip(behind: "?>")
            } else if byte == UInt8(ascii: "!") {
                if isNext("!--") {
                    index += 3
                    skip(behind: "-->")
                } else if isNext("![CDATA[") {
                    skip(behind: "]]>")
                }
            } else if byte.isXMLNameStart {
                let tag = readTag()
                count += 1
                if count > maximum { return (start, .tooManyAttributeDefaults) }
                if tag.attributes > XMLFailure.maximumAttributes { return (start, .tooManyAttributes) }
                if inScope + tag.namespaces > XMLFailure.maximumNamespaces { return (start, .tooManyNamespaces) }
                if !tag.isEmpty { open(namespaces: tag.namespaces) }
            }
        }
        return nil
    }

    private mutating func open(namespaces: Int) {
        depth += 1
        guard namespaces > 0 else { return }
        scopes.append((depth, namespaces))
        inScope += namespaces
    }

    private mutating func close() {
        if let last = scopes.last, last.depth == depth {
            inScope -= last.count
            scopes.removeLast()
        }
        depth = max(0, depth - 1)
    }

    /// Reads a start tag from its name on.
    private mutating func readTag() -> (attributes: Int, namespaces: Int, isEmpty: Bool) {
        var (attributes, namespaces) = (0, 0)
        var isBehindSpace = false
        while let byte = next, byte != UInt8(ascii: "<") {
            switch byte {
            case UInt8(ascii: ">"): return (attributes, namespaces, bytes[index - 1] == UInt8(ascii: "/"))
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                attributes += 1
                index += 1
                guard skip(to: byte) else { return (attributes, namespaces, true) }
            default:
                if isBehindSpace, isNext("xmlns") { namespaces += 1 }
            }
            // A missing space between attributes is an error that parsers tolerate.
            isBehindSpace = byte.isXMLSpace || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            index += 1
        }
        return (attributes, namespaces, false)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func isNext(_ text: StaticString) -> Bool {
        guard let base = bytes.baseAddress, bytes.count - index >= text.utf8CodeUnitCount else { return false }
        return memcmp(base + index, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Moves to a byte, or to the end without one.
    @discardableResult
    private mutating func skip(to byte: UInt8) -> Bool {
        guard let base = bytes.baseAddress, index < bytes.count,
            let found = memchr(base + index, Int32(byte), bytes.count - index)
        else {
            index = bytes.count
            return false
        }
        index = UnsafeRawPointer(found) - base
        return true
    }

    private mutating func skip(behind text: StaticString) {
        while skip(to: text.utf8Start[0]) {
            if isNext(text) {
                index += text.utf8CodeUnitCount
                return
            }
            index += 1
        }
    }
}
