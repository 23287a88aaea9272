import Foundation

/// Counts the instructions of a process, its threads' all together, without those of the kernel. Takes valgrind, and strip (of binutils).
struct Valgrind {
    /// If set, a check without valgrind fails.
    static let requiredVariable = "FIREWHEEL_VALGRIND_REQUIRED"

    private let valgrind: URL
    private let folder: URL
    private let program: URL

    /// nil where valgrind is not installed.
    init?() throws {
        guard let valgrind = findTool("valgrind") else {
            guard ProcessInfo.processInfo.environment[Self.requiredVariable] == nil else { throw Failure("valgrind is not installed") }
            return nil
        }
        self.valgrind = valgrind
        folder = Work.folder(of: ProcessInfo.processInfo.processIdentifier)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Swift's debugging information is more than valgrind can read.
        program = folder.appendingPathComponent("stripped")
        _ = try runTool("strip", ["--strip-debug", "-o", program.path, Worker.executable.path])
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// How many instructions the process of a work executes from its start to its end.
    func instructions(of work: Work) throws -> Int {
        let log = folder.appendingPathComponent("log")
        let options = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file=\(log.path)"]
        _ = try Worker.run(work, by: valgrind, options + [program.path])
        // "==123== I   refs:      1,234,567"
        guard let line = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").first(where: { $0.contains("refs:") }),
            let count = line.split(separator: " ").last.flatMap({ Int($0.filter { $0 != "," }) })
        else { throw Failure("valgrind printed no count") }
        return count
    }
}
