import Foundation

/// A date written as text is read by Foundation as the same date in whole seconds.
func fuzzDate(_ input: [UInt8]) {
    var source = Source(input)
    while !source.isEmpty {
        let kind = source.byte()
        let word = source.word()
        // Half of them are near the years that can be written, because few random numbers are.
        let seconds = kind.isMultiple(of: 2) ? Double(bitPattern: word) : Double(Int64(bitPattern: word) >> 20) / 32
        let date = Date(timeIntervalSince1970: seconds)
        guard let text = try? InternetDate.text(of: date, path: "") else { continue }
        check(text.utf8.count == 20 && text.hasSuffix("Z"), "\(seconds) is \(text)")
        guard let read = try? Date(text, strategy: .iso8601) else { fatalError("\(text) is no date") }
        check(abs(read.timeIntervalSince(date)) <= 1, "\(seconds) is \(text), which is \(read.timeIntervalSince1970)")
        check((try? InternetDate.text(of: read, path: "")) == text, "\(text) is written as another")
    }
}
