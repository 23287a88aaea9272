import Foundation
import Testing

/// A file uses only its own layer and those below, as listed under "Layers" in `Documentation/Architecture.md`. The check compares names
/// without their meaning, so a name of a higher layer may not be reused below.
@Suite("Layers of the library", .timeLimit(.minutes(5)))
struct LayerTests {
    private static let sources = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appendingPathComponent("Sources/Firewheel")

    /// The sources may be missing if the tests were built elsewhere.
    private static var areSourcesThere: Bool { FileManager.default.fileExists(atPath: sources.path) }

    private static let withoutSources: Comment = "the sources are not where they were when the tests were built"

    private static func readLibrary() throws -> Layers {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }.sorted()
        return Layers(
            files: try paths.map { path in
                Layers.File(path: path, text: try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8))
            })
    }

    private static func violations(_ files: [String: String]) -> [String] {
        Layers(files: files.sorted { $0.key < $1.key }.map { Layers.File(path: $0.key, text: $0.value) }).violations().map(\.description)
    }

    @Test("No file uses a name from a higher layer", .enabled(if: areSourcesThere, withoutSources))
    func layers() throws {
        let library = try Self.readLibrary()
        #expect(library.files.count > 100)
        for file in library.files {
            #expect(Layers.layer(of: file.path) != nil, "\(file.path) is in no folder that has a layer")
        }
        for violation in library.violations() {
            Issue.record("\(violation)")
        }
    }

    @Test(
        "The transports do not know each other, and only one file chooses between them", .enabled(if: areSourcesThere, withoutSources))
    func transports() throws {
        let library = try Self.readLibrary()
        let sockets = "Transport/Sockets/"
        let urlSession = "Transport/URLSession/"
        let found =
            library.uses(of: { $0.hasPrefix(sockets) }, in: { !$0.hasPrefix(sockets) })
            + library.uses(of: { $0.hasPrefix(urlSession) }, in: { !$0.hasPrefix(urlSession) })
        for violation in found where violation.path != "Transport/DefaultTransport.swift" {
            Issue.record("\(violation)")
        }
        // Otherwise the names were not found at all.
        #expect(Set(found.map(\.name)).isSuperset(of: ["SocketTransport", "URLSessionTransport"]))
    }

    // MARK: The check itself

    @Test("The layer check finds a name from a higher layer and its line")
    func violation() {
        let found = Self.violations([
            "Engine/Call.swift": "final class Call {}\nfunc startAll() {}\n",
            "Transport/Door.swift": "struct Door {\n    var call: Call?\n    func open() { startAll() }\n}\n",
        ])
        #expect(
            found == [
                "Transport/Door.swift:2 knows Call of Engine (layer 5 from layer 3)",
                "Transport/Door.swift:3 knows startAll of Engine (layer 5 from layer 3)",
            ])
    }

    @Test(
        "The layer check finds a name in every kind of use",
        arguments: [
            "extension Call {}", "typealias Trip = Call", "func f<T: Call>(_: T) {}", "let x = Firewheel.Call.self",
            "let t = \"\\(Call.count)\"",
            "let x: [String: Call] = [:]", "let t = #\"\\#(Call.count)\"#", "@Call var x = 1",
            "/* a /* nested */ comment */ let x = Call()",
        ])
    func forms(code: String) {
        let found = Self.violations(["Engine/Call.swift": "final class Call { static let count = 0 }", "Policies/Rule.swift": "\n" + code])
        #expect(found == ["Policies/Rule.swift:2 knows Call of Engine (layer 5 from layer 2)"])
    }

    @Test(
        "The layer check ignores comments, string literals, members and longer names",
        arguments: [
            "// Call", "/// ``Call``", "/* Call\n/* Call */ Call */", "let t = \"Call \\\"Call\\\"\"",
            "let t = \"\"\"\n    a \"Call\" of it\n    \"\"\"",
            "let t = #\"Call \\(Call)\"#", "let x = Reason.Call", "struct CallOption {}", "let startAll = 1", "func f(startAll: Int) {}",
            // A type of its own with that name.
            "struct Rule { enum Call { case one }; var call: Call }",
        ])
    func notMeant(code: String) {
        #expect(Self.violations(["Engine/Call.swift": "class Call {}\nfunc startAll() {}", "Policies/Rule.swift": code]) == [])
    }

    @Test("The layer check counts what an extension adds, not the extended type")
    func extensions() {
        let higher =
            """
            extension URLRequest {
                enum Origin { case caller }
                func describedForCall() -> String { "" }
                var plain: Int { 1 }
            }
            """
        let lower = """
            func f(_ request: URLRequest) {
                let origin = URLRequest.Origin.caller
                print(request.describedForCall())
                print(request.plain)
            }
            struct Line { var plain = 1 }
            """
        #expect(
            Self.violations(["Requests/URLRequest+Origin.swift": higher, "HTTP/Line.swift": lower]) == [
                "HTTP/Line.swift:2 knows URLRequest.Origin of Requests (layer 4 from layer 1)",
                "HTTP/Line.swift:3 knows .describedForCall of Requests (layer 4 from layer 1)",
            ])
    }

    @Test("The layer check assigns a name to its lowest layer, and ignores other files' private names")
    func ambiguous() {
        #expect(
            Self.violations([
                "Engine/A.swift": "struct Turn {}\nprivate struct Step {}", "Support/B.swift": "struct Turn {}",
                "HTTP/C.swift": "let turn: Turn\nlet step: Step",
            ]) == [])
    }

    @Test("The layer check allows names from the file's own layer and those below")
    func allowed() {
        #expect(
            Self.violations([
                "Policies/A.swift": "struct Rule { var context: Context; var date: Date }", "Observation/B.swift": "struct Context {}",
                "HTTP/C.swift": "struct Date {}",
            ]) == [])
    }
}
