import AllocationCounter
import Foundation

/// A process of this program for each round of each client: its memory is its own, what one leaves behind slows no other, and a client that
/// crashes takes nobody along.
enum Worker {
    static let option = "--worker"
    /// Longer than any round should take; a client that hangs is ended then.
    private static let patience = 120

    /// This program.
    static var executable: URL {
        get throws {
            guard let executable = Bundle.main.executableURL else { throw Failure("cannot tell where this program is") }
            return executable
        }
    }

    /// In the process of a client: does the work and prints what it has cost.
    static func serve(_ text: String) async throws {
        let work = try JSONDecoder().decode(Work.self, from: Data(text.utf8))
        if work.task == .held { ManyConnections.raiseDescriptorLimit() }
        if let warmUp = work.warmUp { _ = try await work.client.run(warmUp) }
        let before = processorSeconds()
        let factsBefore = ProcessSampler.Facts.now
        let sampler = work.task == .held ? ProcessSampler() : nil
        if work.countsAllocations { allocation_counter_start(work.counting == .sites) }
        let seconds = try await work.client.run(work)
        let allocations = work.countsAllocations ? allocation_counter_stop() : 0
        if work.counting == .sites { allocation_counter_print_sites(60, work.requests) }
        var measurement = Measurement(
            seconds: seconds, processorSeconds: processorSeconds() - before, peakBytes: PeakMemory.bytes, allocations: allocations)
        if var most = sampler?.end() {
            most.bytes -= factsBefore.bytes
            measurement.growth = most
        }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(measurement))
        // At once: closing down is not measured, and URLSession does not always survive it.
        exit(0)
    }

    /// Has the work done by a process of its own. Throws a ``Failure`` if that ends without a measurement.
    ///
    /// - Parameters:
    ///   - tool: A program that runs this one; nil runs it as it is.
    ///   - arguments: What comes before the work's.
    static func run(_ work: Work, by tool: URL? = nil, _ arguments: [String] = []) throws -> Measurement {
        let process = Process()
        process.executableURL = try tool ?? executable
        process.arguments = arguments + [option, String(decoding: try JSONEncoder().encode(work), as: UTF8.self)]
        // Printing the stack of a crash takes seconds.
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

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
