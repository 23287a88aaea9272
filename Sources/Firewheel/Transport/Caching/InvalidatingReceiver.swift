import Foundation

/// Removes stored responses that a request with an unsafe method has made invalid (RFC 9111 section 4.4).
final class InvalidatingReceiver: TransportReceiver {
    private let target: TargetURI
    private let cache: HTTPCache
    private let receiver: any TransportReceiver

    init(_ target: TargetURI, _ cache: HTTPCache, for receiver: any TransportReceiver) {
        self.target = target
        self.cache = cache
        self.receiver = receiver
    }

    func receive(_ events: [TransportEvent]) {
        for event in events {
            switch event.kind {
            case .response(let head, _): invalidate(by: head)
            case .finished(let result): result.head.map(invalidate)
            default: break
            }
        }
        receiver.receive(events)
    }

    /// Only a response that is not an error invalidates. A request that was lost keeps what is stored: without a network nothing else is
    /// left.
    private func invalidate(by head: ResponseHead) {
        guard (200...399).contains(head.statusCode) else { return }
        cache.invalidate(target.string)
        for name in ["Location", "Content-Location"] {
            // Other origins' responses are not this server's to remove.
            guard let reference = head.headers.value(for: name), let other = target.resolving(reference), other.hasSameOrigin(as: target)
            else { continue }
            cache.invalidate(other.string)
        }
    }
}

extension TargetURI {
    /// The target of a reference in a response of this one (RFC 3986 section 5.2); nil if it is not valid.
    fileprivate func resolving(_ reference: String) -> TargetURI? {
        guard let url = URL(string: reference, relativeTo: URL(string: string))?.absoluteString else { return nil }
        return TargetURI(url)
    }
}
