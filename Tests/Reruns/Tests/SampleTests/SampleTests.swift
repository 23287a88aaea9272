import Foundation
import Testing

/// What `check.py` tells a test to do, by the test's name in the environment: "fail 1 3" fails in its first and third run, "crash 1" and
/// "hang 1" do that in the first one, "fail" always fails.
func act(_ name: String) async {
    let environment = ProcessInfo.processInfo.environment
    guard let words = environment[name]?.split(separator: " "), let folder = environment["SAMPLE_RUNS"] else { return }
    let runs = URL(fileURLWithPath: folder).appendingPathComponent(name)
    // A run is a byte of a file: the runs are in processes of their own.
    let earlier = (try? Data(contentsOf: runs)) ?? Data()
    try? (earlier + [UInt8(ascii: "r")]).write(to: runs)
    guard words.count == 1 || words.dropFirst().contains("\(earlier.count + 1)") else { return }
    switch words[0] {
    case "fail": Issue.record("\(name) fails in run \(earlier.count + 1)")
    case "crash": fatalError("\(name) crashes in run \(earlier.count + 1)")
    case "hang": while true { try? await Task.sleep(for: .seconds(1)) }
    default: Issue.record("\(name) is told \(words)")
    }
}

@Suite(.serialized) struct First {
    @Test func calm() {}
    @Test func one() async { await act("one") }
    @Test func two() async { await act("two") }
    @Test func three() async { await act("three") }
    @Test("A name, with \"quotes\" and (parentheses)", arguments: [1, 2, 3])
    func cases(number: Int) async { if number == 2 { await act("cases") } }
}

@Suite(.serialized) struct Second {
    @Test func `a name with spaces`() async { await act("spaces") }
    @Test func four() async { await act("four") }
    @Test func five() async { await act("five") }
    @Test func six() async { await act("six") }
    @Test(.disabled("to see that this does not count as a test that was not run")) func disabled() {}
    @Test func known() { withKnownIssue { Issue.record("known") } }
}

@Test func free() async { await act("free") }
/// Ends the process after the others, from a thread that no test waits for.
@Test func end() {
    guard ProcessInfo.processInfo.environment["end"] != nil else { return }
    atexit { abort() }
}
