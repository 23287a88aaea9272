import Foundation

/// Where the body of a response goes.
enum BodyKind: Sendable {
    case memory
    case file(DownloadRequest.Destination?)
}

/// One try of a request: the request made anew, its hops, and where its body goes. A retry makes another one.
struct Attempt: Sendable {
    /// Counts from 0.
    let number: Int
    /// nil before the request is started.
    var begun: MonotonicInstant?
    /// The request before it was adapted, where there are adapters.
    var unadapted: URLRequest?
    /// Those that are over.
    var hops: [Hop] = []
    /// The hop that is about to be started, or is under way.
    var current: HopUnderWay?
    /// Where a download's body goes, once there is something to put there.
    var sink: FileSink?
    /// Whether the head that came last is that of the final response.
    var hasFinalHead = false
    /// When the head of the last hop came.
    var headReceived: MonotonicInstant?
    var completed: MonotonicInstant?

    /// The request that was made for it, before redirects.
    var request: HopRequest? { hops.first?.request ?? current?.request }

    /// Ends the current hop without waiting for the transport, and keeps what is known of it.
    mutating func abandonHop(at now: MonotonicInstant) {
        guard let hop = current else { return }
        current = nil
        hops.append(
            Hop(request: hop.request, head: hop.head, isFinal: hop.hasFinalHead, metrics: TransportMetrics(start: hop.begun, end: now)))
        completed = now
    }
}

/// A hop that is not over.
struct HopUnderWay: Sendable {
    /// What the transport was told about it.
    enum Contact: Sendable { case ready, running, paused }

    /// What its head was judged to mean. Indirect so that a hop is small: most are never left.
    enum Verdict: Sendable {
        case pending
        /// A redirect handler is being asked.
        case asking
        /// Its response is the final one, and response gates are being asked whether its body is read.
        case gated
        /// Its response is the final one.
        case deliver
        case leave(HopRequest)
        indirect case fail(FirewheelError)
    }

    /// An end that came before the verdict.
    indirect enum EarlyEnd: Sendable { case result(TransportResult) }

    let id: TransportTaskID
    var request: HopRequest
    let begun: MonotonicInstant
    /// Whether the transport holds the body of every response, not only of those on which a policy may act.
    let holdsEveryHead: Bool
    var contact = Contact.ready
    /// Whether it was not started at once, since the request is suspended: what policies added may be out of date when it is.
    var wasHeld = false
    var head: ResponseHead?
    var verdict = Verdict.pending
    /// What the transport is to be told about the body that it holds.
    var answer: TransportRequest.HeldBody?
    var end: EarlyEnd?

    /// Whether its response is the final one: not a redirect that is followed, or may be.
    var hasFinalHead: Bool {
        switch verdict {
        case .gated, .deliver, .fail: true
        case .pending, .asking, .leave: false
        }
    }

    /// Whether nobody wants its body.
    var discardsBody: Bool {
        switch verdict {
        case .leave, .fail: true
        case .pending, .asking, .gated, .deliver: false
        }
    }

    /// Whether the caller's code is asked about it.
    var isAsking: Bool {
        switch verdict {
        case .asking, .gated: true
        case .pending, .deliver, .leave, .fail: false
        }
    }
}
