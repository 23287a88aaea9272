#if os(Linux)
    import Testing

    @testable import Firewheel

    /// When the loop polls for a next request before it sleeps.
    @Suite("Polling for the next request")
    struct FollowUpsTests {
        /// How many of so many ended requests are polled after, each with this outcome.
        private func tries(_ ends: Int, _ followUps: inout FollowUps, hasCome: Bool) -> Int {
            var count = 0
            for _ in 0..<ends {
                followUps.noteIdle()
                guard followUps.areExpected else { continue }
                count += 1
                followUps.noteOutcome(hasCome)
            }
            return count
        }

        @Test("A next request is expected only once after each ended request")
        func once() {
            var followUps = FollowUps(processors: 2)
            #expect(!followUps.areExpected)
            followUps.noteIdle()
            #expect(followUps.areExpected)
            followUps.noteOutcome(true)
            #expect(!followUps.areExpected)
        }

        @Test("While each ended request is followed by another, the I/O loop polls after every end")
        func paysOff() {
            var followUps = FollowUps(processors: 2)
            #expect(tries(1000, &followUps, hasCome: true) == 1000)
        }

        @Test("After an end without a next request, the I/O loop polls after one end in 64")
        func doesNotPayOff() {
            var followUps = FollowUps(processors: 2)
            #expect(tries(1, &followUps, hasCome: false) == 1)
            for _ in 0..<5 {
                #expect(tries(63, &followUps, hasCome: false) == 0)
                #expect(tries(1, &followUps, hasCome: false) == 1)
            }
        }

        @Test("One request that follows makes the I/O loop poll after every end again")
        func paysOffAgain() {
            var followUps = FollowUps(processors: 2)
            #expect(tries(1, &followUps, hasCome: false) == 1)
            #expect(tries(64, &followUps, hasCome: true) == 1)
            #expect(tries(1000, &followUps, hasCome: true) == 1000)
        }

        @Test("With a single processor the I/O loop never polls for a next request")
        func oneProcessor() {
            var followUps = FollowUps(processors: 1)
            #expect(tries(1000, &followUps, hasCome: true) == 0)
        }
    }
#endif
