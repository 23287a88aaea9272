import Foundation

/// Answers the transport's questions about servers with the verdicts of a session's evaluators, each on a task of its own.
final class TrustJudge: Sendable {
    /// A task, and then its verdict, unless nobody waits for one any more.
    private final class Evaluation: Sendable {
        private enum State {
            case starting
            case running(Task<Void, Never>)
            case answered(ServerRefusal?)
            case ended
        }

        private let state = Locked(State.starting)

        func begin(_ task: Task<Void, Never>) {
            let isEnded = state.withLock { state in
                if case .starting = state { state = .running(task) }
                if case .ended = state { return true }
                return false
            }
            if isEnded { Self.cancel(task) }
        }

        /// - Returns: False if it is over already.
        func finish(_ refusal: ServerRefusal?) -> Bool {
            state.withLock { state in
                if case .ended = state { return false }
                state = .answered(refusal)
                return true
            }
        }

        /// - Returns: That the server was refused, if it was.
        func end() -> ServerRefusal? {
            let (task, refusal) = state.withLock { state -> (Task<Void, Never>?, ServerRefusal?) in
                switch state {
                case .answered(let refusal): return (nil, refusal)
                case .running(let task):
                    state = .ended
                    return (task, nil)
                case .starting, .ended:
                    state = .ended
                    return (nil, nil)
                }
            }
            if let task { Self.cancel(task) }
            return refusal
        }

        /// Runs the caller's cancellation handlers, which may block.
        private static func cancel(_ task: Task<Void, Never>) { WorkerPool.shared.run { task.cancel() } }
    }

    private let manager: ServerTrustManager
    /// Those that run, or have refused a server.
    private let evaluations = Locked<[TransportTaskID: Evaluation]>([:])

    init(_ manager: ServerTrustManager) {
        self.manager = manager
    }

    /// - Parameter answer: Called once, unless ``end(_:)`` comes before.
    func judge(
        _ certificates: ServerCertificates, of hop: TransportTaskID, answer: @escaping @Sendable (TransportAnswer) -> Void
    ) {
        let new = Evaluation()
        // The exchange may be asked about once more, on another connection.
        _ = evaluations.withLock { $0.updateValue(new, forKey: hop) }?.end()
        let task = WorkerPool.makeTask { [manager] in
            let (verdict, refusal) = await certificates.verdict(of: manager)
            guard new.finish(refusal) else { return }
            if refusal == nil { self.evaluations.withLock { if $0[hop] === new { $0[hop] = nil } } }
            answer(verdict)
        }
        new.begin(task)
    }

    /// Handles that an exchange is over without success. An evaluator that still runs is cancelled.
    ///
    /// - Returns: That the exchange's server was refused, if it was.
    func end(_ hop: TransportTaskID) -> ServerRefusal? { evaluations.withLock { $0.removeValue(forKey: hop) }?.end() }
}

extension ServerCertificates {
    /// The answer to the transport; and the error of the request, unless it is that of a session without a manager.
    fileprivate func verdict(of manager: ServerTrustManager) async -> (TransportAnswer, ServerRefusal?) {
        do {
            let trust = try ServerTrust(self)
            if let evaluator = try manager.serverTrustEvaluator(forHost: host) {
                try await trust.judge(by: evaluator)
            } else {
                do { try trust.verify() } catch { return (.refuse(refusal(by: error).answer), nil) }
            }
            return (.accept, nil)
        } catch {
            let refusal = ServerRefusal(refusal(by: error))
            return (.refuse(refusal.answer), refusal)
        }
    }

    private func refusal(by error: any Error) -> FirewheelError {
        var refusal = refusalOfServer(by: error)
        if refusal.subject == nil { refusal = refusal.with(subject: .host(host)) }
        guard let proxy else { return refusal }
        return refusal.with(detail: "cannot connect to the proxy \(proxy): \(refusal.detail ?? "its certificate is refused")")
    }

    private func refusalOfServer(by error: any Error) -> FirewheelError {
        // One with a request is about another server, which an evaluator has asked.
        if let error = error as? FirewheelError, case .serverTrustEvaluationFailed = error.kind, error.request == nil { return error }
        let own = chain.first.flatMap { try? Certificate(der: $0) }
        return FirewheelError(
            .serverTrustEvaluationFailed(.customEvaluationFailed), detail: "the evaluator of \(host) refused the server\(own.facts)",
            underlyingError: error)
    }
}

/// That a server is not trusted.
final class ServerRefusal: Sendable {
    let error: FirewheelError

    init(_ error: FirewheelError) {
        self.error = error
    }

    /// The transport's error that stands for it.
    var answer: TransportError { error.answer }
}

extension FirewheelError {
    fileprivate var answer: TransportError { .failed(urlErrorCode ?? .serverCertificateUntrusted, detail ?? "") }
}

extension ServerTrust {
    init(_ certificates: ServerCertificates) throws {
        host = certificates.host
        failure = certificates.failure
        stapledResponse = certificates.stapledResponse
        hasAskedForStatus = certificates.hasAskedForStatus
        rules = certificates.rules
        platformTrust = certificates.platformTrust
        guard let own = certificates.chain.first else {
            let words = "\(host) has shown no certificate"
            throw FirewheelError.untrusted(.defaultEvaluationFailed, .failed(.serverCertificateUntrusted, words))
        }
        do {
            // Those that the server has appended may be anything.
            self.certificates = [try Certificate(der: own)] + certificates.chain.dropFirst().compactMap { try? Certificate(der: $0) }
            verifiedCertificates = try certificates.verifiedChain.map { try Certificate(der: $0) }
        } catch {
            throw FirewheelError(
                .serverTrustEvaluationFailed(.defaultEvaluationFailed),
                detail: "a certificate of \(certificates.host), or one of its authorities, cannot be read: \(error)",
                underlyingError: error)
        }
    }
}
