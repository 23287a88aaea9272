/// The words and punctuation of a Swift file, without comments and string literals. Interpolated code is included.
struct SwiftWords {
    struct Word: Equatable {
        var text: String
        var line: Int
    }

    private(set) var words: [Word] = []
    private let characters: [Character]
    private var position = 0
    private var line = 1

    init(_ source: String) {
        characters = Array(source)
        readCode(inInterpolation: false)
    }

    private var next: Character? { position < characters.count ? characters[position] : nil }

    private func isAt(_ text: String) -> Bool {
        characters[position...].starts(with: text)
    }

    private mutating func advance(by count: Int = 1) {
        for _ in 0..<count where position < characters.count {
            if characters[position].isNewline { line += 1 }
            position += 1
        }
    }

    private mutating func readCode(inInterpolation: Bool) {
        var depth = 0
        while let character = next {
            if isAt("//") {
                while let character = next, !character.isNewline { advance() }
            } else if isAt("/*") {
                skipBlockComment()
            } else if let hashes = literalHashes() {
                skipLiteral(hashes: hashes)
            } else if character.isLetter || character == "_" || character.isNumber {
                readWord()
            } else if character.isWhitespace {
                advance()
            } else {
                if character == "(" { depth += 1 }
                if character == ")" {
                    if inInterpolation, depth == 0 { return }
                    depth -= 1
                }
                words.append(Word(text: String(character), line: line))
                advance()
            }
        }
    }

    private mutating func readWord() {
        let start = position
        while let character = next, character.isLetter || character.isNumber || character == "_" { advance() }
        words.append(Word(text: String(characters[start..<position]), line: line))
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                advance(by: 2)
            } else if isAt("*/") {
                depth -= 1
                advance(by: 2)
            } else {
                advance()
            }
        } while depth > 0 && next != nil
    }

    /// The number of # before the quotation mark of a literal that begins here; nil if none does.
    private func literalHashes() -> Int? {
        let hashes = characters[position...].prefix { $0 == "#" }.count
        let quote = position + hashes
        return quote < characters.count && characters[quote] == "\"" ? hashes : nil
    }

    private mutating func skipLiteral(hashes: Int) {
        let marks = String(repeating: "#", count: hashes)
        advance(by: hashes)
        let quotes = isAt("\"\"\"") ? "\"\"\"" : "\""
        advance(by: quotes.count)
        while next != nil {
            if isAt(quotes + marks) { return advance(by: quotes.count + hashes) }
            if isAt("\\" + marks + "(") {
                advance(by: hashes + 2)
                readCode(inInterpolation: true)
                advance()
            } else if isAt("\\" + marks) {
                advance(by: hashes + 2)
            } else {
                advance()
            }
        }
    }
}
