import Foundation

/// A ``RequestRetrier`` that sends a request again once the network has come back.
///
/// ```swift
/// let session = Session(interceptor: .offlineRetrier)
/// ```
/// A request that fails with `notConnectedToInternet` waits up to ``maximumWait`` until the Internet is reachable, as
/// ``NetworkReachabilityManager`` defines it, and is then sent again. That applies to every method, because no connection to the server
/// could be opened. A POST that another server has answered with a redirect or a challenge is not sent again, because that server may have
/// acted on it. If the network is there already, the request is sent again at once, unless it has been retried three times. Every other
/// failure is left to the next retrier, and so is a request whose wait was in vain.
///
/// ``SessionConfiguration/waitsForConnectivity`` also waits for the network, but without an attempt that fails, and up to the resource
/// timeout. This retrier is for requests that somebody waits for, and that should fail soon.
public struct OfflineRetrier: RequestInterceptor, OptionalAdapter {
    /// A request that has been retried so often is not sent again if it did not have to wait.
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
    ///   at all, so that it is sent again only if the network is there already. Default: 5, as in Alamofire, which
    ///   takes a `DispatchTimeInterval`.
    public init(maximumWait: TimeInterval = 5) {
        self.init(maximumWait: maximumWait, network: systemNetwork, sleep: RefreshClock.system.sleep)
    }

    /// - Parameter sleep: Waits for a number of seconds. Throws if the task is cancelled.
    init(maximumWait: TimeInterval, network: any NetworkPaths, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        (self.maximumWait, self.network, self.sleep) = (maximumWait, network, sleep)
    }

    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        guard FirewheelError.urlErrorCode(of: error) == .notConnectedToInternet else { return .doNotRetry }
        return await retryWhenOnline(request)
    }

    /// Waits for the network for the sake of a request that failed without it.
    package func retryWhenOnline(_ request: RequestContext) async -> RetryResult {
        if Self.hasBeenProcessed(request) { return .doNotRetry }
        switch await waitForNetwork() {
        case .cameBack: return .retry
        // Otherwise a request that does not get through in this network would be sent again and again.
        case .wasThere: return request.retryCount < Self.mostRetriesWithoutWait ? .retry : .doNotRetry
        case .stayedAway: return .doNotRetry
        }
    }

    /// Whether a server has answered a request that must not be repeated (RFC 9110 section 9.2.2), for example with the redirect to the
    /// server that cannot be reached.
    private static func hasBeenProcessed(_ request: RequestContext) -> Bool {
        let hops = request.metrics?.transactionMetrics.dropLast() ?? []
        return hops.contains { !($0.request.method?.isIdempotent ?? false) }
    }

    private func waitForNetwork() async -> Outcome {
        guard maximumWait > 0 else { return network.status(of: .anywhere) == .unreachable ? .stayedAway : .wasThere }
        guard let statuses = statuses() else {
            try? await sleep(maximumWait)
            guard !Task.isCancelled else { return .stayedAway }
            return network.status(of: .anywhere) == .unreachable ? .stayedAway : .wasThere
        }
        return await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await Self.firstNetwork(in: statuses) }
            group.addTask {
                try? await sleep(maximumWait)
                return .stayedAway
            }
            defer { group.cancelAll() }
            return await group.next() ?? .stayedAway
        }
    }

    /// Waits as long as it takes, unless the task is cancelled.
    private static func firstNetwork(in statuses: AsyncStream<NetworkStatus>) async -> Outcome {
        var isFirst = true
        for await status in statuses {
            if status != .unreachable { return isFirst ? .wasThere : .cameBack }
            isFirst = false
        }
        return .stayedAway
    }

    /// The status now, and after each change; nil if the system does not report changes.
    private func statuses() -> AsyncStream<NetworkStatus>? {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkStatus.self, bufferingPolicy: .bufferingNewest(1))
        let observation = network.observe { continuation.yield(network.status(of: .anywhere)) }
        guard let observation else { return nil }
        let kept = Locked(Optional(observation))
        continuation.onTermination = { _ in _ = kept.withLock { $0.take() } }
        return stream
    }

    var adaptsNothing: Bool { true }
}

extension RequestRetrier where Self == OfflineRetrier {
    /// ``OfflineRetrier`` with its default.
    public static var offlineRetrier: OfflineRetrier { OfflineRetrier() }

    /// An ``OfflineRetrier``: see its initializer.
    public static func offlineRetrier(maximumWait: TimeInterval) -> OfflineRetrier { OfflineRetrier(maximumWait: maximumWait) }
}
