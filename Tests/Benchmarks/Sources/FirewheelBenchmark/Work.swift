import Firewheel
import Foundation

/// The work of one benchmark process in one round.
struct Work: Codable, Sendable {
    /// How a response's body is used.
    enum Task: String, Codable {
        /// Collected, with its length checked.
        case get
        /// Decoded into structs.
        case json
        /// Like `get`, with all requests of the round submitted at once.
        case queued
        /// Like `get`, but answered only when the server has all requests of the round.
        case held
        /// Large and collected.
        case memory
        /// Large and only counted.
        case drop
        /// Large and split into lines, each a string.
        case lines
        /// Large, read slowly, and left.
        case slow
        /// Large and written to a file.
        case file
        /// A large file is sent.
        case sendFile
        /// A large file is sent as a stream whose length is not known.
        case sendStream
    }

    enum HandlerQueue: String, Codable {
        case own
        case global
    }

    enum Counting: String, Codable {
        /// Nothing is requested, but the process is set up as for the others, for valgrind.
        case nothing
        case allocations
        /// Allocations with their sites.
        case sites
    }

    var client: Client
    var task: Task
    var url: String
    /// The expected length of every body.
    var bodyLength: Int
    var inFlight: Int
    var requests: Int
    var handlerQueue: HandlerQueue
    /// What is counted beside the time; nil for nothing.
    var counting: Counting?
    var wire = Wire.http
    /// Set if each request is made on a new connection.
    var fresh: Fresh?
    /// The file that is sent, if the work is an upload.
    var upload: URL?

    /// The number of requests of each concurrent sequence.
    var shares: [Int] {
        guard task != .queued else { return Array(repeating: 1, count: requests) }
        return (0..<inFlight).map { requests / inFlight + ($0 < requests % inFlight ? 1 : 0) }
    }

    /// The warm-up run before: the same work with fewer requests. nil for a large body, whose memory would be counted.
    var warmUp: Work? {
        guard requests > 1 else { return nil }
        var work = self
        if task == .held {
            // One request, which is answered at once.
            (work.task, work.inFlight, work.requests) = (.get, 1, 1)
            work.url = url.replacingOccurrences(of: "/held", with: "/")
            return work
        }
        // Always the same number, so that it cancels out.
        work.requests = counting == nil ? min(requests, fresh == nil ? 2_000 : 200) : (1 + 500 / inFlight) * inFlight
        return work
    }

    /// Header fields of each request that have the server close the connection if it is used once.
    var extraFields: HTTPHeaders { fresh == nil ? [:] : ["Connection": "close"] }

    /// The queue of a chain's handlers.
    func makeHandlerQueue() -> DispatchQueue {
        switch handlerQueue {
        case .own: DispatchQueue(label: "benchmark.handlers", attributes: .concurrent)
        case .global: .global()
        }
    }

    var countsAllocations: Bool { counting == .allocations || counting == .sites }

    func check(length: Int) throws {
        guard length == bodyLength else { throw Failure("a body of \(length) bytes instead of \(bodyLength)") }
    }

    func check(status: Int?) throws {
        guard status == 200 else { throw Failure("status \(status ?? 0)") }
    }

    /// Checks the answer to an upload, which is the number of bytes that came.
    func check(answer: some StringProtocol) throws {
        guard answer == "\(bodyLength)" else { throw Failure("an upload of \(answer.prefix(100)) bytes instead of \(bodyLength)") }
    }

    /// The file to send.
    func fileToSend() throws -> URL {
        guard let upload else { throw Failure("there is no file to send") }
        return upload
    }

    func check(_ people: [Person]) throws {
        guard people.count == 100 else { throw Failure("\(people.count) objects instead of 100") }
    }

    /// Checks a collected body; for `json` it decodes it.
    func check(_ body: Data) throws {
        if task == .json {
            try check(JSONDecoder().decode([Person].self, from: body))
        } else {
            try check(length: body.count)
        }
    }

    /// The folder for downloads of process `pid`. Removed after the process has ended, because removing large files takes time.
    static func folder(of pid: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-benchmark-\(pid)")
    }

    /// A new file for one response.
    func newFile() throws -> URL {
        let folder = Self.folder(of: ProcessInfo.processInfo.processIdentifier)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(UUID().uuidString)
    }

    func check(_ file: URL) throws {
        try check(length: FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0)
    }
}

/// An object of the decoded JSON.
struct Person: Decodable, Sendable {
    let id: Int
    let name: String
    let email: String
    let score: Double
    let active: Bool
    let city: String
}

/// The cost of a round.
struct Measurement: Codable {
    /// From the first request to the last response.
    var seconds: Double
    /// User time of this process.
    var userSeconds: Double
    /// System time of this process.
    var systemSeconds: Double
    /// Both together.
    var processorSeconds: Double { userSeconds + systemSeconds }
    /// The largest resident set of the process.
    var peakBytes: Int
    /// The number of allocations, if counted.
    var allocations = 0
    /// For `held`: the maxima during the run, with memory relative to its start.
    var growth: ProcessSampler.Facts?
    /// The TLS connections that it opened, if counted.
    var connections: ConnectionCount?
}

/// Why a run ends early, as text for the person who started it.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
