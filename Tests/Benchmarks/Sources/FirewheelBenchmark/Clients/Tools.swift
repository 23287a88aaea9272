import Foundation

/// `curl -o` and `curl -T`, the baselines for files.
enum CurlTool {
    /// curl's own time from its start to the last byte, without starting the process.
    static func run(_ work: Work) throws -> Double {
        let file = try work.newFile()
        // Of curl's own variables one overrides SSL_CERT_FILE.
        let trust = Wire.authority.map { ["--cacert", $0] } ?? []
        let output = try runTool(
            "curl", trust + ["--silent", "--show-error", "--output", file.path, "--write-out", "%{http_code} %{time_total}", work.url])
        let words = output.split(separator: " ")
        guard words.count == 2, let seconds = Double(words[1]) else { throw Failure("curl printed '\(output)'") }
        try work.check(status: Int(words[0]))
        try work.check(file)
        return seconds
    }

    /// Uploads the file, or standard input, which is the same file, with a length that curl does not know. The time is curl's own, too.
    static func upload(_ work: Work) throws -> Double {
        let file = try work.fileToSend()
        let isStream = work.task == .sendStream
        let arguments = ["--silent", "--show-error", "--write-out", " %{http_code} %{time_total}", "--upload-file"]
        let output = try runTool("curl", arguments + [isStream ? "-" : file.path, work.url], input: isStream ? file : nil)
        let words = output.split(separator: " ")
        guard words.count == 3, let seconds = Double(words[2]) else { throw Failure("curl printed '\(output)'") }
        try work.check(status: Int(words[1]))
        try work.check(answer: words[0])
        return seconds
    }
}

/// wrk with one thread: how many requests the server can answer.
enum WrkTool {
    /// wrk counts requests in a fixed time. Returns the time that the round's requests would take at that rate.
    static func run(_ work: Work) throws -> Double {
        let output = try runTool("wrk", ["--threads", "1", "--connections", "\(work.inFlight)", "--duration", "2s", work.url])
        let lines = output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        if let problem = lines.first(where: { $0.hasPrefix("Socket errors:") || $0.hasPrefix("Non-2xx") }) {
            throw Failure("wrk: \(problem)")
        }
        guard let line = lines.first(where: { $0.hasPrefix("Requests/sec:") }),
            let rate = line.split(separator: " ").last.flatMap({ Double($0) }), rate > 0
        else { throw Failure("wrk printed '\(output)'") }
        return Double(work.requests) / rate
    }
}

/// The path of a program, if it is in PATH.
func findTool(_ name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(fileURLWithPath: "\($0)/\(name)") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

/// Runs a program to its end and returns its output. Its peak memory counts as this process's.
///
/// - Parameter input: The file that is its standard input; nil for this process's.
func runTool(_ name: String, _ arguments: [String], input: URL? = nil) throws -> String {
    guard let executable = findTool(name) else { throw Failure("\(name) is not installed") }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
    try process.run()
    // A process that has ended has no memory to read, so its peak is sampled while it runs.
    PeakMemory.follow(process)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(name) failed (\(process.terminationStatus))") }
    return text
}
