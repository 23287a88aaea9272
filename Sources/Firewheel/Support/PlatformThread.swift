import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Threads that can be joined and whose start can fail: `Thread` cannot be joined, and does not report that the system has no threads left.
package enum PlatformThread {
    /// Virtual size, of which only used pages take memory.
    package static let stackSize = 512 * 1024

    /// A storable, comparable identity of the current thread: pthread_t is a number on Linux and a pointer on Apple platforms.
    package static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// - Parameter stackSize: In bytes.
    /// - Returns: False if the system has no threads left.
    package static func start(name: String, stackSize: Int = stackSize, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = pthread_create(&thread, &attributes, runWork, work.toOpaque())
        if result != 0 { work.release() }
        return result == 0
    }

    /// Waits until the thread has ended.
    package static func join(_ thread: UInt) {
        guard let thread = handle(thread) else { return }
        pthread_join(thread, nil)
    }

    /// Detaches the thread, so that the system cleans up after it.
    package static func detach(_ thread: UInt) {
        guard let thread = handle(thread) else { return }
        pthread_detach(thread)
    }

    private static func handle(_ thread: UInt) -> pthread_t? {
        #if canImport(Darwin)
            pthread_t(bitPattern: thread)
        #else
            pthread_t(thread)
        #endif
    }
}

private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

#if canImport(Darwin)
    private typealias WorkPointer = UnsafeMutableRawPointer
#else
    private typealias WorkPointer = UnsafeMutableRawPointer?
#endif

private func runWork(_ pointer: WorkPointer) -> UnsafeMutableRawPointer? {
    let context: UnsafeMutableRawPointer? = pointer
    guard let box = context else { return nil }
    let work = Unmanaged<Work>.fromOpaque(box).takeRetainedValue()
    Thread.current.name = work.name
    work.body()
    return nil
}
