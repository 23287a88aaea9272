import Dispatch

/// The descriptors of Dispatch's timers.
enum DispatchTimers {
    /// On Linux has Dispatch open them, and keep them, before requests open theirs: libdispatch of Swift 6.3 ends the process if it needs
    /// them and the process may have no more. Takes a millisecond, once in a process. Shown by `DescriptorLimitTests`.
    static let areOpen: Void = {
        #if os(Linux)
            let timer = DispatchSource.makeTimerSource()
            let hasFired = DispatchSemaphore(value: 0)
            timer.setEventHandler { hasFired.signal() }
            // One that is due at once would need only two of the three.
            timer.schedule(deadline: .now() + .milliseconds(1))
            timer.activate()
            _ = hasFired.wait(timeout: .now() + .seconds(1))
            timer.cancel()
        #endif
    }()
}
