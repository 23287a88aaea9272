import FirewheelClassic
import Testing

private enum Failure: Error, Equatable {
    case first
    case second(of: String)
}

@Suite("FirewheelClassic's Result<Value>")
struct ResultTests {
    private let success: Result<Int> = .success(7)
    private let failure: Result<Int> = .failure(Failure.first)

    @Test("Result has isSuccess, isFailure, value and error, as in Alamofire 4")
    func queries() {
        #expect(success.isSuccess && !success.isFailure && success.value == 7 && success.error == nil)
        #expect(!failure.isSuccess && failure.isFailure && failure.value == nil)
        if let error = failure.error as? Failure {
            #expect(error == .first)
        } else {
            Issue.record("no error")
        }
    }

    @Test("Result is Swift's own Result, and a Result with a typed error has the same members")
    func sameAsSwifts() {
        let swifts: Swift.Result<Int, any Error> = success
        #expect(swifts.isSuccess)
        let typed: Swift.Result<Int, Failure> = .failure(.first)
        #expect(typed.isFailure && typed.value == nil && typed.error == .first)
        #expect(throws: Failure.first) { try typed.unwrap() }
        #expect(typed.flatMap { "\($0)" }.error as? Failure == .first)
    }

    @Test("Result(value:) takes its closure with a label or as a trailing closure")
    func initialize() throws {
        func seven() throws -> Int { 7 }
        func nothing() throws -> Int { throw Failure.first }
        let labelled = Result(value: { try seven() })
        let trailing = Result { try nothing() }
        let function: Result<Int> = Result(value: nothing)
        #expect(labelled.value == 7)
        #expect(trailing.error as? Failure == .first)
        #expect(function.error as? Failure == .first)
    }

    @Test("Result.unwrap() returns the value or throws the error")
    func unwrap() throws {
        #expect(try success.unwrap() == 7)
        #expect(throws: Failure.first) { try failure.unwrap() }
    }

    @Test("Result.map transforms a value and keeps an error")
    func map() {
        let text: Result<String> = success.map { "\($0)" }
        #expect(text.value == "7")
        #expect(failure.map { "\($0)" }.error as? Failure == .first)
    }

    @Test("Result.flatMap takes a closure that returns a value or throws")
    func flatMapToValues() {
        let text = success.flatMap { "\($0)" }
        #expect(text.value == "7")
        let object = success.flatMap { value -> [String: Int] in
            guard value > 0 else { throw Failure.first }
            return ["value": value]
        }
        #expect(object.value == ["value": 7])
        let thrown: Result<String> = success.flatMap { _ in throw Failure.second(of: "flatMap") }
        #expect(thrown.error as? Failure == .second(of: "flatMap"))
        #expect(failure.flatMap { "\($0)" }.error as? Failure == .first)
    }

    @Test("Result.flatMap with a closure that returns a Result does not nest it")
    func flatMapToResults() {
        let plain = success.flatMap { Result<String>.success("\($0)") }
        let plainValue: String? = plain.value
        #expect(plainValue == "7")
        let several = success.flatMap { value -> Result<String> in
            if value > 10 { return .failure(Failure.first) }
            return .success("\(value)")
        }
        let severalValue: String? = several.value
        #expect(severalValue == "7")
        func check(_ value: Int) throws -> Result<String> {
            if value > 5 { throw Failure.second(of: "check") }
            return .success("\(value)")
        }
        let throwing = success.flatMap { try check($0) }
        let thrown: Result<String> = throwing
        #expect(thrown.error as? Failure == .second(of: "check"))
        #expect(Result<Int>.success(3).flatMap(check).value == "3")
    }

    @Test("Result.mapError and flatMapError transform the error and keep a value")
    func mapErrors() {
        func wrap(_ error: Error) -> Failure { .second(of: "\(error)") }
        let mapped: Result<Int> = failure.mapError { Failure.second(of: "\($0)") }
        #expect(mapped.error as? Failure == .second(of: "first"))
        let byFunction: Result<Int> = failure.mapError(wrap)
        #expect(byFunction.error as? Failure == .second(of: "first"))
        #expect(failure.mapError { Failure.second(of: "\($0)") }.error == .second(of: "first"))
        let flat: Result<Int> = failure.flatMapError { Failure.second(of: "\($0)") }
        #expect(flat.error as? Failure == .second(of: "first"))
        let thrown = failure.flatMapError { error -> Failure in throw Failure.second(of: "thrown \(error)") }
        #expect(thrown.error as? Failure == .second(of: "thrown first"))
        #expect(success.flatMapError { Failure.second(of: "\($0)") }.value == 7)
        #expect(failure.flatMapError { _ in Result<Int>.success(1) }.value == 1, "Swift's own is still there")
    }

    @Test("withValue, withError, ifSuccess and ifFailure call the matching closure, rethrow, and return the result")
    func effects() {
        var steps: [String] = []
        success
            .withValue { steps.append("value \($0)") }
            .withError { steps.append("error \($0)") }
            .ifSuccess { steps.append("success") }
            .ifFailure { steps.append("failure") }
        failure
            .withValue { steps.append("value \($0)") }
            .withError { steps.append("error \($0)") }
            .ifSuccess { steps.append("success") }
            .ifFailure { steps.append("failure") }
        #expect(steps == ["value 7", "success", "error first", "failure"])
        #expect(throws: Failure.first) { try success.withValue { _ in throw Failure.first } }
        #expect(throws: Failure.second(of: "first")) { try failure.withError { throw Failure.second(of: "\($0)") } }
        #expect(throws: Failure.first) { try success.ifSuccess { throw Failure.first } }
        #expect(throws: Failure.first) { try failure.ifFailure { throw Failure.first } }
    }

    @Test("A switch over Result is exhaustive with .success and .failure")
    func switching() {
        switch success {
        case .success(let value): #expect(value == 7)
        case .failure(let error): Issue.record(error)
        }
    }
}
