import Foundation

/// The idle timeout until a response's head. Used on the driver's queue only.
final class URLSessionHeadTimer {
    private let timer: any DispatchSourceTimer
    private let seconds: TimeInterval

    init(_ seconds: TimeInterval, on queue: SerialQueue, _ handler: @escaping @Sendable () -> Void) {
        self.seconds = min(seconds, URLSessionPlatform.noLimit)
        timer = DispatchSource.makeTimerSource(queue: queue.queue)
        timer.setEventHandler(handler: handler)
        restart()
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Begins the timeout anew: something was sent, or the request is not paused any more.
    func restart() { timer.schedule(deadline: .now() + seconds) }

    func pause() { timer.schedule(deadline: .distantFuture) }
}
