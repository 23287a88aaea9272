#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// Random chains against random servers, in a process of its own so that threads and descriptors can be counted.
    ///
    /// The environment chooses the scenarios, and each failure names its seed:
    /// - `FIREWHEEL_CHAOS_RUNS`: how many runs, each with its own seed. Default: 200, and 2,000 in `.ci/deep`.
    /// - `FIREWHEEL_CHAOS_SEED`: the first seed; the others follow it. Default: 9,000,000. Without
    ///   `FIREWHEEL_CHAOS_RUNS` this one scenario is run 100 times, for rare failures.
    @Suite("Chaos runs", .needsHTTP2Server, .serialized, .timeLimit(.minutes(60)))
    struct ChaosTests {
        @Test(
            "With hostile servers and random cancels, each handler is called once with a right outcome and nothing leaks"
        )
        func chaos() async {
            let environment = ProcessInfo.processInfo.environment
            let given = environment["FIREWHEEL_CHAOS_SEED"].flatMap { UInt64($0) }
            let count = environment["FIREWHEEL_CHAOS_RUNS"].flatMap { Int($0) }
            let first = given ?? 9_000_000
            let isRepeated = given != nil && count == nil
            let runs = count ?? (isRepeated ? 100 : TestDepth.choose(200, deep: 2_000))
            // Of the runs of a sanitizer, which are slow, other kinds of outcome may be rare.
            let isCounted = !isRepeated && (count == nil || runs >= 2_000)
            print("chaos: \(runs) runs from seed \(first)\(isRepeated ? ", all the same" : "")")
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                [
                    first = first as UInt64, runs = runs as Int, isRepeated = isRepeated as Bool, isCounted = isCounted as Bool
                ] in
                ProcessFacts.giveUp(after: UInt32(600 + runs / 5))
                let threads = ProcessFacts.clientThreadCount
                let server = try ChaosServer()
                defer { server.shutdown() }
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("chaos-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                // A temporary folder of its own, without other tests' files.
                setenv("TMPDIR", folder.path, 1)
                defer { try? FileManager.default.removeItem(at: folder) }
                // A warm-up run creates what stays: the shared loop, and the one-time setup of Foundation and Dispatch.
                let warmUp = ChaosBatch(seeds: (0..<20).map { $0 }, server: server, folder: folder)
                await warmUp.perform()
                #expect(await eventually(within: 30) { server.openConnectionCount == 0 })
                #expect(await eventually(within: 30) { ProcessFacts.resolverThreadCount == 0 })
                let descriptors = ProcessFacts.descriptorCount

                let seeds = (0..<runs).map { isRepeated ? first : first &+ UInt64($0) }
                let batch = ChaosBatch(seeds: seeds, server: server, folder: folder)
                await batch.perform()

                #expect(
                    await eventually(within: 30) { server.openConnectionCount == 0 },
                    "\(server.openConnectionCount) connections")
                #expect(
                    await eventually(within: 30) { ProcessFacts.descriptorCount <= descriptors + 5 },
                    "\(descriptors) descriptors before, \(ProcessFacts.descriptorCount) after")
                // The loop stays, and idle threads of Dispatch end only after a while.
                #expect(
                    await eventually(within: 30) { ProcessFacts.clientThreadCount <= threads + 8 },
                    "\(threads) threads before, now \(ProcessFacts.threadNames)")
                #expect(ProcessFacts.loopThreadCount == 1, "\(ProcessFacts.threadNames)")
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(files == [], "files were left: \(files.prefix(5))")
                for failure in warmUp.failures + batch.failures { Issue.record("\(failure)") }
                let outcomes = batch.outcomes
                let told = outcomes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                let left =
                    "threads \(threads), then \(ProcessFacts.clientThreadCount); descriptors \(descriptors), then \(ProcessFacts.descriptorCount)"
                let slowest = "the slowest took \(batch.slowest.milliseconds) ms (seed \(batch.slowest.seed))"
                FileHandle.standardError.write(Data("chaos: \(batch.count) runs; \(slowest); \(left); handlers were told: \(told)\n".utf8))
                if isCounted {
                    for kind in [
                        "value", "explicitlyCancelled", "sessionInvalidated", "transport -1001", "transport -1005",
                        "requestAdaptationFailed", "requestRetryFailed", "retried", "retried to a value", "authenticated to a value",
                        "sent cookies", "streamed to a value", "a value from http", "a value from https", "a value from http2",
                        "a value from briefHTTP2",
                    ] {
                        #expect(outcomes[kind, default: 0] > runs / 20, "few were told of \(kind): \(outcomes)")
                    }
                    for kind in [
                        "transport -1017", "refreshed to a value", "sent abroad without them", "sent credentials abroad",
                        "uploaded in part", "streamed in part", "streamed in duplex",
                        "refused an expectation", "notRepeatable", "leg kept a part", "leg resumed to a value", "leg retried to a value",
                        "feed to its end", "feed over three connections",
                    ] {
                        #expect(outcomes[kind, default: 0] > runs / 200, "few were \(kind): \(outcomes)")
                    }
                    // Few runs have a feed that is cancelled, and its moment decides whether the feed has ended before.
                    if runs >= 2_000 {
                        #expect(outcomes["feed cancelled", default: 0] > runs / 200, "few were feed cancelled: \(outcomes)")
                    }
                    let uploaded = ChaosScenario.Upload.Kind.allCases.map { outcomes["uploaded \($0.rawValue)", default: 0] }
                    #expect(uploaded.reduce(0, +) > runs / 10, "few were uploaded: \(outcomes)")
                    if runs >= 2_000 { #expect(uploaded.allSatisfy { $0 > 0 }, "some were never uploaded: \(outcomes)") }
                }
            }
            print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
        }
    }
#endif
