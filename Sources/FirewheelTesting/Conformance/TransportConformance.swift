import Firewheel
import Foundation

/// What a `Transport` has to do, as cases that run against a ``MockServer`` on the loopback address: for `CurlTransport`,
/// `URLSessionTransport` and a transport of your own alike.
///
/// It belongs to no test framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conforms(to rule: TransportConformance.Case) async throws {
///     try await rule.run { MyTransport() }
/// }
/// ```
public enum TransportConformance {
    /// One rule, shown by example.
    public struct Case: Sendable, CustomStringConvertible {
        /// Says in a few words what is expected. Unique among the cases, and stable.
        public let name: String
        /// Where the rule is from: the documentation of `Transport` or an RFC.
        public let rule: String

        let body: @Sendable (ConformanceBench) throws -> Void

        init(_ name: String, _ rule: String, _ body: @escaping @Sendable (ConformanceBench) throws -> Void) {
            self.name = name
            self.rule = rule
            self.body = body
        }

        /// The ``name``.
        public var description: String { name }

        /// Runs the case on a new transport and a server of its own, both gone when this returns.
        ///
        /// The case runs on a thread of its own, so that it may wait. A transport that blocks that thread is left behind when the time is
        /// over.
        ///
        /// - Parameters:
        ///   - seconds: How long the case may take, so that a transport which hangs is a failure and not a hang. Default: 60.
        ///   - makeTransport: Makes the transport under test. Called once; the transport shall be referenced by nobody else.
        /// - Throws: ``Failure`` if the transport breaks the rule, or one of those that hold for every case (exactly one end, events in
        ///   order); ``MockServerError`` if there is no server to be had; what `makeTransport` throws.
        public func run(within seconds: TimeInterval = 60, _ makeTransport: @escaping @Sendable () throws -> any Transport) async throws {
            let outcome = Guarded<Result<Void, any Error>?>(nil)
            Thread.detachNewThread { [self] in
                let result = Result {
                    let bench = try ConformanceBench(transport: try makeTransport(), seconds: seconds)
                    defer { bench.close() }
                    try body(bench)
                    try bench.judge()
                }
                outcome.change { if $0 == nil { $0 = result } }
            }
            let result = await Self.wait(for: outcome, seconds: seconds + 5)
            do {
                try result.get()
            } catch let error as BrokenRule {
                throw Failure(name: name, rule: rule, problem: error.description)
            }
        }

        private static func wait(for outcome: Guarded<Result<Void, any Error>?>, seconds: TimeInterval) async -> Result<Void, any Error> {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let result = outcome.wait(timeout: seconds) { $0 }
                    continuation.resume(returning: result ?? .failure(BrokenRule("a method of the transport did not return")))
                }
            }
        }
    }

    /// A case that a transport does not pass.
    public struct Failure: Error, CustomStringConvertible, LocalizedError {
        /// The name of the case.
        public let name: String
        /// The rule of `Transport` that the case checks, as a sentence.
        public let rule: String
        /// What was seen, and what was expected.
        public let problem: String

        /// The case, the problem and the rule, on one line.
        public var description: String { "\(name): \(problem) (rule: \(rule))" }
        /// The ``description``, which `localizedDescription` gives too.
        public var errorDescription: String? { description }
    }

    /// Every case, in a fixed order.
    public static let cases: [Case] =
        requestCases + headCases + bodyCases + flowCases + heldHeadCases + discardCases + manyCases + cancelCases + timeCases + faultCases
        + connectionCases
}

/// What a case found.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Breaks the rule unless the condition holds.
func check(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    if !condition { throw BrokenRule(problem()) }
}

/// Breaks the rule unless the two are the same; says both.
func checkEqual<Value: Equatable>(_ what: String, _ seen: Value, _ expected: Value) throws {
    try check(seen == expected, "\(what) is \(seen), not \(expected)")
}

/// Breaks the rule unless the bytes are the same; says where they differ, since they may be many.
func checkSame(_ what: String, _ seen: Data?, _ expected: Data) throws {
    let seen = seen ?? Data()
    if seen == expected { return }
    let place = zip(seen, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(seen.count, expected.count)
    throw BrokenRule("\(what) has \(seen.count) bytes, not the \(expected.count) expected; they differ from byte \(place) on")
}
