import Dispatch
import Firewheel

// Each round has a session of its own, made before the clock starts, because the C loop too opens its connections anew.

extension Client {
    /// `inFlight` chains, in which each response's handler starts the next request.
    static func chain(target: Target, queue: DispatchQueue) -> Client {
        Client(name: "Firewheel chain") { load in
            let chains = Chains(target: target, queue: queue)
            let seconds = await chains.run(shares: load.shares)
            try chains.failure.check()
            return seconds
        }
    }

    /// `inFlight` child tasks, each of which makes its requests one after the other.
    static func async(target: Target) -> Client {
        Client(name: "Firewheel async") { load in
            let session = Session(configuration: SessionConfiguration())
            let start = DispatchTime.now()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for share in load.shares {
                    group.addTask {
                        for _ in 0..<share {
                            // Any status but 2xx is a failure of validate().
                            let body = try await session.request(target.url).validate().serializingData().value
                            guard body.count == target.bodyLength else { throw target.wrongLength(body.count) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            return start.secondsUntilNow
        }
    }

    /// All of the round's requests submitted at once, however many may run at a time.
    static func queued(target: Target, queue: DispatchQueue) -> Client {
        Client(name: "Firewheel queued") { load in
            let chains = Chains(target: target, queue: queue)
            let seconds = await chains.run(shares: Array(repeating: 1, count: load.requests))
            try chains.failure.check()
            return seconds
        }
    }
}

/// Sequences of requests that run side by side in one session.
private final class Chains: Sendable {
    let failure = FirstFailure()
    private let target: Target
    private let queue: DispatchQueue
    private let session = Session(configuration: SessionConfiguration())
    private let group = DispatchGroup()

    init(target: Target, queue: DispatchQueue) {
        self.target = target
        self.queue = queue
    }

    /// Starts as many sequences as there are shares, and returns the seconds until the last of them has ended.
    func run(shares: [Int]) async -> Double {
        let start = DispatchTime.now()
        for share in shares {
            group.enter()
            step(remaining: share)
        }
        return await withCheckedContinuation { continuation in
            group.notify(queue: queue) { continuation.resume(returning: start.secondsUntilNow) }
        }
    }

    private func step(remaining: Int) {
        guard remaining > 0 else { return group.leave() }
        session.request(target.url).validate().responseData(queue: queue) { response in
            switch response.result {
            case .success(let body) where response.statusCode == 200 && body.count == self.target.bodyLength:
                self.step(remaining: remaining - 1)
            case .success(let body):
                self.fail(response.statusCode == 200 ? self.target.wrongLength(body.count) : Failure("status \(response.statusCode ?? 0)"))
            case .failure(let error):
                self.fail(error)
            }
        }
    }

    private func fail(_ error: any Error) {
        failure.record(error)
        group.leave()
    }
}

extension DispatchTime {
    fileprivate var secondsUntilNow: Double {
        Double(DispatchTime.now().uptimeNanoseconds - uptimeNanoseconds) / 1e9
    }
}
