import FirewheelTesting
import Foundation

@testable import Firewheel

/// The clock of one case, which moves only when it is told to.
struct CacheSuiteClock: Sendable {
    /// January 15, 2027, 08:00 UTC, and a fraction of a second, which dates in fields do not have.
    private let seconds = Locked<TimeInterval>(1_800_000_000.25)

    /// Seconds since 1970.
    var now: TimeInterval { seconds.withLock { $0 } }

    func advance(by duration: TimeInterval) { seconds.withLock { $0 += duration } }
}

/// The stand-in for the suite's server: answers each request of one case as configured, and records what it has seen.
final class CacheSuiteServer: CacheSuiteHost {
    private struct State {
        var seen: [CacheSuiteRequest] = []
        /// By request number: the configured fields as sent.
        var sent: [Int: [HTTPHeader]] = [:]
    }

    let origin = "http://cache.test"
    let resource = UUID().uuidString.lowercased()
    private let exchanges: [CacheSuiteExchange]
    private let clock: CacheSuiteClock
    private let state = Locked(State())

    init(_ exchanges: [CacheSuiteExchange], clock: CacheSuiteClock) {
        self.exchanges = exchanges
        self.clock = clock
    }

    func seen() -> [CacheSuiteRequest] { state.withLock { $0.seen } }

    func pause(seconds: Int) { clock.advance(by: TimeInterval(seconds)) }

    /// Plays the answer to a request.
    func answer(_ request: TransportRequest) -> [StubTransport.Step] {
        let number = request.headers["Req-Num"].flatMap { Int($0) } ?? seen().count + 1
        guard exchanges.indices.contains(number - 1) else {
            return [.response(ResponseHead(statusCode: 409)), .finish()]
        }
        let exchange = exchanges[number - 1]
        clock.advance(by: TimeInterval(exchange.pause))
        return state.withLock { answer(request, exchange, number, &$0) }
    }

    private func answer(
        _ request: TransportRequest, _ exchange: CacheSuiteExchange, _ number: Int, _ state: inout State
    ) -> [StubTransport.Step] {
        let status = status(for: request, exchange, number, state)
        let base = String(request.target.string.dropFirst(origin.count))
        let now = clock.now
        let own = exchange.fields.map { $0.fixed(milliseconds: Int(now * 1000), base: base, exchange) }
        state.sent[number] = own

        var fields = [
            HTTPHeader(name: "Server-Base-Url", value: base),
            HTTPHeader(name: "Server-Request-Count", value: "\(state.seen.count + 1)"),
            HTTPHeader(name: "Client-Request-Count", value: "\(number)"),
            HTTPHeader(name: "Server-Now", value: "\(Int(now * 1000))"),
        ]
        fields += own
        func add(_ name: String, _ value: @autoclosure () -> String) {
            if !HTTPHeaders(received: fields).contains(name: name) { fields.append(HTTPHeader(name: name, value: value())) }
        }
        add("Content-Type", "text/plain")
        // The last configured value of a name decides whether it is verified; its values are compared joined.
        let verified = zip(exchange.fields, own).filter(\.0.isVerified).map { field, _ in
            HTTPHeader(name: field.name, value: HTTPHeaders(received: own)[field.name] ?? "")
        }
        state.seen.append(CacheSuiteRequest(number: number, method: request.method.rawValue, headers: request.headers, verified: verified))
        if exchange.disconnects { return [.fail(.failed(.networkConnectionLost, "the server has closed the connection"))] }

        add("Request-Numbers", state.seen.map { "\($0.number)" }.joined(separator: " "))
        add("Date", CacheSuiteDate.text(milliseconds: Int(now * 1000)))
        add("Connection", "keep-alive")
        add("Keep-Alive", "timeout=5")
        let isBodiless = CacheSuiteExchange.isBodiless(status: status)
        let body = isBodiless ? nil : Data((exchange.body.flatMap { $0.isEmpty ? nil : $0 } ?? resource).utf8)
        if let body, request.method != .head, !HTTPHeaders(received: fields).contains(name: "Transfer-Encoding") {
            add("Content-Length", "\(body.count)")
        }
        let head = ResponseHead(statusCode: status, headers: HTTPHeaders(received: fields))
        return [.response(head), .finish(body: request.method == .head ? nil : body)]
    }

    /// The status code: 304 if the expected condition has come, and 999 if it has not.
    private func status(for request: TransportRequest, _ exchange: CacheSuiteExchange, _ number: Int, _ state: State) -> Int {
        guard exchange.kind?.conditionalField != nil else { return exchange.status ?? 200 }
        func matches(_ condition: String, _ validator: String) -> Bool {
            guard let value = request.headers[condition] else { return false }
            return value == previousValue(of: validator, before: number, state)
        }
        return matches("If-Modified-Since", "Last-Modified") || matches("If-None-Match", "ETag") ? 304 : 999
    }

    /// The value of a field of the previous answer, or the one configured if the server was not asked for that.
    private func previousValue(of name: String, before number: Int, _ state: State) -> String? {
        guard exchanges.indices.contains(number - 2) else { return nil }
        if let sent = state.sent[number - 1] { return sent.last { $0.name.lowercased() == name.lowercased() }?.value }
        guard case .text(let text) = exchanges[number - 2].fields.last(where: { $0.isNamed(name) })?.value else { return nil }
        return text
    }
}

extension CacheSuiteRunner {
    /// Plays a case against the stand-in, with a clock that needs no waiting.
    init(overStandIn test: CacheSuiteCase) {
        let clock = CacheSuiteClock()
        let server = CacheSuiteServer(test.exchanges, clock: clock)
        let session = Session(
            configuration: Self.configuration(with: HTTPCache(memoryCapacity: 1 << 24, clock: { clock.now })),
            transport: StubTransport { server.answer($0) }, redirectHandler: Redirector.doNotFollow)
        self.init(test, server: server, session: session)
    }
}
