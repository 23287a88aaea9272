import CMalloc
import Firewheel
import Foundation

/// Minutes of mixed traffic, with the resources that the process holds meanwhile.
@main
struct Soak {
    private static let interval: TimeInterval = 10
    private static let tasks = 16
    private static let connections = 8
    /// The maximum growth of resident memory after the warm-up, in bytes.
    private static let mostGrowth = 5_000_000
    /// The maximum growth of allocated memory, in bytes. Per-thread caches count, so it is not exact either.
    private static let mostAllocatedGrowth = 2_000_000

    // Not async, because waiting in a task would keep Dispatch's threads alive.
    static func main() {
        do {
            if CommandLine.arguments.dropFirst().first == ServerProcess.option { return try ServerProcess.serve() }
            guard let minutes = CommandLine.arguments.dropFirst().first.map({ Double($0) ?? 0 }), minutes > 0 else {
                throw Wrong("usage: Soak MINUTES")
            }
            try run(seconds: minutes * 60)
        } catch {
            FileHandle.standardError.write(Data("soak: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Prints without buffering, also into a pipe.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static func run(seconds: TimeInterval) throws {
        set_fixed_thresholds()
        let server = try ServerProcess()
        defer { server.stop() }
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = connections
        // Read by the library before the first handshake.
        setenv("SSL_CERT_FILE", server.authority, 1)
        let session = Traffic.makeSession(configuration)
        let traffic = server.urls.map { Traffic(server: $0, session: session) }
        var generators = (0..<tasks).map { SeededGenerator(state: UInt64($0) + 1) }

        say("  seconds  requests  memory MB  allocated MB  descriptors  threads")
        let start = Date()
        let warmUp = min(120, seconds / 5)
        var requests = 0
        var samples: [Sample] = []
        while -start.timeIntervalSinceNow < seconds {
            let end = Date(timeIntervalSinceNow: interval)
            let done = try wait { [generators] in try await burst(traffic, generators, until: end) }
            requests += done.count
            generators = done.generators
            let isWarm = -start.timeIntervalSinceNow >= warmUp
            let sample = try settle(traffic, as: samples.first, isWarm: isWarm)
            let elapsed = -start.timeIntervalSinceNow
            if isWarm { samples.append(sample) }
            let memory = String(format: "%10.2f %13.2f", Double(sample.memory) / 1e6, Double(sample.inUse) / 1e6)
            let counts = String(format: "%12d %8d", sample.descriptors, sample.threads.count)
            say(String(format: "%9.0f %9d ", elapsed, requests) + "\(memory) \(counts)" + (samples.isEmpty ? "  (warm-up)" : ""))
        }
        try judge(samples)
    }

    /// Runs a task and waits for it on this thread.
    private static func wait<Value: Sendable>(for body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let isDone = DispatchSemaphore(value: 0)
        // Sound because it is written before the semaphore is signalled and read after.
        nonisolated(unsafe) var result: Result<Value, any Error>?
        Task.detached {
            do { result = .success(try await body()) } catch { result = .failure(error) }
            isDone.signal()
        }
        isDone.wait()
        guard let result else { throw Wrong("a task without a result") }
        return try result.get()
    }

    /// Makes traffic until a point in time. Returns the counts by kind of traffic, and the generators for what follows.
    private static func burst(
        _ traffic: [Traffic], _ generators: [SeededGenerator], until end: Date
    ) async throws -> (count: Int, generators: [SeededGenerator]) {
        try await withThrowingTaskGroup(of: (Int, SeededGenerator, Int).self) { group in
            for (index, generator) in generators.enumerated() {
                group.addTask {
                    var generator = generator
                    var count = 0
                    while end.timeIntervalSinceNow > 0, let kind = Traffic.kinds.randomElement(using: &generator),
                        let server = traffic.randomElement(using: &generator)
                    {
                        try await kind(server, &generator)
                        count += 1
                    }
                    return (index, generator, count)
                }
            }
            var (total, generators) = (0, generators)
            for try await (index, generator, count) in group {
                generators[index] = generator
                total += count
            }
            return (total, generators)
        }
    }

    /// The resources when nothing is under way and the session has all its connections.
    ///
    /// Dispatch's idle threads end after some seconds, and connections close a moment after the last response. The first sample waits for
    /// all of that; the others wait until they have no more than `first`, up to half a minute.
    private static func settle(_ traffic: [Traffic], as first: Sample?, isWarm: Bool) throws -> Sample {
        try wait { try await fill(traffic) }
        let patience = Date(timeIntervalSinceNow: 30)
        Thread.sleep(forTimeInterval: first == nil && isWarm ? 10 : 0.1)
        while true {
            let sample = Sample.now
            guard let first, patience.timeIntervalSinceNow > 0 else { return sample }
            if sample.descriptors <= first.descriptors, sample.threads.count <= first.threads.count { return sample }
            Thread.sleep(forTimeInterval: 0.25)
        }
    }

    /// Makes the session open all its connections: over HTTP/2 that is one.
    private static func fill(_ traffic: [Traffic]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for traffic in traffic {
                for _ in 0..<connections {
                    group.addTask { _ = try await traffic.session.request(traffic.server + "/pause").validate().serializingData().value }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func judge(_ samples: [Sample]) throws {
        guard let first = samples.first, samples.count > 1 else { throw Wrong("too short to tell anything") }
        var wrong: [String] = []
        let growth = (samples.map(\.memory).max() ?? 0) - first.memory
        if growth > mostGrowth { wrong.append("memory grew by \(growth) bytes") }
        let allocatedGrowth = (samples.map(\.inUse).max() ?? 0) - first.inUse
        if allocatedGrowth > mostAllocatedGrowth { wrong.append("\(allocatedGrowth) bytes more are allocated") }
        let descriptors = samples.map(\.descriptors).max() ?? 0
        if descriptors > first.descriptors { wrong.append("\(descriptors) descriptors, \(first.descriptors) at first") }
        let names = first.threads.filter { $0.hasPrefix("firewheel") }
        if let other = samples.first(where: { $0.threads.filter { $0.hasPrefix("firewheel") } != names }) {
            wrong.append("threads: \(other.threads), at first \(first.threads)")
        }
        if let more = samples.first(where: { $0.threads.count > first.threads.count }) {
            wrong.append("\(more.threads.count) threads, \(first.threads.count) at first: \(more.threads)")
        }
        guard wrong.isEmpty else { throw Wrong(wrong.joined(separator: "; ")) }
        say("After the warm-up at most \(growth) bytes more are resident and \(allocatedGrowth) more allocated.")
        say("There were never more descriptors or threads.")
    }
}
