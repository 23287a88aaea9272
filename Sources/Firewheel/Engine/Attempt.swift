import Foundation

/// The destination of a response body.
enum BodyKind: Sendable {
    case memory
    case file(DownloadRequest.Destination?)
    /// Handed over as it arrives.
    case stream(StreamSink)
    /// The messages of a WebSocket.
    case webSocket(WebSocketChannel)
}

/// One attempt of a request: the request as built for it, its hops, and the destination of its body. A retry makes a new attempt.
struct Attempt: Sendable {
    /// The number of the attempt, from 0.
    let number: Int
    /// When the attempt began; nil before the request is started.
    var begun: MonotonicInstant?
    /// The request before adaptation; nil without adapters.
    var unadapted: URLRequest?
    /// The hops that have ended.
    var hops: [Hop] = []
    /// The hop that is in flight, or about to be started.
    var current: HopUnderWay?
    /// The file that receives a download's body, once there is any.
    var sink: FileSink?
    /// What is known of the file if it can be resumed later; nil if it cannot. Its count is how many bytes there were before the response.
    @Apart var partial: ResumeData?
    /// Where the response begins in the file.
    var offset: Int64 = 0
    /// What is to be done with the file before the first byte is written.
    var preparation: FileSink.Preparation?
    /// The bytes of the response that were received for the file.
    var received: Int64 = 0
    /// Those of them that are in the file.
    var written: Int64 = 0
    /// Where the response ends in the file, exclusively, if it is a part.
    var rangeEnd: Int64?
    /// Whether the part was longer than announced, so that nothing of it is kept.
    var isOverlong = false
    /// Whether validation refused the response when its body was complete.
    var isRefused = false
    /// The body in memory, if it comes in pieces. Of a response that was refused at its head, the beginning.
    var collected: Data?
    /// The bytes of the response that were handed over as they arrived.
    var streamed: Int64 = 0
    /// Whether a WebSocket was opened.
    var hasOpened = false
    /// Whether the last response head is that of the final response.
    var hasFinalHead = false
    /// When the last hop's response head arrived.
    var headReceived: MonotonicInstant?
    var completed: MonotonicInstant?

    /// What is known of the file by now, if it can be resumed.
    var resumable: ResumeData? {
        guard var data = partial else { return nil }
        if isOverlong { data.count = offset } else { data.add(upTo: offset + written) }
        return data
    }

    /// The request as first sent, before redirects.
    var request: HopRequest? { hops.first?.request ?? current?.request }

    /// Ends the current hop without waiting for the transport, and keeps what is known about it.
    mutating func abandonHop(at now: MonotonicInstant) {
        guard let hop = current else { return }
        current = nil
        hops.append(
            Hop(request: hop.request, head: hop.head, isFinal: hop.hasFinalHead, metrics: TransportMetrics(start: hop.begun, end: now)))
        completed = now
    }
}

/// A hop that has not ended.
struct HopUnderWay: Sendable {
    /// What the transport was last told about the hop.
    enum Contact: Sendable { case ready, running, paused }

    /// The decision about its response head. Indirect, because a redirect is rare and a hop should stay small.
    enum Verdict: Sendable {
        case pending
        /// A redirect handler is deciding.
        case asking
        /// The response is the final one, and response gates decide whether its body is read.
        case gated
        /// The response is the final one.
        case deliver
        case leave(HopRequest)
        indirect case fail(FirewheelError)
        /// The response is refused. The error gets the beginning of its body: what arrives until the instant.
        indirect case refuse(FirewheelError, until: MonotonicInstant)
    }

    /// The end of the exchange, if it came before the verdict.
    indirect enum EarlyEnd: Sendable { case result(TransportResult) }

    let id: TransportTaskID
    var request: HopRequest
    let begun: MonotonicInstant
    /// Whether the transport holds the body of every response, instead of only those that a policy may act on.
    let holdsEveryHead: Bool
    let delivery: TransportRequest.Delivery
    /// Whether the response's body may be quiet for as long as it likes.
    let allowsQuietBody: Bool
    /// Whether the transport reports how much of the body was sent.
    let reportsSent: Bool
    /// Whether it asks for the rest of a partial file.
    let goesOn: Bool
    /// How much it has reported.
    var sent: Int64 = 0
    /// nil without any. Indirect, because they are rare and a hop should stay small.
    let limits: TransferLimits?
    var contact = Contact.ready
    /// Whether its start was delayed because the request was suspended: what policies added may be out of date by then.
    var wasHeld = false
    var head: ResponseHead?
    var verdict = Verdict.pending
    /// The decision to send to the transport about the held body.
    var answer: TransportRequest.HeldBody?
    var end: EarlyEnd?
    /// How many bytes of a body that is decoded have been received; nil if the transport does not say it.
    var receivedCoded: Int64?

    /// Whether the response is the final one: not a redirect that is, or may be, followed.
    var hasFinalHead: Bool {
        switch verdict {
        case .gated, .deliver, .fail, .refuse: true
        case .pending, .asking, .leave: false
        }
    }

    /// Whether the body is discarded.
    var discardsBody: Bool {
        switch verdict {
        case .leave, .fail: true
        case .pending, .asking, .gated, .deliver, .refuse: false
        }
    }

    /// Whether the caller's code is deciding about it.
    var isAsking: Bool {
        switch verdict {
        case .asking, .gated: true
        case .pending, .deliver, .leave, .fail, .refuse: false
        }
    }

    /// Why the response is refused, and until when its body is read.
    var refusal: (error: FirewheelError, until: MonotonicInstant)? {
        if case .refuse(let error, let until) = verdict { (error, until) } else { nil }
    }
}
