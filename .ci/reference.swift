// Reads what .ci/reference has made of each module: its symbol graphs, for public symbols without a summary, and its documentation archive,
// for symbols that a page with groups of its own leaves out of them.
import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Kind: Decodable { let identifier: String }
        struct Comment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }

        let identifier: Identifier
        let kind: Kind
        let pathComponents: [String]
        let docComment: Comment?
        let location: Location?

        /// What the module itself declares: not what a protocol of the standard library adds, nor an extension as such.
        var isDeclared: Bool { !identifier.precise.contains("::SYNTHESIZED::") && kind.identifier != "swift.extension" && location != nil }

        /// Whether the comment begins with a sentence, and not with a list of parameters.
        var hasSummary: Bool {
            guard let first = docComment?.lines.first(where: { !$0.text.allSatisfy(\.isWhitespace) }) else { return false }
            return !first.text.drop(while: \.isWhitespace).hasPrefix("- ")
        }
    }

    let symbols: [Symbol]
}

struct Page: Decodable {
    struct Group: Decodable {
        let title: String?
        let identifiers: [String]
        let generated: Bool?
    }

    let topicSections: [Group]?

    /// What docc had to group by kind, on a page where other symbols are grouped by task.
    var leftOut: [String] {
        let groups = topicSections ?? []
        guard groups.contains(where: { $0.generated != true }) else { return [] }
        return groups.filter { $0.generated == true && $0.title != "Extended Modules" && $0.title != "Default Implementations" }
            .flatMap(\.identifiers)
    }
}

func files(in folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return all.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
}

func read<Value: Decodable>(_ type: Value.Type, _ file: URL) throws -> Value {
    try JSONDecoder().decode(type, from: Data(contentsOf: file))
}

let target = URL(fileURLWithPath: CommandLine.arguments[1])
var faults: [String] = []
for module in CommandLine.arguments.dropFirst(2) {
    let symbols = try files(in: target.appendingPathComponent(module)).flatMap { try read(Graph.self, $0).symbols }.filter(\.isDeclared)
    let pages = try files(in: target.appendingPathComponent("\(module).doccarchive/data/documentation")).map { try read(Page.self, $0) }
    let grouped = pages.filter { $0.topicSections?.contains { $0.generated != true } == true }
    if symbols.isEmpty || grouped.isEmpty { faults.append("\(module): no symbols, or no page with topics") }
    for symbol in symbols where !symbol.hasSummary {
        let place = symbol.location.map { "\($0.uri.replacingOccurrences(of: "file://", with: "")):\($0.position.line + 1)" } ?? module
        faults.append("\(place): \(symbol.pathComponents.joined(separator: ".")) has no summary")
    }
    for symbol in pages.flatMap(\.leftOut) { faults.append("\(module).docc: \(symbol) is in no group of its page's topics") }
    print("reference: \(module) has \(symbols.count) public symbols, and \(grouped.count) pages with topics")
}
for fault in faults { print("error: \(fault)") }
exit(faults.isEmpty ? 0 : 1)
