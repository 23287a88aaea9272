/// Runs tasks on the threads of a ``WorkerPool``, so that blocking code does not hold up other tasks: Swift's own pool has no more threads
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
    /// Creates a task on threads that may block, if the system supports task executors: before macOS 15 and its siblings all tasks share
    /// one small pool.
    static func makeTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: WorkerExecutor.shared, operation: work)
        } else {
            Task(operation: work)
        }
    }
}
