/// Performs steps in the completion form one after another.
///
/// A step that completes before it returns does not deepen the stack, however many there are. Of each step's completion handler the first
/// call counts.
final class Relay<Step: Sendable, Input: Sendable, Value: Sendable>: Sendable {
    typealias Handler = @Sendable (Value) -> Void

    private struct State: Sendable {
        /// The number of steps that were begun.
        var begun = 0
        /// Whether the last of them has not returned yet.
        var isCalling = false
        /// Its value, if it has completed before it returned.
        var early: Value?
    }

    private let steps: [Step]
    private let input: @Sendable (Value) -> Input?
    private let call: @Sendable (Step, Input, @escaping Handler) -> Void
    private let finish: Handler
    private let state = Locked(State())

    private init(
        _ steps: [Step], input: @escaping @Sendable (Value) -> Input?,
        call: @escaping @Sendable (Step, Input, @escaping Handler) -> Void, finish: @escaping Handler
    ) {
        self.steps = steps
        self.input = input
        self.call = call
        self.finish = finish
    }

    /// - Parameters:
    ///   - steps: What to perform, in order.
    ///   - value: What the first step's input is made of; the result if there is no step.
    ///   - input: Makes the input of the next step from the value of the one before; nil: there is no further step.
    ///   - call: Performs a step.
    ///   - finish: Called once with the last value; never if a step does not complete.
    static func run(
        _ steps: [Step], from value: Value, input: @escaping @Sendable (Value) -> Input?,
        call: @escaping @Sendable (Step, Input, @escaping Handler) -> Void, finish: @escaping Handler
    ) {
        Relay(steps, input: input, call: call, finish: finish).run(from: value)
    }

    private func run(from first: Value) {
        var value = first
        while let input = input(value), let number = begin() {
            call(steps[number], input, once { self.complete(with: $0) })
            guard let early = takeEarlyValue() else { return }
            value = early
        }
        finish(value)
    }

    /// The index of the next step; nil if there is none.
    private func begin() -> Int? {
        state.withLock { state in
            guard state.begun < steps.count else { return nil }
            defer { state.begun += 1 }
            state.isCalling = true
            return state.begun
        }
    }

    /// The value of a step that has returned, if it has completed already.
    private func takeEarlyValue() -> Value? {
        state.withLock { state in
            state.isCalling = false
            return state.early.take()
        }
    }

    private func complete(with value: Value) {
        let continues = state.withLock { state in
            if state.isCalling { state.early = value }
            return !state.isCalling
        }
        if continues { run(from: value) }
    }
}
