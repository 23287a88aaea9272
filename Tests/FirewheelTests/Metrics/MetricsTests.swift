import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Each hop has one transaction, unknown values are nil, and phases are in order.
@Suite("Metrics", .timeLimit(.minutes(5)))
struct MetricsTests {
    @Test("Each hop has a transaction with its own request, response and phases")
    func hops() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.redirect(to: "/second", status: 307), .redirect(to: "/third"), .text("hello"))
        let session = Session()
        let request = session.post(server.url("/first"), parameters: ["a": "b"])
        let response = await request.serializingString().response
        let metrics = try #require(response.metrics)
        #expect(metrics.redirectCount == 2 && metrics.transactionMetrics.count == 3)
        #expect(metrics.transactionMetrics.map { $0.request.url?.path } == ["/first", "/second", "/third"])
        #expect(metrics.transactionMetrics.map(\.request.httpMethod) == ["POST", "POST", "GET"])
        #expect(metrics.transactionMetrics.map { $0.response?.statusCode } == [307, 302, 200])
        #expect(metrics.taskInterval.duration >= 0)
        var previous = metrics.taskInterval.start
        for (index, hop) in metrics.transactionMetrics.enumerated() {
            let dates = [
                hop.fetchStartDate, hop.domainLookupStartDate, hop.domainLookupEndDate, hop.connectStartDate, hop.secureConnectionStartDate,
                hop.secureConnectionEndDate, hop.connectEndDate, hop.requestStartDate, hop.requestEndDate, hop.responseEndDate,
            ].compactMap { $0 }
            // responseStart is left out, because a server may respond before it has read the whole request.
            #expect(dates == dates.sorted(), "hop \(index)")
            #expect(try #require(hop.responseStartDate) >= #require(hop.requestStartDate))
            #expect(try #require(hop.responseEndDate) >= #require(hop.responseStartDate))
            #expect(try #require(hop.fetchStartDate) >= previous.addingTimeInterval(-0.001))
            previous = try #require(hop.fetchStartDate)
            #expect(hop.secureConnectionStartDate == nil && hop.negotiatedTLSProtocolVersion == nil)
            #expect(hop.networkProtocolName == "http/1.1" && hop.resourceFetchType == .networkLoad)
            #expect(hop.remoteAddress == "127.0.0.1" && hop.remotePort == server.port && hop.localPort != nil)
            #expect(hop.isReusedConnection == (index > 0))
        }
        #expect(metrics.transactionMetrics.map(\.countOfRequestBodyBytesSent) == [3, 3, 0])
        #expect(metrics.transactionMetrics[2].countOfResponseBodyBytesReceived == 5)
        #expect(request.metrics?.transactionMetrics.count == 3 && request.allMetrics.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("Metrics that a transport does not know are nil")
    func unknown() async throws {
        let session = session(body: "x")
        let hop = try #require(await session.request("http://stub.test/").serializingData().response.metrics?.transactionMetrics.first)
        #expect(hop.fetchStartDate != nil && hop.request.url?.absoluteString == "http://stub.test/" && hop.response?.statusCode == 200)
        #expect(hop.domainLookupStartDate == nil && hop.connectStartDate == nil)
        #expect(hop.requestStartDate == nil && hop.responseStartDate == nil && hop.remoteAddress == nil)
        #expect(hop.networkProtocolName == nil && hop.isReusedConnection == nil && hop.isProxyConnection == nil)
        #expect(hop.countOfRequestHeaderBytesSent == nil && hop.countOfResponseBodyBytesReceived == nil)
        withExtendedLifetime(session) {}
    }

    @Test("A request that was never sent has no metrics")
    func none() async throws {
        let session = session(body: "x")
        #expect(await session.request("no URL").serializingData().response.metrics == nil)
        let idle = session.request("http://stub.test/")
        #expect(idle.metrics == nil && idle.allMetrics.isEmpty)
        withExtendedLifetime(session) {}
    }

    @Test("The description of metrics has a line for each hop, without the credentials of its URL")
    func description() async throws {
        let session = session(body: "x")
        let metrics = try #require(await session.request("http://user:hunter2@stub.test/a").serializingData().response.metrics)
        let lines = metrics.description.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("Metrics: ") && lines[1].contains("GET http://<redacted>@stub.test/a, status 200"))
        #expect(!metrics.description.contains("hunter2"))
        withExtendedLifetime(session) {}
    }
}
