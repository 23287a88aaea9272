import Foundation

/// A timeout that ends with the response's head, for requests whose body may be quiet for as long as it likes.
final class HeadTimer: Sendable {
    private let timer = Locked<Task<Void, any Error>?>(nil)

    /// Ends a request whose exchange has no response after that many seconds. 0 is no limit.
    static func limit(_ request: DataStreamRequest, to seconds: TimeInterval) {
        guard seconds > 0 else { return }
        let timer = HeadTimer()
        let listener = EventListener(queue: DispatchQueue(label: "firewheel.head-timer")) {
            switch $0 {
            case .createTask, .receiveResponse, .completeTask: true
            default: false
            }
        } call: { [weak request] _, event in
            guard case .createTask = event else { return timer.set(nil) }
            timer.set(
                Task {
                    try await Task.sleep(nanoseconds: UInt64(min(seconds, 3_155_760_000) * 1e9))
                    guard let request, request.response == nil else { return }
                    let words = TimeoutWords.idle(seconds, "waiting for the response")
                    request.cancel(with: .transportFailed(.timedOut, words))
                })
        }
        request.call.listen(listener) { _ in nil }
    }

    private func set(_ next: Task<Void, any Error>?) {
        let last = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        last?.cancel()
    }
}
