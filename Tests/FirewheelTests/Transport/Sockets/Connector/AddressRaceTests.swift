import Testing

@testable import Firewheel

@Suite("The race of a host's addresses (RFC 8305)")
struct AddressRaceTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func race(_ addresses: String...) -> AddressRace<String> {
        AddressRace(addresses, now: start) { $0.hasPrefix("six") }
    }

    private func after(_ seconds: Double) -> MonotonicInstant { start.advanced(by: seconds) }

    @Test("Addresses of both families take turns, in the resolver's order, the preferred family first (section 4)")
    func interleaved() {
        var race = race("four1", "four2", "four3", "six1", "six2")
        var order: [String] = []
        var now = start
        while let next = race.next(now: now) {
            order.append(next)
            now = race.wakeUp ?? now
        }
        #expect(order == ["six1", "four1", "six2", "four2", "four3"])
    }

    @Test("The next address is tried 250 ms after the last one, beside it (section 5)")
    func staggered() {
        var race = race("six1", "four1")
        #expect(race.next(now: start) == "six1")
        #expect(race.next(now: start) == nil)
        #expect(race.wakeUp == after(0.25))
        #expect(race.next(now: after(0.249)) == nil)
        #expect(race.next(now: after(0.25)) == "four1")
        #expect(race.wakeUp == nil && !race.isLost)
    }

    @Test("After a failure the next address is tried at once, and the race is lost when all have failed")
    func failures() {
        var race = race("six1", "six2", "four1")
        #expect(race.next(now: start) == "six1")
        race.failed(now: after(0.01))
        #expect(!race.isLost && race.wakeUp == after(0.01))
        #expect(race.next(now: after(0.01)) == "four1")
        #expect(race.next(now: after(0.1)) == nil)
        #expect(race.next(now: after(0.26)) == "six2")
        race.failed(now: after(0.3))
        #expect(!race.isLost)
        race.failed(now: after(0.3))
        #expect(race.isLost)
    }

    @Test("A race without addresses is lost")
    func none() {
        var race = race()
        #expect(race.next(now: start) == nil && race.isLost)
    }
}
