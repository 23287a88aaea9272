/// The names that Swift files declare at top level, and their uses in files of lower layers.
struct Layers {
    /// A file of the library by its path below `Sources/Firewheel`.
    struct File {
        let path: String
        let words: [SwiftWords.Word]
        /// The non-private names it declares at top level.
        let declared: Set<String>
        /// Types declared in extensions, such as `Request.State`.
        let declaredInExtensions: Set<String>
        /// Functions and properties added in extensions, with the extended type.
        let members: [String: String]
        /// All functions and properties that it declares, at any depth.
        let values: Set<String>
        /// All types that it declares, at any depth. In this file their names refer to these.
        let own: Set<String>

        init(path: String, text: String) {
            self.path = path
            words = SwiftWords(text).words
            let declarations = Declarations(words)
            declared = declarations.atTop
            declaredInExtensions = declarations.inExtensions
            members = declarations.members
            values = declarations.values
            own = declarations.types
        }
    }

    /// The use of a name that the file may not know.
    struct Violation: Hashable, CustomStringConvertible {
        let path: String
        let line: Int
        let name: String
        let home: String

        var description: String { "\(path):\(line) knows \(name) of \(home)" }
    }

    /// The layers of the folders. A file knows its own layer and those below.
    static let layers: [String: Int] = [
        "Support": 1, "Errors": 1, "HTTP": 1, "Metrics": 1, "Encoding": 2, "Serialization": 2, "Policies": 2, "Bodies": 2,
        "Observation": 2, "Configuration": 2, "Transport": 3, "Requests": 4, "Engine": 5, "Session": 6, "Concurrency": 7,
        "EventSource": 7,
    ]

    let files: [File]

    /// nil for a folder without a layer.
    static func layer(of path: String) -> Int? {
        path.split(separator: "/").first.flatMap { layers[String($0)] }
    }

    static func folder(of path: String) -> String {
        path.split(separator: "/").dropLast().joined(separator: "/")
    }

    /// Each use of a name that only higher layers declare.
    func violations() -> [Violation] {
        let homes = Homes(files) { Self.layer(of: $0) ?? 0 }
        return files.flatMap { file in
            let layer = Self.layer(of: file.path) ?? 0
            return uses(in: file, homes, from: layer).map { use in
                Violation(
                    path: file.path, line: use.line, name: use.name, home: "\(use.home.folder) (layer \(use.home.rank) from layer \(layer))"
                )
            }
        }
    }

    /// Each use, in the files selected by `readers`, of a name that only the files selected by `hidden` declare.
    func uses(of hidden: (String) -> Bool, in readers: (String) -> Bool) -> [Violation] {
        let homes = Homes(files) { hidden($0) ? 1 : 0 }
        return files.filter { readers($0.path) }.flatMap { file in
            uses(in: file, homes, from: 0).map { Violation(path: file.path, line: $0.line, name: $0.name, home: $0.home.folder) }
        }
    }

    private func uses(in file: File, _ homes: Homes, from rank: Int) -> [(line: Int, name: String, home: Homes.Place)] {
        var found: [(line: Int, name: String, home: Homes.Place)] = []
        for (index, word) in file.words.enumerated() {
            for name in Self.names(at: index, in: file.words) where !file.own.contains(name) {
                guard let home = homes[name, from: rank], home.rank > rank else { continue }
                found.append((word.line, name, home))
            }
        }
        return found
    }

    /// The names that a word may refer to: itself, itself with the word before it (`Request.State`), or a member (`.makeURLRequest`).
    private static func names(at index: Int, in words: [SwiftWords.Word]) -> [String] {
        let word = words[index].text
        let before = index > 0 ? words[index - 1].text : ""
        if before == ".", index > 1 {
            let outer = words[index - 2].text
            return outer == "Firewheel" ? [word] : ["\(outer).\(word)", ".\(word)"]
        }
        guard word.first?.isLowercase == true else { return [word] }
        // A lower-case word counts as a function only where it is called, because parameters and local values use common words.
        let after = index + 1 < words.count ? words[index + 1].text : ""
        return after == "(" && !["func", "case"].contains(before) ? [word] : []
    }
}

/// Where names are declared. Of several places the one of the lowest layer counts.
struct Homes {
    typealias Place = (rank: Int, folder: String)

    private var places: [String: Place] = [:]
    private var members: [String: (place: Place, type: String)] = [:]

    init(_ files: [Layers.File], rank: (String) -> Int) {
        var lowest: [String: Int] = [:]
        for file in files {
            let place = (rank: rank(file.path), folder: Layers.folder(of: file.path))
            for name in file.declared.union(file.declaredInExtensions) where places[name].map({ $0.rank > place.rank }) ?? true {
                places[name] = place
            }
            for (name, type) in file.members where members[name].map({ $0.place.rank > place.rank }) ?? true {
                members[name] = (place, type)
            }
            for name in file.values { lowest[name] = min(lowest[name] ?? .max, place.rank) }
        }
        // A member that is also declared below may be that one.
        members = members.filter { $0.value.place.rank <= lowest[$0.key] ?? .max }
    }

    /// - Parameter rank: The reader's layer. Members of types above it are not reached without their type's name.
    subscript(name: String, from rank: Int) -> Place? {
        guard name.first == "." else { return places[name] }
        guard let member = members[String(name.dropFirst())], places[member.type].map({ $0.rank <= rank }) ?? true else { return nil }
        return member.place
    }
}

/// The declarations of a file.
private struct Declarations {
    var atTop: Set<String> = []
    var inExtensions: Set<String> = []
    var members: [String: String] = [:]
    var values: Set<String> = []
    var types: Set<String> = []

    private static let typeKeywords: Set<String> = ["class", "struct", "enum", "actor", "protocol", "typealias", "associatedtype"]
    private static let valueKeywords: Set<String> = ["func", "var", "let", "case"]
    private static let modifiers: Set<String> = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect", "static", "mutating", "nonisolated", "unsafe",
        "weak", "lazy", "(", ")", "set",
    ]

    init(_ words: [SwiftWords.Word]) {
        var depth = 0
        var extended: String?
        for (index, word) in words.enumerated() {
            switch word.text {
            case "{": depth += 1
            case "}":
                depth -= 1
                if depth == 0 { extended = nil }
            case "extension" where depth == 0:
                let name = words[(index + 1)...].prefix { !["{", ":", "where"].contains($0.text) }
                extended = name.map(\.text).joined()
            case let keyword where index + 1 < words.count:
                let name = words[index + 1].text
                guard let first = name.first, first.isLetter || first == "_" else { continue }
                let isPrivate = Self.isPrivate(index, in: words)
                if Self.typeKeywords.contains(keyword), !Self.valueKeywords.contains(name) {
                    declareType(name, depth, extended, isPrivate: isPrivate)
                } else if Self.valueKeywords.contains(keyword) {
                    declareValue(name, depth, extended, isPrivate: isPrivate)
                }
            default: break
            }
        }
    }

    private mutating func declareType(_ name: String, _ depth: Int, _ extended: String?, isPrivate: Bool) {
        types.insert(name)
        guard !isPrivate else { return }
        if depth == 0 { atTop.insert(name) }
        if depth == 1, let extended { inExtensions.insert("\(extended).\(name)") }
    }

    private mutating func declareValue(_ name: String, _ depth: Int, _ extended: String?, isPrivate: Bool) {
        values.insert(name)
        guard !isPrivate else { return }
        if depth == 0 { atTop.insert(name) }
        if depth == 1, let extended { members[name] = extended }
    }

    private static func isPrivate(_ index: Int, in words: [SwiftWords.Word]) -> Bool {
        let before = words[..<index].reversed().prefix { modifiers.contains($0.text) }
        return before.contains { $0.text == "private" || $0.text == "fileprivate" }
    }
}
