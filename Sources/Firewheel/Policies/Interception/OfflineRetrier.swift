import Foundation

/// A ``RequestRetrier`` that sends a request again once the network has come back.
///
/// ```swift
/// let session = Session(interceptor: .offlineRetrier)
/// ```
/// A request that fails with `notConnectedToInternet`, of any method, waits up to ``maximumWait`` for the network, and is then sent again:
/// nothing of it has been sent, since there was no way to send it. If the network does not come back, the request fails with its error.
/// Every other failure is left to the next retrier.
///
/// ``SessionConfiguration/waitsForConnectivity`` waits, too, without an attempt that fails, and up to the resource timeout. This retrier is
/// for requests that somebody waits for, which should fail soon.
public struct OfflineRetrier: RequestInterceptor, OptionalAdapter {
    /// How often a request is sent again that did not have to wait, because the network was there again when it was asked.
    private static let mostRetriesWithoutWait = 3

    private enum Outcome {
        case wasThere
        case cameBack
        case stayedAway
    }

    /// How long a request waits for the network, in seconds.
    public let maximumWait: TimeInterval
    private let network: any NetworkPaths
    private let sleep: @Sendable (TimeInterval) async throws -> Void

    /// Creates a retrier.
    ///
    /// - Parameter maximumWait: How long a request waits for the network, in seconds. Fractions count; 0, negative numbers and NaN mean not
    ///   at all, so that it is sent again only if the network is there already. Default: 5, as in Alamofire.
    public init(maximumWait: TimeInterval = 5) {
        self.init(maximumWait: maximumWait, network: systemNetwork, sleep: RefreshClock.system.sleep)
    }

    /// - Parameter sleep: Waits for a number of seconds. Throws if the task is cancelled.
    init(maximumWait: TimeInterval, network: any NetworkPaths, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        (self.maximumWait, self.network, self.sleep) = (maximumWait, network, sleep)
    }

    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        guard FirewheelError.urlErrorCode(of: error) == .notConnectedToInternet else { return .doNotRetry }
        switch await waitForNetwork() {
        case .cameBack: return .retry
        // Otherwise a request for which this network does not do would be sent again and again.
        case .wasThere: return request.retryCount < Self.mostRetriesWithoutWait ? .retry : .doNotRetry
        case .stayedAway: return .doNotRetry
        }
    }

    private func waitForNetwork() async -> Outcome {
        await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await firstNetwork() }
            group.addTask {
                if maximumWait > 0 { try? await sleep(maximumWait) }
                return network.status(of: .anywhere) == .unreachable ? .stayedAway : .wasThere
            }
            defer { group.cancelAll() }
            return await group.next() ?? .stayedAway
        }
    }

    /// Waits as long as it takes, unless the task is cancelled.
    private func firstNetwork() async -> Outcome {
        var isFirst = true
        for await status in statuses() {
            if status != .unreachable { return isFirst ? .wasThere : .cameBack }
            isFirst = false
        }
        return .stayedAway
    }

    /// The status now, and after each change.
    private func statuses() -> AsyncStream<NetworkStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = network.observe { continuation.yield(network.status(of: .anywhere)) }
            guard let observation else { return }
            let kept = Locked(Optional(observation))
            continuation.onTermination = { _ in _ = kept.withLock { $0.take() } }
        }
    }

    var adaptsNothing: Bool { true }
}

extension RequestRetrier where Self == OfflineRetrier {
    /// ``OfflineRetrier`` with its default.
    public static var offlineRetrier: OfflineRetrier { OfflineRetrier() }

    /// An ``OfflineRetrier``: see its initializer.
    public static func offlineRetrier(maximumWait: TimeInterval) -> OfflineRetrier { OfflineRetrier(maximumWait: maximumWait) }
}
