import Foundation

/// What one process of the benchmark is to do in one round.
struct Work: Codable, Sendable {
    /// What is done with a response's body.
    enum Task: String, Codable {
        /// Collected, its length checked.
        case get
        /// Decoded into structs.
        case json
        /// Like `get`, with all the round's requests submitted at once.
        case queued
        /// Like `get`, answered when the server has all the round's requests.
        case held
        /// A large one, collected.
        case memory
        /// A large one, counted only.
        case drop
        /// A large one, written to a file.
        case file
    }

    enum HandlerQueue: String, Codable {
        case own
        case global
    }

    enum Counting: String, Codable {
        /// Nothing, but the process is to do the same as with the others: for valgrind.
        case nothing
        case allocations
        /// Allocations, and where they come from.
        case sites
    }

    var client: Client
    var task: Task
    var url: String
    /// What the body of every response has to have.
    var bodyLength: Int
    var inFlight: Int
    var requests: Int
    var handlerQueue: HandlerQueue
    /// What is counted beside the time; nil for nothing.
    var counting: Counting?

    /// How many requests each of the sequences that run side by side makes, one after the other.
    var shares: [Int] {
        guard task != .queued else { return Array(repeating: 1, count: requests) }
        return (0..<inFlight).map { requests / inFlight + ($0 < requests % inFlight ? 1 : 0) }
    }

    /// What is done first, so that the process is warm: the same with no more than 2,000 requests. nil for one large body,
    /// whose memory would be counted.
    var warmUp: Work? {
        guard requests > 1 else { return nil }
        var work = self
        if task == .held {
            // One, which is answered at once.
            (work.task, work.inFlight, work.requests) = (.get, 1, 1)
            work.url = url.replacingOccurrences(of: "/held", with: "/")
            return work
        }
        // The same however many are counted, so that it cancels out.
        work.requests = counting == nil ? min(requests, 2_000) : (1 + 500 / inFlight) * inFlight
        return work
    }

    var countsAllocations: Bool { counting == .allocations || counting == .sites }

    func check(length: Int) throws {
        guard length == bodyLength else { throw Failure("a body of \(length) bytes instead of \(bodyLength)") }
    }

    func check(status: Int?) throws {
        guard status == 200 else { throw Failure("status \(status ?? 0)") }
    }

    func check(_ people: [Person]) throws {
        guard people.count == 100 else { throw Failure("\(people.count) objects instead of 100") }
    }

    /// Checks a body that was collected; for `json` it decodes it.
    func check(_ body: Data) throws {
        if task == .json {
            try check(JSONDecoder().decode([Person].self, from: body))
        } else {
            try check(length: body.count)
        }
    }

    /// The folder for what the process `pid` downloads. Removed after the process, because removing a large file takes a while.
    static func folder(of pid: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-benchmark-\(pid)")
    }

    /// A file that is not there yet, for one response.
    func newFile() throws -> URL {
        let folder = Self.folder(of: ProcessInfo.processInfo.processIdentifier)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(UUID().uuidString)
    }

    func check(_ file: URL) throws {
        try check(length: FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0)
    }
}

/// An object of the JSON that is decoded.
struct Person: Decodable, Sendable {
    let id: Int
    let name: String
    let email: String
    let score: Double
    let active: Bool
    let city: String
}

/// What a round has cost.
struct Measurement: Codable {
    /// From the first request to the last response.
    var seconds: Double
    /// Of user and system together, in this process.
    var processorSeconds: Double
    /// The largest resident set of the process.
    var peakBytes: Int
    /// How often memory was allocated, if that was counted.
    var allocations = 0
    /// Of `held`: the most while it ran; of memory, what was more than before.
    var growth: ProcessSampler.Facts?
}

/// Why a run ends early, in words for the person who started it.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
