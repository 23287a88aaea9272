import Foundation

/// Cuts a streamed body into the elements that a reader gets. Used by one thread at a time.
class StreamFraming<Element> {
    /// Whether elements take no time to make.
    var isTrivial: Bool { false }

    /// Adds a piece of the body. Called when `next()` has returned nil.
    func append(_ piece: Data) {}

    /// Handles that the body is complete: `next()` returns what is left.
    func finish() {}

    /// The next element, or the error that takes its place; nil if more of the body is needed.
    ///
    /// - Throws: The error that ends the stream.
    func next() throws -> Result<Element, any Error>? { nil }
}

/// The body in the pieces in which it arrives.
final class DataFraming: StreamFraming<Data> {
    private var piece: Data?

    override var isTrivial: Bool { true }

    override func append(_ piece: Data) { self.piece = piece }

    override func next() -> Result<Data, any Error>? { piece.take().map { .success($0) } }
}

/// The body as text in UTF-8, in the pieces in which it arrives, without splitting a character's bytes.
final class TextFraming: StreamFraming<String> {
    private var splitter = UTF8Splitter()
    private var text = ""

    override func append(_ piece: Data) { text = splitter.text(of: piece) }

    override func finish() { text = splitter.finish() }

    override func next() -> Result<String, any Error>? {
        guard !text.isEmpty else { return nil }
        defer { text = "" }
        return .success(text)
    }
}

/// The body line by line.
final class LineFraming<Element>: StreamFraming<Element> {
    private var splitter: LineSplitter
    private var isComplete = false
    private let maximumLength: Int
    /// nil for a line that is no element.
    private let make: (UnsafeRawBufferPointer) -> Result<Element, any Error>?

    init(maximumLength: Int, make: @escaping (UnsafeRawBufferPointer) -> Result<Element, any Error>?) {
        splitter = LineSplitter(maximumLength: maximumLength)
        self.maximumLength = maximumLength
        self.make = make
    }

    override func append(_ piece: Data) { splitter.append(piece) }

    override func finish() { isComplete = true }

    override func next() throws -> Result<Element, any Error>? {
        while true {
            do {
                guard let line = try splitter.next(make) ?? (isComplete ? splitter.finish(make) : nil) else { return nil }
                if let element = line { return element }
            } catch is LineSplitter.LineTooLong {
                throw FirewheelError(.responseStreamFailed(.lineTooLong(limit: maximumLength)))
            }
        }
    }
}

extension LineFraming {
    /// Each line as text, without its end.
    static func text(maximumLength: Int) -> StreamFraming<String> where Element == String {
        LineFraming(maximumLength: maximumLength) { .success(String(decoding: $0, as: UTF8.self)) }
    }

    /// A value decoded from each line that is not blank.
    static func decoding(maximumLength: Int, decoder: any DataDecoder) -> StreamFraming<Element> where Element: Decodable {
        LineFraming(maximumLength: maximumLength) { line in
            let isBlank = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard !isBlank else { return nil }
            let data = Data(line)
            return Result {
                try parsing(data, or: .decodingFailed, as: FirewheelError.name(of: Element.self)) {
                    try decoder.decodeChecked(Element.self, from: data)
                }
            }
        }
    }
}
