/// The counts, and every case that differs from curl.
struct Report {
    var seen = 0
    var skipped: [String: Int] = [:]
    private(set) var unexplained: [String] = []
    private var run = 0
    private var same = 0
    private var failedInBoth = 0
    private var lines: [String: [String]] = [:]
    private var asExpected = 0
    private var expectations = 0

    mutating func add(_ test: TestFile, chain: Outcome, curl: Outcome) {
        run += 1
        compareWithExpectation(test, chain: chain)
        switch (chain, curl) {
        case (.body(let status, let body), .body(let otherStatus, let otherBody)):
            if body == otherBody, status == otherStatus {
                same += 1
            } else {
                note("another answer", test, "\(status), \(body.count) bytes; curl \(otherStatus), \(otherBody.count) bytes")
            }
        case (.failure, .failure): failedInBoth += 1
        case (.failure(let reason), .body): note("an error with the chain alone", test, reason)
        case (.body(let status, let body), .failure(let reason)):
            note("an error with curl alone", test, "\(reason); here \(status), \(body.count) bytes")
        }
    }

    /// The result that the case itself expects, where curl's command is a plain GET.
    private mutating func compareWithExpectation(_ test: TestFile, chain: Outcome) {
        guard let expected = test.expectation else { return }
        expectations += 1
        switch (chain, expected) {
        case (.body(_, let body), .body(_, let wanted)) where body == wanted: asExpected += 1
        case (.failure, .failure): asExpected += 1
        case (.body(let status, let body), .body(_, let wanted)):
            note("not as the case says", test, "\(status), \(body.count) bytes instead of \(wanted.count)")
        case (.failure(let reason), _): note("not as the case says", test, reason)
        case (.body(let status, let body), .failure(let reason)):
            note("not as the case says", test, "\(status), \(body.count) bytes instead of \(reason)")
        }
    }

    private mutating func note(_ kind: String, _ test: TestFile, _ detail: String) {
        let explanation = explained[test.number]
        lines[kind, default: []].append("  \(test.number) \(test.name): \(detail)\n      \(explanation ?? "UNEXPLAINED")")
        if explanation == nil { unexplained.append("\(test.number)") }
    }

    func print() {
        Swift.print("\(seen) cases, \(run) run, \(seen - run) skipped")
        for (reason, count) in skipped.sorted(by: { $0.value > $1.value }) { Swift.print("  \(count) skipped: \(reason)") }
        Swift.print("\(same) the same answer, \(failedInBoth) an error with both")
        Swift.print("\(asExpected) of \(expectations) cases with a plain GET come out as the case itself says")
        for (kind, cases) in lines.sorted(by: { $0.key < $1.key }) {
            Swift.print("\(cases.count) \(kind)")
            for line in cases { Swift.print(line) }
        }
        Swift.print(unexplained.isEmpty ? "all explained" : "unexplained: \(unexplained.joined(separator: " "))")
    }
}

extension TestFile {
    /// nil if the command does more than a GET, or nothing is expected.
    fileprivate var expectation: Outcome? {
        guard !hasTool else { return nil }
        let words = command.split(separator: " ").map(String.init)
        let isURL = { (word: String) in word.hasPrefix("http://") }
        let follows = words.contains("-L") || words.contains("--location")
        let plain: Set<String> = ["-L", "--location", "--compressed", "-i", "--include", "-s", "-S", "-v"]
        guard words.filter(isURL).count == 1, words.allSatisfy({ isURL($0) || plain.contains($0) }) else { return nil }
        guard words.first(where: isURL)?.split(separator: "/").last.map({ $0 == "\(number)" }) == true else { return nil }
        // By default curl neither decodes nor follows redirects.
        let head = String(decoding: (replies[0] ?? []).prefix(2000), as: UTF8.self).lowercased()
        if head.contains("content-encoding:"), !words.contains("--compressed") { return nil }
        if head.contains("\nlocation:"), !follows { return nil }
        if exitCode != 0 { return .failure("error \(exitCode)") }
        return output.map { .body(status: 0, $0.lastBody) }
    }
}

extension [UInt8] {
    /// What follows the last head in curl's output.
    fileprivate var lastBody: [UInt8] {
        let all = lines
        guard let start = all.lastIndex(where: { $0.starts(with: "HTTP/".utf8) }),
            let end = all[start...].firstIndex(where: { $0.elementsEqual("\r\n".utf8) || $0.elementsEqual("\n".utf8) })
        else { return [] }
        return Array(all[(end + 1)...].joined())
    }
}
