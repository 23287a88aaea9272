import Foundation

/// Cuts a streamed body into the elements that a reader gets. Used by one thread at a time.
///
/// Subclasses for one type of element are faster than a generic one, whose overrides are never specialized.
package class StreamFraming<Element> {
    /// Whether elements take so little time to make that any thread may make them.
    var isLight: Bool { true }

    /// Whether each piece is an element by itself, so that pieces may not be joined while they wait.
    var needsPiecesApart: Bool { false }

    /// Adds a piece of the body. Called when `advance()` has returned false.
    func append(_ piece: Data) {}

    /// Adds messages of a WebSocket. Called when `advance()` has returned false.
    func append(_ messages: [WebSocketMessage]) {}

    /// Handles that the body is complete: `advance()` makes what is left.
    func finish() {}

    /// Makes the next element, which is then to be taken.
    ///
    /// - Returns: False if more of the body is needed.
    /// - Throws: The error that ends the stream.
    func advance() throws -> Bool { false }

    /// Removes the element that was made.
    ///
    /// - Throws: The error that takes its place.
    func take() throws -> Element? { nil }
}

/// The body in the pieces in which it arrives.
final class DataFraming: StreamFraming<Data> {
    private var piece: Data?

    override func append(_ piece: Data) { self.piece = piece }

    override func advance() -> Bool { piece != nil }

    override func take() -> Data? { piece.take() }
}

/// What a closure makes of each piece of the body.
final class PieceFraming<Element>: StreamFraming<Element> {
    private let make: (Data) -> Element
    private var piece: Data?

    init(_ make: @escaping (Data) -> Element) {
        self.make = make
    }

    override var isLight: Bool { false }

    override var needsPiecesApart: Bool { true }

    override func append(_ piece: Data) { self.piece = piece }

    override func advance() -> Bool { piece != nil }

    override func take() -> Element? { piece.take().map(make) }
}

/// The body as text in UTF-8, in the pieces in which it arrives, without splitting a character's bytes.
final class TextFraming: StreamFraming<String> {
    private var splitter = UTF8Splitter()
    private var text = ""

    override func append(_ piece: Data) { text = splitter.text(of: piece) }

    override func finish() { text = splitter.finish() }

    override func advance() -> Bool { !text.isEmpty }

    override func take() -> String? {
        defer { text = "" }
        return text
    }
}

/// The lines of the body as text, without their ends.
final class LineFraming: StreamFraming<String> {
    /// The most lines that are made at once: few enough that their memory is that of the last ones.
    private static let most = 7

    // Unchecked because of the cost for each line: nothing that accesses these calls code that comes back here.
    @exclusivity(unchecked) private var lines: BodyLines
    /// Lines that were made, in reverse order.
    @exclusivity(unchecked) private var made: [String] = []

    init(maximumLength: Int) {
        lines = BodyLines(maximumLength: maximumLength)
    }

    override func append(_ piece: Data) { lines.append(piece) }

    override func finish() { lines.finish() }

    override func advance() throws -> Bool {
        if made.isEmpty { try makeLines() }
        return !made.isEmpty
    }

    override func take() -> String? { made.popLast() }

    private func makeLines() throws {
        lines.takeWhole(upTo: Self.most) { made.append(String(decoding: $0, as: UTF8.self)) }
        made.reverse()
        if made.isEmpty, let line = try lines.next({ String(decoding: $0, as: UTF8.self) }) { made.append(line) }
    }
}

/// A value decoded from each line of the body that is not blank.
final class DecodingFraming<Element: Decodable>: StreamFraming<Element> {
    private var lines: BodyLines
    private let decoder: any DataDecoder
    /// The response's content type.
    private let contentType: () -> String?
    private var line: Data?
    /// The number of that line, from 1. Blank lines count.
    private var number = 0

    init(maximumLength: Int, decoder: any DataDecoder, contentType: @escaping () -> String?) {
        lines = BodyLines(maximumLength: maximumLength)
        self.decoder = decoder
        self.contentType = contentType
    }

    override var isLight: Bool { false }

    override func append(_ piece: Data) { lines.append(piece) }

    override func finish() { lines.finish() }

    override func advance() throws -> Bool {
        while let line = try lines.next({ $0.allSatisfy(isBlank) ? Data() : Data($0) }) {
            number += 1
            guard !line.isEmpty else { continue }
            self.line = line
            return true
        }
        return false
    }

    override func take() throws -> Element? {
        guard let line = line.take() else { return nil }
        do {
            return try parsing(line, or: .decodingFailed, as: FirewheelError.name(of: Element.self)) {
                do {
                    return try decoder.decodeChecked(Element.self, from: line)
                } catch {
                    // Only then does the declared charset matter, and the fields of most responses are never read.
                    guard Charset.utf8(line) == nil || line.contains(0x1B) else { throw error }
                    return try decoder.decodeChecked(Element.self, from: line, contentType: contentType())
                }
            }
        } catch let error as FirewheelError {
            throw error.with(line: number)
        }
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

/// The lines of a streamed body.
private struct BodyLines {
    private var splitter: LineSplitter
    private var isComplete = false
    private let maximumLength: Int

    init(maximumLength: Int) {
        splitter = LineSplitter(maximumLength: maximumLength)
        self.maximumLength = maximumLength
    }

    mutating func append(_ piece: Data) { splitter.append(piece) }

    mutating func finish() { isComplete = true }

    /// The next lines that lie within one piece.
    mutating func takeWhole(upTo count: Int, _ use: (UnsafeRawBufferPointer) -> Void) { splitter.takeWhole(upTo: count, use) }

    /// The next line; nil if more of the body is needed.
    ///
    /// - Throws: `responseStreamFailed(.lineTooLong)`.
    mutating func next<Line>(_ make: (UnsafeRawBufferPointer) -> Line) throws -> Line? {
        do {
            return try splitter.next(make) ?? (isComplete ? splitter.finish(make) : nil)
        } catch {
            throw FirewheelError(.responseStreamFailed(.lineTooLong(limit: maximumLength)))
        }
    }
}

// What a product with stream handlers of its own cuts a body with.
extension StreamFraming {
    /// What a closure makes of each piece of the body.
    package static func pieces(_ make: @escaping @Sendable (Data) -> Element) -> sending StreamFraming { PieceFraming(make) }
}

extension StreamFraming<Data> {
    /// The body in the pieces in which it arrives.
    package static func data() -> sending StreamFraming { DataFraming() }
}

extension StreamFraming<String> {
    /// The body as text in UTF-8, without splitting a character's bytes.
    package static func text() -> sending StreamFraming { TextFraming() }
}
