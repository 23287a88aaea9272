#if os(Linux)
    import Testing

    @testable import Firewheel

    /// When the loop looks out for a next request before it sleeps.
    @Suite("Follow-ups")
    struct FollowUpsTests {
        /// How many of so many ends are looked out after, with this outcome each time.
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

        @Test("Nothing is expected before a request has ended, nor after it has been looked out for")
        func once() {
            var followUps = FollowUps(processors: 2)
            #expect(!followUps.areExpected)
            followUps.noteIdle()
            #expect(followUps.areExpected)
            followUps.noteOutcome(true)
            #expect(!followUps.areExpected)
        }

        @Test("While requests follow, it looks out after each")
        func paysOff() {
            var followUps = FollowUps(processors: 2)
            #expect(tries(1000, &followUps, hasCome: true) == 1000)
        }

        @Test("Once none has followed, it looks out after one in 64")
        func doesNotPayOff() {
            var followUps = FollowUps(processors: 2)
            #expect(tries(1, &followUps, hasCome: false) == 1)
            for _ in 0..<5 {
                #expect(tries(63, &followUps, hasCome: false) == 0)
                #expect(tries(1, &followUps, hasCome: false) == 1)
            }
        }

        @Test("One that follows then is enough to look out after each again")
        func paysOffAgain() {
            var followUps = FollowUps(processors: 2)
            #expect(tries(1, &followUps, hasCome: false) == 1)
            #expect(tries(64, &followUps, hasCome: true) == 1)
            #expect(tries(1000, &followUps, hasCome: true) == 1000)
        }

        @Test("On the only processor it never looks out, since a handler could not run meanwhile")
        func oneProcessor() {
            var followUps = FollowUps(processors: 1)
            #expect(tries(1000, &followUps, hasCome: true) == 0)
        }
    }
#endif
