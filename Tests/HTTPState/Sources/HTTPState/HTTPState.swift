import Foundation

@testable import Firewheel

@main
enum HTTPState {
    /// Before the expiry of all cases.
    private static let clock = Date(timeIntervalSince1970: 1_275_350_400)
    private static let host = "http://home.example.org:8888"

    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: HTTPState <checkout of github.com/abarth/http-state>")
            exit(2)
        }
        let corpus = try Corpus(checkout: CommandLine.arguments[1])
        let isRight = run(corpus.cases)
        exit(run(corpus.dates) && isRight ? 0 : 1)
    }

    private static func run(_ cases: [Case]) -> Bool {
        var (asBefore, changed, wrong, left) = (0, 0, 0, 0)
        for test in cases {
            let sent = sent(test)
            if test.isDisabled {
                left += 1
                print("left out by the group: \(test.test) sends \(sent.debugDescription)")
            } else if let expected = Expected.changed[test.test], sent == expected {
                changed += 1
            } else if Expected.changed[test.test] == nil, sent == test.expected {
                asBefore += 1
            } else {
                wrong += 1
                print(
                    "\(test.test): sends \(sent.debugDescription), and not \((Expected.changed[test.test] ?? test.expected).debugDescription)"
                )
            }
        }
        let enabled = cases.count - left
        print("cases: \(asBefore + changed) of \(enabled) enabled: \(asBefore) as RFC 6265, \(changed) as RFC 6265bis has them otherwise")
        return wrong == 0 && changed == Expected.changed.count
    }

    /// The `Cookie` field that a jar sends after a case, as the server reads it.
    private static func sent(_ test: Case) -> String {
        let (clock, name) = (clock, test.test.lowercased())
        let jar = CookieJar(suffixes: .system, now: { clock })
        guard let origin = TargetURI("\(host)/cookie-parser?\(name)") else { return "no URL" }
        // Decoded like the head of a response.
        jar.store(test.received.map { FieldOctets.latin1(Array($0.utf8)) }, from: origin)
        let place = test.sentTo ?? "/cookie-parser-result?\(name)"
        guard let target = TargetURI(place.hasPrefix("/") ? host + place : place) else { return "no URL" }
        let pairs = jar.cookies(for: target).map {
            $0.nameOctets.isEmpty ? $0.valueOctets : $0.nameOctets + Array("=".utf8) + $0.valueOctets
        }
        return FieldOctets.text(Array(pairs.joined(separator: Array("; ".utf8))))
    }

    private static func run(_ dates: [DateCase]) -> Bool {
        var right = 0
        for date in dates {
            let found = CookieDate.parse(Array(date.test.utf8)[...])
            if found == date.expected.flatMap({ HTTPDate.parse($0, now: clock) }) {
                right += 1
            } else {
                print("\(date.test): \(found.map { "\($0)" } ?? "no date"), and not \(date.expected ?? "no date")")
            }
        }
        print("dates: \(right) of \(dates.count)")
        return right == dates.count
    }
}
