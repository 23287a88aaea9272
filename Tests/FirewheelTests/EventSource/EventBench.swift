import FirewheelTesting
import Foundation

@testable import Firewheel

/// A server of events, and event sources that do not wait before they reconnect.
final class EventBench: Sendable {
    let server: MockServer
    let session: Session
    private let waits = Locked<[TimeInterval]>([])

    init(_ configuration: SessionConfiguration = .default) throws {
        server = try MockServer()
        session = Session.onTest(configuration: configuration)
    }

    /// The seconds that the sources would have waited before they reconnected.
    var delays: [TimeInterval] { waits.withLock { $0 } }

    /// - Parameters:
    ///   - url: nil for the path on the server.
    ///   - sleep: What a source does instead of waiting.
    func source(
        _ path: String = "/", url: String? = nil, method: HTTPMethod = .get, body: Data? = nil, headers: HTTPHeaders? = nil,
        lastEventID: String? = nil, reconnection: EventSource.Reconnection = .resilient, idleTimeout: TimeInterval? = nil,
        maximumEventSize: Int = EventSource.defaultMaximumEventSize, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil,
        now: @escaping @Sendable () -> MonotonicInstant = { .now() }, sleep: @escaping @Sendable () async throws -> Void = {}
    ) -> EventSource {
        let waits = waits
        let clock = EventClock(
            now: now,
            sleep: { seconds in
                waits.withLock { $0.append(seconds) }
                try await sleep()
            }, random: { 0 })
        let (url, modify) = (url ?? server.url(path), requestModifier)
        return session.eventSource(
            headers,
            EventSource.Options(
                lastEventID: lastEventID, reconnection: reconnection, idleTimeout: idleTimeout, maximumEventSize: maximumEventSize,
                interceptor: interceptor), clock: clock
        ) { fields in
            .url(
                url, method: method, headers: fields, encode: nil,
                modifier: { request in
                    if let body { request.httpBody = body }
                    try modify?(&request)
                })
        }
    }

    /// Does something with all requests of the session, and returns when it is done.
    func each(_ act: @escaping @Sendable (Request) -> Void) async {
        let done = OneShot<Bool>()
        session.withAllRequests { requests in
            for request in requests { act(request) }
            done.fulfill(true)
        }
        _ = await done.value
    }

    /// Answers each connection with the next response, and with a 204 after the last.
    func respond(_ responses: MockResponse...) {
        server.enqueue(responses + [.status(204)])
    }
}

extension Session {
    /// An event source with a clock of its own.
    func eventSource(
        _ url: String, _ method: HTTPMethod = .get, body: Data? = nil, reconnection: EventSource.Reconnection = .resilient,
        clock: EventClock
    ) -> EventSource {
        eventSource(nil, EventSource.Options(reconnection: reconnection), clock: clock) { fields in
            .url(url, method: method, headers: fields, encode: nil, modifier: { $0.httpBody = body })
        }
    }
}

extension MockResponse {
    /// A complete event stream.
    static func events(_ stream: String, type: String = "text/event-stream", status: Int = 200) -> MockResponse {
        MockResponse(status: status, headers: [("Content-Type", type)], body: Data(stream.utf8)).framed(.chunked)
    }

    /// An event stream whose connection is lost at its end.
    static func lost(_ stream: String) -> MockResponse {
        .events(stream).failing(.missingFinalChunk)
    }
}

extension EventSource {
    /// All events up to the end of the source.
    func all() async throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for try await event in self { events.append(event) }
        return events
    }
}
