import Foundation
import Testing

@testable import Firewheel

@Suite("Internet dates (RFC 3339)")
struct InternetDateTests {
    @Test("Random dates written as text read back the same in whole seconds, or have no text form")
    func random() throws {
        var generator = SeededGenerator(state: 3339)
        var written = 0
        for round in 0..<20_000 {
            let seconds =
                switch round % 3 {
                case 0: Double(bitPattern: generator.next())
                case 1: Double.random(in: -7e10...3e11, using: &generator)
                default: Double(Int.random(in: -62_135_769_600..<253_402_300_800, using: &generator)) + [0, 0.5, 0.999_999][round % 9 / 3]
                }
            let date = Date(timeIntervalSince1970: seconds)
            guard let text = try? InternetDate.text(of: date, path: "") else {
                #expect(!(-62_135_769_600..<253_402_300_800).contains(seconds))
                continue
            }
            written += 1
            #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(seconds) is \(text)")
            let read = try Date(text, strategy: .iso8601)
            #expect(abs(read.timeIntervalSince(date)) < 1, "\(seconds) is \(text)")
            #expect(try InternetDate.text(of: read, path: "") == text)
        }
        #expect(written > 10_000)
    }
}
