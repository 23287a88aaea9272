import Foundation
import Testing

@testable import Firewheel
@testable import FirewheelTesting

/// What a request may ask for and a transport cannot do (``TransportRequest/Feature``).
@Suite("Features that a transport lacks", .timeLimit(.minutes(5)))
struct UnsupportedFeatureTests {
    private struct Kind: Sendable {
        let name: String
        let lacks: Set<TransportRequest.Feature>
        let make: @Sendable () -> any Transport
    }

    private static let lackingOnURLSession =
        Set(TransportRequest.Feature.allCases).subtracting(URLSessionPlatform.features.union([.fileBody, .streamBody, .reportsSent]))

    private static let kinds: [Kind] = {
        var kinds = [Kind(name: "URLSessionTransport", lacks: lackingOnURLSession) { URLSessionTransport() }]
        #if os(Linux)
            kinds.append(Kind(name: "SocketTransport", lacks: []) { SocketTransport() })
        #endif
        return kinds
    }()

    /// Asks for one feature, and for nothing else.
    private static func ask(_ request: inout TransportRequest, for feature: TransportRequest.Feature) throws {
        switch feature {
        case .fileBody: request.bodySource = .file(URL(fileURLWithPath: #filePath), length: 1)
        case .streamBody: request.bodySource = .stream(UnreadStream())
        case .reportsSent: request.reportsSent = true
        case .reportsInterim: request.reportsInterim = true
        case .waitsForConnectivity: request.waitsForConnectivity = true
        case .webSocket: request.webSocket = WebSocketOffer()
        case .proxy: request.route.proxy = .straight
        case .destination: request.route.destination = .host(nil, .ipv4)
        case .trust: request.route.trust = TransportRoute.Trust(judge: TrustToken())
        case .versionsOfTLS: request.route.maximumTLSVersion = .v1_3
        case .identity: request.route.identity = TransportRoute.Identity(try ClientFixtures.identity())
        }
    }

    @Test("A feature that a transport lacks is an error that names it, and nothing is sent", arguments: TransportRequest.Feature.allCases)
    func unsupported(feature: TransportRequest.Feature) async throws {
        for kind in Self.kinds where kind.lacks.contains(feature) {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/*") { _ in .text("x") }
            let transport = kind.make()
            let target = try #require(TargetURI(server.url()))
            var asking = TransportRequest(id: TransportTaskID(request: 1), method: .post, target: target, body: Data("x".utf8))
            try Self.ask(&asking, for: feature)
            let (id, plain) = (asking.id, TransportRequest(id: TransportTaskID(request: 2), method: .get, target: target))
            let recorder = ConformanceRecorder()
            for request in [asking, plain] {
                recorder.expect(request)
                transport.start(request, receiver: recorder)
            }
            await onThreads(1) { _ in
                let result = recorder.wait(id, seconds: 20) { $0.result }
                #expect(result?.error == .failed(.resourceUnavailable, "\(kind.name) cannot \(feature.rawValue)"))
                // The next request is unaffected, and its end shows that the server has seen all that was sent before.
                #expect(recorder.wait(plain.id, seconds: 20) { $0.result }?.head?.statusCode == 200)
            }
            #expect(recorder.violations == [])
            #expect(server.requestCount == 1)
        }
    }

    @Test("Each feature is named unless the transport has it, and the first of several")
    func supported() throws {
        let target = try #require(TargetURI("http://stub.test/"))
        let plain = TransportRequest(id: TransportTaskID(request: 1), method: .post, target: target, body: Data("x".utf8))
        #expect(plain.unsupportedFeature() == nil)
        for feature in TransportRequest.Feature.allCases {
            var request = plain
            try Self.ask(&request, for: feature)
            #expect(request.unsupportedFeature() == feature)
            #expect(request.unsupportedFeature(supported: [feature]) == nil)
            #expect(request.unsupportedFeature(supported: Set(TransportRequest.Feature.allCases).subtracting([feature])) == feature)
        }
        var greedy = plain
        for feature in TransportRequest.Feature.allCases { try Self.ask(&greedy, for: feature) }
        #expect(greedy.unsupportedFeature(supported: [.streamBody]) == .reportsSent)
    }

    @Test("The error for a missing feature is not one that is retried")
    func retries() {
        #expect(!RetryPolicy.defaultURLErrorCodes.contains(.resourceUnavailable))
    }
}

/// A stream that must not be read.
private struct UnreadStream: BodyStream {
    let length: Int64? = 1
    let isRepeatable = true

    func makeReader() -> any BodyReader {
        Issue.record("a reader was made")
        return Reader()
    }

    private final class Reader: BodyReader {
        func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) { answer(.end()) }
        func close() {}
    }
}
