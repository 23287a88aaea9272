#if canImport(Darwin)
    import os
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The library's lock: a value that is only accessible while it is held.
///
/// Code under the lock is short and calls nothing that could call back: no closure of the caller, no transport, no queue.
/// `Synchronization.Mutex` is not used: on Apple platforms it needs macOS 15, and on Linux the thread sanitizer does not understand it and
/// reports every use as a race.
package struct Locked<Value: Sendable>: @unchecked Sendable {
    // Sound because the value is only accessed by `withLock`, which holds the lock.

    #if canImport(Darwin)
        private let storage: OSAllocatedUnfairLock<Value>

        package init(_ value: Value) {
            storage = OSAllocatedUnfairLock(initialState: value)
        }

        package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            // Unchecked only because `body` is not @Sendable: its input and result are.
            try storage.withLockUnchecked(body)
        }
    #else
        private let storage: MutexBuffer<Value>

        package init(_ value: consuming Value) {
            storage = MutexBuffer.make(value)
        }

        @inline(__always)
        package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            try storage.withUnsafeMutablePointers { value, mutex in
                pthread_mutex_lock(mutex)
                defer { pthread_mutex_unlock(mutex) }
                return try body(&value.pointee)
            }
        }
    #endif
}

#if !canImport(Darwin)
    /// A value and its mutex in one allocation, which neither leaves.
    private final class MutexBuffer<Value: Sendable>: ManagedBuffer<Value, pthread_mutex_t> {
        static func make(_ value: consuming Value) -> MutexBuffer {
            // Moved, because capturing it in a closure would copy it, and some values are large.
            var initial = Optional(value)
            let buffer = create(minimumCapacity: 1) { buffer in
                buffer.withUnsafeMutablePointerToElements { mutex in
                    mutex.initialize(to: pthread_mutex_t())
                    pthread_mutex_init(mutex, nil)
                }
                // Set above, and taken once.
                return initial.take()!
            }
            return unsafeDowncast(buffer, to: MutexBuffer.self)
        }

        deinit {
            withUnsafeMutablePointerToElements { mutex in
                pthread_mutex_destroy(mutex)
                mutex.deinitialize(count: 1)
            }
        }
    }
#endif
