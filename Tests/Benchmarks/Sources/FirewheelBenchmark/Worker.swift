import AllocationCounter
import Foundation

/// Runs each round of each client in a process of its own, so that memory, leftovers and crashes stay separate.
enum Worker {
    static let option = "--worker"
    /// A client that takes longer counts as hanging and is ended.
    private static let patience = 120

    /// The path of this program.
    static var executable: URL {
        get throws {
            guard let executable = Bundle.main.executableURL else { throw Failure("cannot tell where this program is") }
            return executable
        }
    }

    /// Runs in a client's process: does the work and prints its cost.
    static func serve(_ text: String) async throws {
        let work = try JSONDecoder().decode(Work.self, from: Data(text.utf8))
        if work.task == .held { ManyConnections.raiseDescriptorLimit() }
        if let warmUp = work.warmUp { _ = try await work.client.run(warmUp) }
        let log = try await ConnectionLog(work)
        let before = ProcessorTime.now
        let factsBefore = ProcessSampler.Facts.now
        let sampler = work.task == .held ? ProcessSampler() : nil
        if work.countsAllocations { allocation_counter_start(work.counting == .sites) }
        let seconds = try await work.client.run(work)
        let allocations = work.countsAllocations ? allocation_counter_stop() : 0
        if work.counting == .sites { allocation_counter_print_sites(60, work.requests) }
        let after = ProcessorTime.now
        var measurement = Measurement(
            seconds: seconds, userSeconds: after.user - before.user, systemSeconds: after.system - before.system,
            peakBytes: PeakMemory.bytes, allocations: allocations)
        if var most = sampler?.end() {
            most.bytes -= factsBefore.bytes
            measurement.growth = most
        }
        measurement.connections = try await log?.count()
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(measurement))
        // Exits at once, because cleanup is not measured and URLSession does not always survive it.
        exit(0)
    }

    /// Runs the work in a process of its own. Throws a ``Failure`` if that ends without a measurement.
    ///
    /// - Parameters:
    ///   - tool: A program that runs this one; nil runs it directly.
    ///   - arguments: Arguments before the work's.
    static func run(_ work: Work, by tool: URL? = nil, _ arguments: [String] = []) throws -> Measurement {
        let process = Process()
        process.executableURL = try tool ?? executable
        process.arguments = arguments + [option, String(decoding: try JSONEncoder().encode(work), as: UTF8.self)]
        // Printing the stack of a crash would take seconds.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let pid = process.processIdentifier
        let alarm = DispatchSource.makeTimerSource()
        alarm.setEventHandler { kill(pid, SIGKILL) }
        alarm.schedule(deadline: .now() + .seconds(patience))
        alarm.resume()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        alarm.cancel()
        try? FileManager.default.removeItem(at: Work.folder(of: pid))
        guard process.terminationReason == .exit else {
            throw Failure(
                process.terminationStatus == SIGKILL ? "ended after \(patience) seconds" : "crashed (signal \(process.terminationStatus))")
        }
        guard process.terminationStatus == 0 else { throw Failure("failed") }
        return try JSONDecoder().decode(Measurement.self, from: printed)
    }

}

/// The processor time of this process so far, in seconds.
private struct ProcessorTime {
    let user: Double
    let system: Double

    static var now: ProcessorTime {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessorTime(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
    }
}
