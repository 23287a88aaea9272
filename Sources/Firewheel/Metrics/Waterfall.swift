import Foundation

/// The content of a waterfall. Times are in seconds from the start of the task; they are finite, in order, and do not overlap.
struct Waterfall: Sendable {
    enum Phase: String, Sendable, CaseIterable {
        case queue, dns, connect, proxy, tls, send, wait, receive
    }

    /// One phase of one hop.
    struct Row: Sendable {
        let phase: Phase
        /// nil if the phase did not take place or was not measured.
        let times: Range<Double>?
        /// The text in place of a bar.
        let note: String
    }

    /// One request and its response.
    struct Hop: Sendable {
        let title: String
        /// The known facts about response, connection and sizes.
        let facts: [String]
        let rows: [Row]
    }

    /// "2 hops, 12.34 ms".
    let title: String
    /// Seconds.
    let duration: Double
    let hops: [Hop]

    /// The maximum span of a waterfall, in seconds, since dates may be arbitrarily far apart.
    private static let longest = 1e10

    init(_ metrics: TaskMetrics) {
        let clock = Clock(metrics)
        var begin = 0.0
        var hops: [Hop] = []
        for (index, hop) in metrics.transactionMetrics.enumerated() {
            let rows = Self.rows(of: hop, from: begin, clock)
            begin = rows.compactMap(\.times?.upperBound).last ?? begin
            hops.append(Hop(title: "\(index + 1). \(plain(Redaction.line(of: hop.request)))", facts: Self.facts(of: hop), rows: rows))
        }
        self.hops = hops
        duration = max(clock.duration, begin)
        title = "\(hops.count) \(hops.count == 1 ? "hop" : "hops"), \(Self.text(duration))"
    }

    /// Converts dates to seconds from the start of the task.
    private struct Clock {
        let origin: Double
        let duration: Double

        init(_ metrics: TaskMetrics) {
            let start = metrics.taskInterval.start.timeIntervalSinceReferenceDate
            let fetches = metrics.transactionMetrics.lazy.compactMap { $0.fetchStartDate?.timeIntervalSinceReferenceDate }
            origin = start.isFinite ? start : fetches.first { $0.isFinite } ?? 0
            let length = metrics.taskInterval.duration
            duration = length.isNaN ? 0 : min(max(length, 0), Waterfall.longest)
        }

        /// nil for a date that is not a finite number. A date before the start counts as the start.
        func seconds(_ date: Date?) -> Double? {
            guard let date = date?.timeIntervalSinceReferenceDate, !date.isNaN else { return nil }
            return min(max(date - origin, 0), Waterfall.longest)
        }
    }

    /// The phases in their order. Each begins at or after the end of the one before: if a response begins before the request has been sent,
    /// there is no `wait`.
    private static func rows(of hop: TransactionMetrics, from begin: Double, _ clock: Clock) -> [Row] {
        var end = begin
        func span(_ start: Date?, _ stop: Date?) -> Range<Double>? {
            guard let start = clock.seconds(start), let stop = clock.seconds(stop) else { return nil }
            let lower = max(start, end)
            end = max(stop, lower)
            return lower..<end
        }
        let first = [hop.domainLookupStartDate, hop.connectStartDate, hop.requestStartDate, hop.fetchStartDate]
            .lazy.compactMap(clock.seconds).first
        let queue = first.map { begin..<max($0, begin) }
        end = queue?.upperBound ?? begin
        let times: [Phase: Range<Double>?] = [
            .queue: queue,
            .dns: span(hop.domainLookupStartDate, hop.domainLookupEndDate),
            .connect: span(hop.connectStartDate, hop.proxyConnectStartDate ?? hop.secureConnectionStartDate ?? hop.connectEndDate),
            .proxy: span(hop.proxyConnectStartDate, hop.proxyConnectEndDate),
            .tls: span(hop.secureConnectionStartDate, hop.secureConnectionEndDate),
            .send: span(hop.requestStartDate, hop.requestEndDate),
            // Without a response the wait lasted to the end.
            .wait: span(hop.requestEndDate, hop.responseStartDate ?? hop.responseEndDate),
            .receive: span(hop.responseStartDate, hop.responseEndDate),
        ]
        return Phase.allCases.filter { $0 != .proxy || hop.isProxyConnection == true }.map { phase in
            Row(phase: phase, times: times[phase] ?? nil, note: note(for: phase, of: hop))
        }
    }

    private static func note(for phase: Phase, of hop: TransactionMetrics) -> String {
        switch phase {
        case .dns, .connect, .proxy: hop.isReusedConnection == true ? "reused" : "-"
        case .tls:
            hop.request.url?.scheme?.lowercased() == "http" ? "-" : hop.isReusedConnection == true ? "reused" : "-"
        case .queue, .send, .wait, .receive: "-"
        }
    }

    private static func facts(of hop: TransactionMetrics) -> [String] {
        var facts = [hop.response.map { "status \($0.statusCode)" } ?? "no response"]
        if let name = hop.networkProtocolName { facts.append(name) }
        if let version = hop.negotiatedTLSProtocolVersion {
            let isResumed = hop.isTLSSessionResumed == true && hop.isReusedConnection == false
            facts.append(isResumed ? "\(version) resumed" : version)
        }
        if let address = hop.remoteAddress {
            // The path of a Unix socket may have a colon, too.
            let host = address.contains(":") && hop.remotePort != nil ? "[\(address)]" : address
            facts.append((hop.isProxyConnection == true ? "proxy " : "") + host + (hop.remotePort.map { ":\($0)" } ?? ""))
        }
        if let host = hop.connectedHost { facts.append("host replaced by \(host)") }
        if let word = hop.source.word { facts.append(word) }
        if let isReused = hop.isReusedConnection { facts.append(isReused ? "reused connection" : "new connection") }
        if let sent = size(hop.countOfRequestHeaderBytesSent, hop.countOfRequestBodyBytesSent) { facts.append("sent \(sent)") }
        if let received = size(hop.countOfResponseHeaderBytesReceived, hop.countOfResponseBodyBytesReceived) {
            facts.append("received \(received)")
        }
        if let decoded = hop.countOfResponseBodyBytesAfterDecoding, decoded != hop.countOfResponseBodyBytesReceived {
            facts.append("decoded \(decoded)")
        }
        return facts.map(plain)
    }

    /// The sizes of head and body: "95+5 bytes".
    private static func size(_ head: Int64?, _ body: Int64?) -> String? {
        guard head != nil || body != nil else { return nil }
        return "\(head.map(String.init) ?? "?")+\(body.map(String.init) ?? "?") bytes"
    }

    /// A duration in at most 9 characters and four digits: "12.34 ms".
    static func text(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "?" }
        let (value, unit) = seconds < 0.9995 ? (seconds * 1000, "ms") : (seconds, "s")
        let decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0
        return value < 9_999_999 ? String(format: "%.\(decimals)f \(unit)", value) : "> 115 d"
    }
}

extension Waterfall.Hop {
    /// The positions of the bars on a scale: in order, without overlap, and each at least 1 long.
    ///
    /// - Parameters:
    ///   - length: The length of the scale, at least the number of phases.
    ///   - duration: The duration that the scale spans, in seconds.
    func bars(length: Int, duration: Double) -> [Range<Int>?] {
        func position(_ seconds: Double) -> Int {
            guard duration > 0 else { return 0 }
            return Int((min(max(seconds / duration, 0), 1) * Double(length)).rounded())
        }
        var bars = rows.map { $0.times.map { (start: position($0.lowerBound), end: position($0.upperBound)) } }
        // The first pass, from the left, removes overlaps; the second, from the right, moves bars back inside the scale.
        var edge = 0
        for index in bars.indices {
            guard let bar = bars[index] else { continue }
            let start = max(bar.start, edge)
            edge = max(bar.end, start + 1)
            bars[index] = (start, edge)
        }
        edge = length
        for index in bars.indices.reversed() {
            guard let bar = bars[index] else { continue }
            let end = min(bar.end, edge)
            edge = min(bar.start, end - 1)
            bars[index] = (edge, end)
        }
        return bars.map { $0.map { $0.start..<$0.end } }
    }
}

/// The text with everything but printable ASCII escaped: its width is its character count in every terminal, and it has no control
/// sequences.
private func plain(_ text: String) -> String {
    text.onOneLine.unicodeScalars.reduce(into: "") { text, scalar in
        text += scalar.isASCII ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
}
