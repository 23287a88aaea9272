import Foundation
import Testing

@testable import Firewheel

@Suite("Wall-clock dates and monotonic instants")
struct ClockReadingTests {
    private let clock = ClockReading(instant: MonotonicInstant(nanoseconds: 5_000_000_000), wall: 1_000)

    @Test("Converting a wall-clock date to an instant keeps its distance from now", arguments: [-4.5, -0.001, 0, 0.25, 3_600])
    func there(seconds: TimeInterval) {
        let instant = clock.instant(of: Date(timeIntervalSinceReferenceDate: 1_000 + seconds))
        #expect(abs(clock.wallTime(of: instant) - 1_000 - seconds) < 0.000_001)
    }

    @Test("A date far out of range gives an instant within range", arguments: [-1e300, -1e10, 1e300, .infinity, -.infinity, .nan])
    func far(seconds: TimeInterval) {
        let instant = clock.instant(of: Date(timeIntervalSinceReferenceDate: seconds))
        #expect(instant.nanoseconds < UInt64.max / 2)
        if seconds < 0 { #expect(instant.nanoseconds == 0) }
    }

    @Test("Advancing an instant never moves it back or out of range", arguments: [-1, 0, 0.5, 1e300, .infinity, -.infinity, .nan])
    func advanced(seconds: TimeInterval) {
        for start in [MonotonicInstant(nanoseconds: 0), .now(), MonotonicInstant(nanoseconds: .max - 1)] {
            let instant = start.advanced(by: seconds)
            #expect(instant >= start && start.seconds(since: instant) == 0)
            if seconds == 0.5, start < MonotonicInstant(nanoseconds: .max / 2) { #expect(instant.seconds(since: start) == 0.5) }
        }
    }
}
