/// The one task in which a request's async steps run, one after the other: its adapters, retriers, redirect handlers and response gates.
///
/// It is made by the code that first resumes the request, whose task-local values therefore reach them. It is cancelled when the request
/// ends; nobody waits for a step that does not return. Steps run on threads where they may block, wherever the system lets a task choose.
final class AsyncSteps: Sendable {
    typealias Step = @Sendable () async -> Void

    private let steps: AsyncStream<Step>.Continuation
    private let task: Task<Void, Never>

    /// Whether a step that blocks its thread holds up no other: before macOS 15 and its like all tasks share a few threads.
    static var mayBlock: Bool {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { true } else { false }
    }

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Step.self)
        steps = continuation
        let work: @Sendable () async -> Void = {
            for await step in stream where !Task.isCancelled { await step() }
        }
        task = WorkerPool.makeTask(work)
    }

    /// Steps that a request had no use for any more end as well: a stream that nobody finishes keeps its task waiting.
    deinit { end() }

    func run(_ step: @escaping Step) {
        steps.yield(step)
    }

    /// No more steps follow, and the one that runs is cancelled.
    func end() {
        steps.finish()
        // A cancel calls the caller's cancellation handlers, which may block.
        WorkerPool.shared.run { [task] in task.cancel() }
    }
}
