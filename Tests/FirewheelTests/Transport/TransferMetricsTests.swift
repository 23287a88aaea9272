import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Measurements of a transfer compared with what the server saw.
@Suite("Metrics of transfers", .eachTransport, .timeLimit(.minutes(5)))
struct TransferMetricsTests {
    private func dates(_ hop: TransactionMetrics) -> [(String, Date?)] {
        [
            ("fetchStart", hop.fetchStartDate), ("domainLookupStart", hop.domainLookupStartDate),
            ("domainLookupEnd", hop.domainLookupEndDate),
            ("connectStart", hop.connectStartDate), ("secureConnectionStart", hop.secureConnectionStartDate),
            ("secureConnectionEnd", hop.secureConnectionEndDate), ("connectEnd", hop.connectEndDate),
            ("requestStart", hop.requestStartDate),
            ("requestEnd", hop.requestEndDate), ("responseStart", hop.responseStartDate), ("responseEnd", hop.responseEndDate),
        ]
    }

    /// The first two dates that are out of order; nil if all are in order.
    private func disorder(_ hop: TransactionMetrics) -> String? {
        let known = dates(hop).compactMap { name, date in date.map { (name, $0) } }
        for (earlier, later) in zip(known, known.dropFirst()) where earlier.1 > later.1 {
            return "\(earlier.0) is \(earlier.1.timeIntervalSince(later.1)) s after \(later.0)"
        }
        return nil
    }

    @Test("The phases of a first request are in order and within the task interval")
    func phases() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in MockResponse.text("x").delayed(head: 0.2, body: 3) }
        let session = Session.onTest()
        let began = Date()
        let response = await session.request(server.url()).raw()
        let metrics = try #require(response.metrics)
        let hop = try #require(metrics.transactionMetrics.first)
        #expect(metrics.transactionMetrics.count == 1 && metrics.redirectCount == 0)
        #expect(disorder(hop) == nil)
        let known = dates(hop).filter { $0.1 != nil }.map(\.0)
        // An address needs no lookup, and http no TLS.
        #expect(known == ["fetchStart", "connectStart", "connectEnd", "requestStart", "requestEnd", "responseStart", "responseEnd"])
        let start = try #require(hop.requestEndDate)
        let first = try #require(hop.responseStartDate)
        let end = try #require(hop.responseEndDate)
        #expect(first.timeIntervalSince(start) >= 0.15)
        // On a busy machine the head may be read a while after it was sent.
        #expect(end.timeIntervalSince(first) >= 0.15)
        #expect(metrics.taskInterval.start.timeIntervalSince(began) > -0.1)
        #expect(metrics.taskInterval.duration >= 3.15 && metrics.taskInterval.duration < 30)
        #expect(try #require(hop.fetchStartDate) >= metrics.taskInterval.start)
        #expect(end <= metrics.taskInterval.end.addingTimeInterval(0.001))
    }

    @Test("A name lookup is measured for the first request, and absent on a reused connection")
    func lookup() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        // A name that no other test uses, so that no cache has it.
        let url = "http://fake-metrics-\(TestTransport.current).test:\(server.port)/"
        let first = try #require(await session.request(url).raw().hop)
        #expect(disorder(first) == nil)
        #expect(first.domainLookupStartDate != nil && first.domainLookupEndDate != nil)
        let second = try #require(await session.request(url).raw().hop)
        #expect(second.isReusedConnection == true)
        #expect(
            dates(second).filter { $0.1 != nil }.map(\.0) == ["fetchStart", "requestStart", "requestEnd", "responseStart", "responseEnd"])
    }

    @Test("Addresses and ports are those of the connection as the server sees it")
    func addresses() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        let hops = [await session.request(server.url()).raw().hop, await session.request(server.url()).raw().hop]
        for hop in hops {
            let hop = try #require(hop)
            #expect(hop.remoteAddress == "127.0.0.1")
            #expect(hop.remotePort == server.port)
            #expect(hop.localAddress == "127.0.0.1")
            #expect(hop.localPort != nil && hop.localPort != server.port)
            #expect(hop.networkProtocolName == "http/1.1")
            #expect(hop.isProxyConnection == false)
            #expect(hop.negotiatedTLSProtocolVersion == nil && hop.negotiatedTLSCipherSuite == nil)
            #expect(hop.resourceFetchType == .networkLoad)
        }
        #expect(hops[0]?.localPort == hops[1]?.localPort)
    }

    @Test("The bytes sent are those that the server received", arguments: [nil, 0, 1, 70_000, 2_000_000] as [Int?])
    func sent(size: Int?) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        for method in [HTTPMethod.post, .put, size == nil ? .get : .patch] {
            let response = try await session.sending(
                size.map(pattern), to: server.url("/path?query"), method: method, headers: ["X-A": "1"]
            ).raw()
            let hop = try #require(response.hop)
            let request = try await server.takeRequest()
            // The recorded head has no final empty line.
            #expect(hop.countOfRequestHeaderBytesSent == Int64(request.head.count + 2), "\(method)")
            #expect(hop.countOfRequestBodyBytesSent == Int64(size ?? 0), "\(method)")
            #expect(hop.requestEndDate != nil, "\(method)")
            #expect(disorder(hop) == nil, "\(method)")
        }
    }

    @Test("The bytes received are those that the server sent", arguments: [0, 1, 70_000, TestDepth.choose(300_000, deep: 2_000_000)])
    func received(size: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in MockResponse.data(pattern(size), headers: [("X-A", "caf\u{E9}")]) }
        let session = Session.onTest()
        let head = try RawConnection(port: server.port).exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head
        for _ in 0..<2 {
            let hop = try #require(await session.request(server.url()).raw().hop)
            #expect(hop.countOfResponseHeaderBytesReceived == Int64(head.utf8.count))
            #expect(hop.countOfResponseBodyBytesReceived == Int64(size))
            #expect(hop.countOfResponseBodyBytesAfterDecoding == Int64(size))
        }
    }

    @Test("The heads of interim responses count as header bytes received")
    func interim() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        server.enqueue(.text("x"), MockResponse.text("x").informational(103))
        let plain = try #require(await session.request(server.url()).raw().hop?.countOfResponseHeaderBytesReceived)
        let hinted = try #require(await session.request(server.url()).raw().hop?.countOfResponseHeaderBytesReceived)
        #expect(hinted == plain + Int64("HTTP/1.1 103 Early Hints\r\n\r\n".utf8.count))
    }

    @Test("Each redirect is a hop with its own request, response and dates")
    func redirects() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/1") { _ in MockResponse(status: 302, headers: [("Location", "/2")], body: Data("moved".utf8)).delayed(head: 0.1) }
        server.route("/2") { _ in .redirect(to: "/3?q", status: 303) }
        server.route("/3") { _ in .text("there") }
        let session = Session.onTest()
        let response = try await session.sending(Data("body".utf8), to: server.url("/1#f"), method: .put).raw()
        let metrics = try #require(response.metrics)
        #expect(metrics.redirectCount == 2)
        let hops = metrics.transactionMetrics
        #expect(hops.map { $0.request.httpMethod } == ["PUT", "PUT", "GET"])
        #expect(hops.map { $0.request.url?.path } == ["/1", "/2", "/3"])
        #expect(hops.map { $0.response?.statusCode } == [302, 303, 200])
        #expect(hops.map(\.isReusedConnection) == [false, true, true])
        #expect(hops.map(\.countOfRequestBodyBytesSent) == [4, 4, 0])
        #expect(hops.map(\.countOfResponseBodyBytesAfterDecoding) == [5, 0, 5])
        #expect(hops.compactMap(disorder) == [])
        for (earlier, later) in zip(hops, hops.dropFirst()) {
            #expect(try #require(earlier.responseEndDate) <= (try #require(later.fetchStartDate)).addingTimeInterval(0.001))
        }
        #expect(response.text == "there")
        #expect(response.request?.url?.fragment == "f")
    }

    @Test("A phase that did not happen has no date: a refused connection, a silent server")
    func failures() async throws {
        let socket = try BoundSocket(listening: false)
        let refused = try #require(await once { $0.request("http://127.0.0.1:\(socket.port)/") }.response.hop)
        #expect(refused.requestStartDate == nil && refused.responseStartDate == nil && refused.responseEndDate == nil)
        #expect(refused.countOfRequestHeaderBytesSent == nil && refused.countOfResponseHeaderBytesReceived == nil)
        #expect(refused.response == nil && refused.isReusedConnection == nil)

        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.failure(.noAnswer))
        let silent = try #require(await once(.with { $0.timeoutIntervalForRequest = 0.3 }) { $0.request(server.url()) }.response.hop)
        #expect(silent.requestStartDate != nil && silent.requestEndDate != nil)
        #expect(silent.responseStartDate == nil && silent.responseEndDate == nil && silent.countOfResponseBodyBytesReceived == nil)
        #expect(disorder(silent) == nil)
    }

    @Test("The dates of 500 quick requests with and without bodies are in order")
    func order() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session.onTest()
        let body = pattern(3_000)
        var disorders: [String] = []
        for number in 0..<500 {
            let response = try await session.sending(number.isMultiple(of: 2) ? body : nil, to: server.url()).raw()
            let hop = try #require(response.hop)
            if let disorder = disorder(hop) { disorders.append(disorder) }
            let timeline = response.timeline
            if timeline.latency < 0 || timeline.requestDuration < timeline.latency { disorders.append("\(timeline)") }
        }
        #expect(disorders.isEmpty, "\(disorders.count) of 500: \(disorders.prefix(3))")
    }
}
