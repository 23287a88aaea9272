import Testing

@testable import Firewheel

/// The state machine by itself: initialized → resumed ⇄ suspended → cancelled | finished, as Alamofire has it.
@Suite("The life of a request")
struct RequestLifeTests {
    enum Input: CaseIterable {
        case resume, suspend, cancel, complete, finish
    }

    enum Answer: Equatable {
        case nothing, start, reconcile, first, again, done
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let path: [Input]
        let input: Input
        let answer: Answer
        let phase: RequestLife.Phase

        var testDescription: String { "after \(path): \(input)" }
    }

    /// Every state that the engine can bring about, with every input that it can give there.
    static let table: [Row] = {
        var rows: [Row] = []
        func state(_ path: [Input], _ answers: [(Input, Answer, RequestLife.Phase)]) {
            rows += answers.map { Row(path: path, input: $0.0, answer: $0.1, phase: $0.2) }
        }
        state([], [(.resume, .start, .resumed), (.suspend, .nothing, .suspended), (.cancel, .reconcile, .cancelled)])
        state(
            [.resume],
            [
                (.resume, .nothing, .resumed), (.suspend, .reconcile, .suspended), (.cancel, .reconcile, .cancelled),
                (.complete, .first, .resumed),
            ])
        state([.suspend], [(.resume, .start, .resumed), (.suspend, .nothing, .suspended), (.cancel, .reconcile, .cancelled)])
        state(
            [.resume, .suspend],
            [
                (.resume, .reconcile, .resumed), (.suspend, .nothing, .suspended), (.cancel, .reconcile, .cancelled),
                (.complete, .first, .suspended),
            ])
        for path in [[Input.cancel], [.resume, .cancel], [.suspend, .cancel], [.resume, .suspend, .cancel]] {
            state(
                path,
                [
                    (.resume, .nothing, .cancelled), (.suspend, .nothing, .cancelled), (.cancel, .nothing, .cancelled),
                    (.complete, .first, .cancelled),
                ])
        }
        state(
            [.resume, .complete],
            [(.resume, .nothing, .resumed), (.cancel, .nothing, .cancelled), (.complete, .again, .resumed), (.finish, .done, .finished)])
        state([.resume, .suspend, .complete], [(.cancel, .nothing, .cancelled), (.finish, .done, .finished)])
        state(
            [.resume, .complete, .cancel],
            [
                (.resume, .nothing, .cancelled), (.suspend, .nothing, .cancelled), (.cancel, .nothing, .cancelled),
                (.complete, .again, .cancelled), (.finish, .done, .cancelled),
            ])
        for path in [[Input.resume, .complete, .finish], [.resume, .suspend, .complete, .finish]] {
            state(
                path,
                [
                    (.resume, .nothing, .finished), (.suspend, .nothing, .finished), (.cancel, .nothing, .finished),
                    (.complete, .again, .finished), (.finish, .done, .finished),
                ])
        }
        return rows
    }()

    @Test("Each input in each state", arguments: table)
    func transition(row: Row) {
        var life = RequestLife()
        for input in row.path { _ = apply(input, to: &life) }
        #expect(apply(row.input, to: &life) == row.answer)
        #expect(life.phase == row.phase)
    }

    /// 10,000 walks of 40 steps. Whatever callers do: the end stays the end, one start, one outcome, nothing started after a cancel.
    @Test("Random walks keep the invariants")
    func randomWalks() {
        var generator = SeededGenerator(state: 1)
        for _ in 0..<10_000 {
            var life = RequestLife()
            var starts = 0
            var outcomes = 0
            var ended: RequestLife.Phase?
            var isPlausible = true
            for _ in 0..<40 {
                let input = Input.allCases.randomElement(using: &generator)!
                // The engine completes what has been started, and finishes what has been completed.
                if input == .complete && !life.isStarted || input == .finish && !life.isCompleting { continue }
                let wasCancelled = life.phase == .cancelled
                let answer = apply(input, to: &life)
                starts += answer == .start ? 1 : 0
                outcomes += answer == .first ? 1 : 0
                if answer == .start && (wasCancelled || outcomes > 0) { isPlausible = false }
                if let ended, life.phase != ended { isPlausible = false }
                if life.phase == .cancelled || life.phase == .finished { ended = life.phase }
            }
            #expect(isPlausible && starts <= 1 && outcomes <= 1)
        }
    }

    private func apply(_ input: Input, to life: inout RequestLife) -> Answer {
        func answer(_ action: RequestLife.Action) -> Answer {
            switch action {
            case .nothing: .nothing
            case .start: .start
            case .reconcile: .reconcile
            }
        }
        switch input {
        case .resume: return answer(life.resume())
        case .suspend: return answer(life.suspend())
        case .cancel: return answer(life.cancel())
        case .complete: return life.beginCompletion() ? .first : .again
        case .finish:
            life.finish()
            return .done
        }
    }
}
