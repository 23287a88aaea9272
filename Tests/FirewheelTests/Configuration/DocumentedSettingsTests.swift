import Firewheel
import Foundation
import Testing

@Suite("Documented settings")
struct DocumentedSettingsTests {
    @Test("The table in Requests.md has each property of SessionConfiguration once")
    func table() throws {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Usage/Requests.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "### All settings").last?.components(separatedBy: "\n\n").dropFirst().first)
        let documented = section.split(separator: "\n").compactMap { $0.firstMatch(of: /^\| `(\w+)` \|/)?.1 }.map(String.init)
        let properties = Mirror(reflecting: SessionConfiguration()).children.compactMap(\.label)
        #expect(properties.count > 15)
        #expect(documented.sorted() == properties.sorted())
    }
}
