import Foundation
import Testing

@testable import Firewheel
@testable import FirewheelTesting

/// The transports that are held to the same promises. A test with the trait `.eachTransport` runs once on each.
enum TestTransport: String, CaseIterable, Codable, Sendable {
    #if os(Linux)
        case sockets
        /// The one on sockets, whose requests to http servers on 127.0.0.1 go over TLS.
        case secureSockets
        /// The same over HTTP/2.
        case multiplexedSockets

        static let allCases: [TestTransport] = [.sockets]
    #else
        case urlSession
    #endif

    static let standard = allCases[0]

    /// The transport of the test that runs.
    static var current: TestTransport { ofTest ?? ofProcess.withLock { $0 } ?? standard }

    @TaskLocal static var ofTest: TestTransport?

    private static let ofProcess = Locked<TestTransport?>(nil)

    /// Makes this the transport of the whole process: for exit tests, which are processes of their own.
    func adopt() {
        Self.ofProcess.withLock { $0 = self }
    }

    /// The longest header line that is surely taken.
    var longestHeaderLine: Int {
        switch self {
        #if os(Linux)
            case .sockets, .secureSockets, .multiplexedSockets: 1_000_000
        #else
            case .urlSession: 100_000
        #endif
        }
    }

    func make(_ configuration: SessionConfiguration = .default) -> any Transport {
        switch self {
        #if os(Linux)
            case .sockets: SocketTransport(configuration: configuration)
            case .secureSockets, .multiplexedSockets:
                (try? SecuredTransport(configuration, self == .secureSockets ? .tls(.init()) : .http2(.init())))
                    ?? StubTransport { _ in [.fail(.failed(.secureConnectionFailed, "no server with TLS can be made"))] }
        #else
            case .urlSession: URLSessionTransport(configuration: configuration)
        #endif
        }
    }
}

extension Session {
    /// A session on the transport of the test that runs.
    static func onTest(configuration: SessionConfiguration = .default, eventMonitors: [any EventMonitor] = []) -> Session {
        Session(configuration: configuration, transport: TestTransport.current.make(configuration), eventMonitors: eventMonitors)
    }
}

/// Runs each test on several transports, one after the other, and names the transport in its failures.
struct TransportTrait: SuiteTrait, TestTrait, TestScoping {
    let transports: [TestTransport]
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for transport in transports {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("on the transport \(transport)")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                try await TestTransport.$ofTest.withValue(transport) { try await function() }
            }
        }
    }
}

extension Trait where Self == TransportTrait {
    /// Runs the tests on every transport of this platform, which they get from ``TestTransport/current``.
    static var eachTransport: Self { Self(transports: TestTransport.allCases) }

    #if os(Linux)
        /// Runs the tests over HTTP/2.
        static var overHTTP2: Self { Self(transports: [.multiplexedSockets]) }

        /// Runs the tests on every transport of this platform, and in `.ci/deep` over TLS and over HTTP/2, too.
        static var eachTransportAndTLS: Self {
            Self(transports: TestTransport.allCases + TestDepth.choose([], deep: [.secureSockets, .multiplexedSockets]))
        }
    #else
        /// Those with TLS are Linux's.
        static var eachTransportAndTLS: Self { .eachTransport }
    #endif
}
