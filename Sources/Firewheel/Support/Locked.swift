#if canImport(Darwin)
    import os
#else
    import CFirewheelCurl
    import Synchronization
#endif

/// The one lock of the library: a value that can only be reached while holding it.
///
/// What is done under it is short and calls nothing that could call back: no user's closure, no transport, no queue.
/// `Synchronization.Mutex` would do everywhere but needs macOS 15, hence the unfair lock on Apple's systems.
struct Locked<Value: Sendable>: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let storage: OSAllocatedUnfairLock<Value>

        init(_ value: Value) {
            storage = OSAllocatedUnfairLock(initialState: value)
        }

        func withLock<Result: Sendable>(_ body: @Sendable (inout Value) throws -> Result) rethrows -> Result {
            try storage.withLock(body)
        }
    #else
        private let storage: Mutex<Value>

        init(_ value: Value) {
            storage = Mutex(value)
        }

        @inline(__always)
        func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            try storage.withLock { value in
                withUnsafeMutablePointer(to: &value) { fwcurl_lock_taken($0) }
                defer { withUnsafeMutablePointer(to: &value) { fwcurl_lock_released($0) } }
                return try body(&value)
            }
        }
    #endif
}
