/// The single task in which a request's async steps run one after another: adapters, retriers, redirect handlers and response gates. The
/// question to a handler of cached responses begins there.
///
/// It is created by the code that first resumes the request, so the steps inherit that code's task-local values. It is cancelled when the
/// request ends, without waiting for a step that does not return. Where the system supports task executors, steps run on threads that may
/// block.
final class AsyncSteps: Sendable {
    typealias Step = @Sendable () async -> Void

    private let steps: AsyncStream<Step>.Continuation
    private let task: Task<Void, Never>

    /// Whether a step may block its thread without holding up other steps: before macOS 15 and its siblings all tasks share one small pool.
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

    /// Ends the step stream even if the request did not: an unfinished stream would keep its task waiting.
    deinit { end() }

    func run(_ step: @escaping Step) {
        steps.yield(step)
    }

    /// Accepts no more steps, and cancels the one that runs.
    func end() {
        steps.finish()
        // Cancelling runs the caller's cancellation handlers, which may block.
        WorkerPool.shared.run { [task] in task.cancel() }
    }
}
