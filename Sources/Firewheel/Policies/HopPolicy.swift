import Foundation

/// A rule about single hops: what each sends, and whether its response is the final one.
///
/// An attempt calls its policies in a fixed order. Every policy sees every head; the first verdict other than `.pass` counts. `prepare` and
/// `judge` must not block or call the caller's closures. The caller's code is called by `.ask`.
protocol HopPolicy: Sendable {
    /// The status codes on which it may act. The transport holds the body of such a response until the verdict is known.
    var heldStatuses: Set<Int> { get }

    /// Adds header fields to a hop with ``HopRequest/adding(_:)``.
    func prepare(_ request: inout HopRequest, of attempt: HopOwner)

    /// Judges the head of a hop's response.
    ///
    /// - Parameter facts: Further input, built on demand: most heads are judged by their status.
    func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict
}

extension HopPolicy {
    func prepare(_ request: inout HopRequest, of attempt: HopOwner) {}
}

/// A policy's decision about a response head.
enum HopVerdict: Sendable {
    /// This policy accepts the response as the final one.
    case pass
    /// Another hop follows. Fields that policies added to this one are dropped.
    case again(HopRequest)
    /// The attempt fails.
    case fail(FirewheelError)
    /// The attempt fails, with the beginning of the response's body in its error.
    case refuse(FirewheelError)
    /// The caller's code decides, once for each head.
    case ask(@Sendable () async -> HopVerdict)
}

/// What policies need to know of the attempt that a hop belongs to.
struct HopOwner: Sendable {
    /// The adapted request, sent with the attempt's first hop. nil if the hop is the first one.
    var first: HopRequest?
    /// The request's own credential.
    var credential: Credential?
}

/// A policy's input besides the head and the hop's request.
struct HopFacts: Sendable {
    var owner = HopOwner()
    /// The number of redirects followed in the attempt.
    var earlierRedirects = 0
    /// The request's own handler, otherwise the session's.
    var redirectHandler: (any RedirectHandler)?
    /// For a handler with the caller's code; nil without one.
    var context: RequestContext?
    /// Whether the request opens a WebSocket: then ws and wss in a Location mean http and https.
    var opensWebSocket = false
}
