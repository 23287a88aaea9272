import Foundation

/// How thorough the long tests are: `swift test` makes fewer repetitions of them than `.ci/deep`, which sets `FIREWHEEL_DEEP=1`.
enum TestDepth {
    static let isDeep = ProcessInfo.processInfo.environment["FIREWHEEL_DEEP"] == "1"

    /// How many requests a flood has: fewer where sanitizers make each of them slow, which Tests/Sanitizers/run.sh says.
    static let flood = ProcessInfo.processInfo.environment["FIREWHEEL_SANITIZED"] == "1" ? 2_000 : 10_000

    /// The first value in `swift test`, the second one in `.ci/deep`.
    static func choose<Value>(_ usual: Value, deep: Value) -> Value { isDeep ? deep : usual }
}
