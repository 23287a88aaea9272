#if os(Linux)
    import Testing

    @testable import Firewheel

    /// Steps that take a millisecond, of which a turn has a few, so that handshakes hold nobody up for long.
    @Suite("Long steps of the loop", .timeLimit(.minutes(5)))
    struct LongStepTests {
        @Test("A turn has time for four long steps at the most, and the next one for further ones")
        func four() async {
            let bench = HTTP2WireBench()
            await onThreads(1) { _ in
                var fullTurns = 0
                do {
                    // Handshakes of other tests may have had some of a turn's steps.
                    for _ in 0..<1_000 where fullTurns < 3 {
                        let answers = try bench.inspect { pool in (0..<20).map { _ in pool.loop.mayTakeLongStep() } }
                        let count = answers.count { $0 }
                        guard count <= 4, answers.prefix(count).allSatisfy({ $0 }) else {
                            Issue.record("the answers were \(answers)")
                            return
                        }
                        if count == 4 { fullTurns += 1 }
                    }
                } catch {
                    Issue.record(error)
                }
                #expect(fullTurns == 3)
            }
            bench.release()
        }
    }
#endif
