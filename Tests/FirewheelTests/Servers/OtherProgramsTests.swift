import Firewheel
import FirewheelImage
import FirewheelXML
import Foundation
import Testing

/// Documents that other programs wrote, and what those programs read in them (`Tests/Servers/make-documents.py`): feeds of feedgen, pages of
/// docutils, envelopes of zeep, drawings of svgwrite, property lists of Python, images of Pillow and ImageMagick, and more.
private struct Documents: Decodable, Sendable {
    struct Markup: Decodable, Sendable {
        let file: String
        let elements: [String]
        let text: String
        let attributes: Int
    }

    struct PropertyList: Decodable, Sendable {
        let file: String
        let value: String
    }

    struct Picture: Decodable, Sendable {
        let file: String
        let kind: String
        let width: Int
        let height: Int
        /// The place, and red, green, blue and alpha. Empty if it is not to be decoded.
        let pixels: [[Int]]
        let tolerance: Int
    }

    let markup: [Markup]
    let propertyLists: [PropertyList]
    let pictures: [Picture]

    /// `Tests/Documents`, and what `Tests/Servers/documents.sh` has made, if it has.
    static var folders: [URL] {
        let tests = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let made = ProcessInfo.processInfo.environment["FIREWHEEL_DOCUMENTS"].map { [URL(fileURLWithPath: $0)] } ?? []
        return [tests.appendingPathComponent("Documents")] + made
    }

    static func of(_ folder: URL) throws -> Documents {
        try JSONDecoder().decode(Documents.self, from: Data(contentsOf: folder.appendingPathComponent("contents.json")))
    }
}

@Suite("Documents of other programs", .timeLimit(.minutes(5)))
struct OtherProgramsTests {
    @Test func areThereWhereTheyHaveTo() {
        let isRequired = ProcessInfo.processInfo.environment["FIREWHEEL_SERVERS_REQUIRED"] != nil
        #expect(
            !isRequired || Documents.folders.count == 2, "there is no FIREWHEEL_DOCUMENTS: Tests/Servers/documents.sh install, and its env")
    }

    @Test("Markup has the elements, the text and the attributes that lxml finds, with a parser and as a tree", arguments: Documents.folders)
    func markup(folder: URL) throws {
        let documents = try Documents.of(folder).markup
        #expect(documents.count >= 15)
        for expected in documents {
            let body = try Data(contentsOf: folder.appendingPathComponent(expected.file))
            let found = MarkupEvents()
            let parser = try apply(.xml, body).get()
            parser.delegate = found
            #expect(parser.parse() && found.elements == expected.elements, "\(expected.file)")
            #expect(found.text.filter { !$0.isWhitespace } == expected.text && found.attributes == expected.attributes, "\(expected.file)")
            #if os(macOS) || os(Linux)
                let tree = try #require(try apply(.xmlDocument, body).get().rootElement(), "\(expected.file)")
                #expect(tree.allElements.map { $0.name ?? "" } == expected.elements, "\(expected.file)")
                #expect(tree.allElements.reduce(0) { $0 + ($1.attributes?.count ?? 0) } == expected.attributes, "\(expected.file)")
                #expect(tree.allText.filter { !$0.isWhitespace } == expected.text, "\(expected.file)")
            #endif
        }
    }

    @Test("Property lists have the values that Python finds", arguments: Documents.folders)
    func propertyLists(folder: URL) throws {
        let documents = try Documents.of(folder).propertyLists
        #expect(documents.count >= 6)
        for expected in documents {
            let body = try Data(contentsOf: folder.appendingPathComponent(expected.file))
            for options in [[], .mutableContainersAndLeaves] as [PropertyListSerialization.ReadOptions] {
                let value = try apply(.propertyList(options: options), body).get()
                #expect(Self.description(value) == expected.value, "\(expected.file)")
            }
        }
    }

    /// As `description` of make-documents.py.
    private static func description(_ value: Any) -> String {
        switch value {
        case let members as [String: Any]:
            "{"
                + members.map { "\(description($0.key)): \(description($0.value))" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .joined(separator: ", ") + "}"
        case let elements as [Any]: "[" + elements.map(description).joined(separator: ", ") + "]"
        case let text as String: "text " + hex(text.utf8)
        case let bytes as Data: "data " + hex(bytes)
        case let date as Date: "date \(Int(date.timeIntervalSince1970))"
        // Numbers and booleans can be cast to each other.
        case let truth as Bool where "\(type(of: value))".contains("Bool"): "bool \(truth)"
        case let number as NSNumber: "number " + hex(withUnsafeBytes(of: number.doubleValue.bitPattern.bigEndian, Array.init))
        default: "\(type(of: value))"
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    @Test("Images have the format, the size and the pixels that Pillow finds", arguments: Documents.folders)
    func pictures(folder: URL) throws {
        let documents = try Documents.of(folder).pictures
        #expect(Set(documents.map(\.kind)) == ["png", "jpeg", "gif", "tiff", "bmp", "ico", "webp"])
        for expected in documents {
            let body = try Data(contentsOf: folder.appendingPathComponent(expected.file))
            let header = try apply(.image(pixelLimit: 0), body).get()
            #expect(
                "\(header.format)".lowercased() == expected.kind && header.width == expected.width && header.height == expected.height,
                "\(expected.file)")
            #expect(!header.isDecoded && header.data == body)
            let image: ResponseImage
            do {
                image = try apply(.image, body).get()
            } catch  where error.asFirewheelError?.kind == .responseSerializationFailed(.imageLibraryMissing) {
                continue
            }
            #expect(image.isDecoded != expected.pixels.isEmpty, "\(expected.file)")
            guard let pixels = image.pixels else { continue }
            for pixel in expected.pixels {
                let start = pixels.startIndex + pixel[1] * image.bytesPerRow + pixel[0] * 4
                let found = pixels[start..<start + 4].map(Int.init)
                let premultiplied = pixel[2..<5].map { ($0 * pixel[5] * 2 + 255) / 510 } + [pixel[5]]
                #expect(zip(found, premultiplied).allSatisfy { abs($0 - $1) <= expected.tolerance }, "\(expected.file): \(found), \(pixel)")
            }
        }
    }
}

/// What a parser reports.
private final class MarkupEvents: NSObject, XMLParserDelegate {
    private(set) var elements: [String] = []
    private(set) var attributes = 0
    private(set) var text = ""

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        elements.append(name)
        // Without the declarations of namespaces.
        self.attributes += attributes.keys.count { !$0.hasPrefix("xmlns") }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { self.text += text }

    func parser(_ parser: XMLParser, foundCDATA data: Data) { text += String(decoding: data, as: UTF8.self) }
}

#if os(macOS) || os(Linux)
    extension XMLElement {
        /// The element and those in it, in the order of their tags.
        fileprivate var allElements: [XMLElement] {
            [self] + (children ?? []).flatMap { ($0 as? XMLElement)?.allElements ?? [] }
        }

        fileprivate var allText: String {
            (children ?? []).map { ($0 as? XMLElement)?.allText ?? ($0.kind == .text ? $0.stringValue ?? "" : "") }.joined()
        }
    }
#endif
