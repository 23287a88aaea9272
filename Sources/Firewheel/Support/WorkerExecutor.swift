/// Runs tasks on the threads of a ``WorkerPool``, so that one whose code blocks holds up no other: Swift has no more threads of its own
/// than there are processors.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class WorkerExecutor: TaskExecutor {
    static let shared = WorkerExecutor(pool: .shared)

    private let pool: WorkerPool

    init(pool: WorkerPool) {
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension WorkerPool {
    /// A task on threads where it may block, wherever the system lets a task choose: before macOS 15 and its like all tasks share a few
    /// threads.
    static func makeTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: WorkerExecutor.shared, operation: work)
        } else {
            Task(operation: work)
        }
    }
}
