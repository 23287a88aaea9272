import Foundation

/// Counts the user-space instructions of all threads of a process. Needs valgrind and strip (binutils).
struct Valgrind {
    /// If set, a check without valgrind fails.
    static let requiredVariable = "FIREWHEEL_VALGRIND_REQUIRED"

    private let valgrind: URL
    private let folder: URL
    private let program: URL

    /// nil if valgrind is not installed.
    init?() throws {
        guard let valgrind = findTool("valgrind") else {
            guard ProcessInfo.processInfo.environment[Self.requiredVariable] == nil else { throw Failure("valgrind is not installed") }
            return nil
        }
        self.valgrind = valgrind
        folder = Work.folder(of: ProcessInfo.processInfo.processIdentifier)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // valgrind cannot read Swift's debugging information.
        program = folder.appendingPathComponent("stripped")
        _ = try runTool("strip", ["--strip-debug", "-o", program.path, Worker.executable.path])
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The instructions that a process executes for this work, from start to end.
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
