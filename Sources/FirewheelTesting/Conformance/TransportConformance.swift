import Firewheel
import Foundation

/// Conformance tests for `Transport`, as cases that run against a ``MockServer`` on the loopback address: for `SocketTransport`,
/// `URLSessionTransport` and a transport of your own alike.
///
/// It is independent of test frameworks. With Swift Testing:
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conforms(to rule: TransportConformance.Case) async throws {
///     try await rule.run { MyTransport() }
/// }
/// ```
///
/// Every transport must pass ``cases``. What a transport may leave out is in ``featureCases``: it runs those of the features that it has.
public enum TransportConformance {
    /// A part of the interface that a transport may leave out. A request that asks for ``bodySources``, ``sentEvents`` or
    /// ``interimResponses`` then fails before anything is sent, which ``cases`` check.
    public enum Feature: Sendable, Hashable, CaseIterable {
        /// Bodies from files and streams (`TransportRequest.bodySource`).
        case bodySources
        /// Bodies that wait for a 100 (`TransportRequest.expectsContinue`). Without it, the body is sent at once. Its cases need
        /// ``bodySources`` too.
        case expectContinue
        /// `sent` events (`TransportRequest.reportsSent`). Its cases need ``bodySources`` too.
        case sentEvents
        /// `interim` events (`TransportRequest.reportsInterim`).
        case interimResponses
        /// Trailer fields of responses (`TransportResult.trailers`), and of requests. Its cases need ``bodySources`` too.
        case trailers
        /// A response that arrives while the request's body is still being sent. Its cases need ``bodySources`` too.
        case fullDuplex
        /// Bodies that are handed over with their content codings (`TransportRequest.decodesContent`).
        case undecodedBodies
    }

    /// A single rule with an example.
    public struct Case: Sendable, CustomStringConvertible {
        /// A short description of the expectation. Unique among the cases, and stable.
        public let name: String
        /// The source of the rule: the documentation of `Transport`, or an RFC.
        public let rule: String
        /// The feature that the case is about; nil if every transport must pass it.
        public let feature: Feature?

        let body: @Sendable (ConformanceBench) throws -> Void

        init(_ name: String, _ rule: String, _ feature: Feature? = nil, _ body: @escaping @Sendable (ConformanceBench) throws -> Void) {
            self.name = name
            self.rule = rule
            self.feature = feature
            self.body = body
        }

        /// The ``name``.
        public var description: String { name }

        /// Runs the case with a new transport and a new server, both of which are released on return.
        ///
        /// The case runs on a thread of its own, so that it may block. A transport that blocks that thread is abandoned after the timeout.
        ///
        /// - Parameters:
        ///   - seconds: The timeout, so that a transport that hangs is reported as a failure. Default: 60.
        ///   - makeTransport: Creates the transport under test. Called once; no other reference to the transport may exist.
        /// - Throws: ``Failure`` if the transport violates the rule, or one that applies to every case (exactly one end, events in order);
        ///   ``MockServerError`` if no server can be started; the error of `makeTransport`.
        public func run(within seconds: TimeInterval = 60, _ makeTransport: @escaping @Sendable () throws -> any Transport) async throws {
            let outcome = Guarded<Result<Void, any Error>?>(nil)
            Thread.detachNewThread { [self] in
                let result = Result {
                    let bench = try ConformanceBench(transport: try makeTransport(), seconds: seconds)
                    defer { bench.close() }
                    do {
                        try body(bench)
                    } catch {
                        // What the server has seen explains more than what came of it.
                        try bench.checkExchanges()
                        throw error
                    }
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

    /// The error for a case that a transport does not pass.
    public struct Failure: Error, CustomStringConvertible, LocalizedError {
        /// The name of the case.
        public let name: String
        /// The rule of `Transport` that the case checks, as a sentence.
        public let rule: String
        /// The observation and the expectation.
        public let problem: String

        /// The case, the problem and the rule on one line.
        public var description: String { "\(name): \(problem) (rule: \(rule))" }
        /// The ``description``, also returned by `localizedDescription`.
        public var errorDescription: String? { description }
    }

    /// The cases that every transport must pass, in a fixed order.
    public static let cases: [Case] =
        requestCases + headCases + bodyCases + flowCases + heldHeadCases + discardCases + manyCases + cancelCases + timeCases + faultCases
        + connectionCases + optionCases

    /// The cases of each ``Feature``, in a fixed order. A transport must pass those of the features that it has.
    public static let featureCases: [Case] =
        fileBodyCases + streamBodyCases + uploadFlowCases + readerCases + sentCases + interimCases + continueCases + trailerCases
        + duplexCases + undecodedCases
}

/// The result of a violated rule.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless the condition holds.
func check(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    if !condition { throw BrokenRule(problem()) }
}

/// Throws unless both values are equal, naming them.
func checkEqual<Value: Equatable>(_ what: String, _ seen: Value, _ expected: Value) throws {
    try check(seen == expected, "\(what) is \(seen), not \(expected)")
}

/// Throws unless both are equal, naming the first difference, because the data may be long.
func checkSame(_ what: String, _ seen: Data?, _ expected: Data) throws {
    let seen = seen ?? Data()
    if seen == expected { return }
    let place = zip(seen, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(seen.count, expected.count)
    throw BrokenRule("\(what) has \(seen.count) bytes, not the \(expected.count) expected; they differ from byte \(place) on")
}
