import Foundation

/// A timeout that ends with the response's head, for requests whose response body may be quiet for as long as it likes.
final class HeadTimer: Sendable {
    private let timer = Locked<Task<Void, any Error>?>(nil)

    /// How often a timeout is looked at: it may be exceeded by such a part of it.
    private static let looks = 8

    /// Ends a request whose exchange has no response that many seconds after its beginning, or after the system took in the last bytes of
    /// its body. 0 is no limit.
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
                    var (sent, quietLooks) = (Int64(0), 0)
                    while quietLooks < looks {
                        try await Task.sleep(nanoseconds: UInt64(min(seconds, 3_155_760_000) / Double(looks) * 1e9))
                        guard let snapshot = request?.call.snapshot, snapshot.finalHead == nil else { return }
                        quietLooks = snapshot.sent == sent ? quietLooks + 1 : 0
                        sent = snapshot.sent
                    }
                    let words = TimeoutWords.connecting(seconds, "waiting for the response")
                    request?.cancel(with: .transportFailed(.timedOut, words))
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
