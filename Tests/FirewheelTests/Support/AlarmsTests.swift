import Foundation
import Testing

@testable import Firewheel

/// One timer for many requests: each alarm rings once, at its earliest instant.
@Suite("Alarms", .timeLimit(.minutes(5)))
struct AlarmsTests {
    private let rung = Journal<UInt64>()

    private func alarms() -> Alarms {
        let rung = rung
        return Alarms { rung.add($0) }
    }

    private let never = MonotonicInstant.now().advanced(by: 3600)

    private func soon(_ milliseconds: Double = 5) -> MonotonicInstant { .now().advanced(by: milliseconds / 1000) }

    @Test("Of two instants set for one id the earlier one rings, once")
    func earlier() async throws {
        let alarms = alarms()
        alarms.set(1, at: soon())
        alarms.set(1, at: never)
        alarms.set(2, at: never)
        alarms.set(2, at: soon())
        #expect(try await rung.wait(for: 2).sorted() == [1, 2])
        // A second ring would come before this one.
        alarms.set(3, at: soon())
        #expect(try await rung.wait(for: 3).last == 3)
        #expect(rung.count == 3)
    }

    @Test("A cleared alarm does not ring, and can be set again")
    func cleared() async throws {
        let alarms = alarms()
        // Not due before it is cleared, on a busy machine either.
        alarms.set(1, at: soon(3_000))
        alarms.set(2, at: soon(3_000))
        alarms.clear(1)
        alarms.set(3, at: soon(3_010))
        #expect(try await rung.wait(for: 2) == [2, 3])
        // After a clear a later instant is accepted.
        alarms.set(1, at: soon(1))
        #expect(try await rung.wait(for: 3).last == 1)
        alarms.clear(1)
        alarms.clear(77)
    }

    @Test("An alarm that has rung can be set again")
    func again() async throws {
        let alarms = alarms()
        for round in 1...5 {
            alarms.set(1, at: soon(1))
            #expect(try await rung.wait(for: round).count == round)
        }
    }

    @Test("An alarm set to a past instant rings at once")
    func past() async throws {
        let alarms = alarms()
        alarms.set(1, at: never)
        alarms.set(2, at: MonotonicInstant(nanoseconds: 0))
        #expect(try await rung.wait(for: 1) == [2])
    }
}
