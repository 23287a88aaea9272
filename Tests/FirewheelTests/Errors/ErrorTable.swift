import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The failures of `Documentation/Errors.md`, each with a way to bring it about. ``ErrorTableTests`` compares the two.
struct Failure: Sendable, CustomTestStringConvertible {
    /// The name of the failure in the document.
    let name: String
    /// Makes it happen.
    let happen: @Sendable () async throws -> (any Error)?

    var testDescription: String { name }

    init(_ name: String, _ happen: @escaping @Sendable () async throws -> (any Error)?) {
        self.name = name
        self.happen = happen
    }

    /// A failure of a session's request that needs no server.
    static func unsent(_ name: String, _ make: @escaping @Sendable (Session) throws -> DataRequest) -> Failure {
        Failure(name) {
            let session = Session(
                transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] })
            defer { withExtendedLifetime(session) {} }
            return try await make(session).raw().error
        }
    }

    /// A request of a session with a cache that is not sent.
    static func cached(_ name: String, _ change: @escaping @Sendable (inout SessionConfiguration) -> Void) -> Failure {
        Failure(name) {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache()
            change(&configuration)
            let session = Session(configuration: configuration, transport: StubTransport { _ in [.finish()] })
            defer { withExtendedLifetime(session) {} }
            return await session.request(ErrorTable.url).raw().error
        }
    }

    /// A failure in the exchange with a server that gives one response.
    static func answered(
        _ name: String, _ response: MockResponse, _ change: @escaping @Sendable (inout SessionConfiguration) -> Void = { _ in }
    ) -> Failure {
        Failure(name) {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in response }
            return await once(.with(change)) { $0.request(server.url()) }.response.error
        }
    }

    #if os(Linux)
        /// A failure in the exchange with a server that sends these bytes and closes.
        static func sent(_ name: String, _ bytes: String) -> Failure {
            Failure(name) {
                let server = try RawServer([[bytes]], ending: .close)
                return await once { $0.request(server.url) }.response.error
            }
        }
    #endif

    /// A failure over what was received, which is this.
    static func received(
        _ name: String, status: Int = 200, headers: HTTPHeaders = [:], body: String? = nil,
        _ use: @escaping @Sendable (DataRequest) async -> (any Error)?
    ) -> Failure {
        Failure(name) {
            let head = ResponseHead(statusCode: status, headers: headers)
            let session = Session(transport: StubTransport { _ in [.response(head), .finish(body: body.map { Data($0.utf8) })] })
            defer { withExtendedLifetime(session) {} }
            return await use(session.request("http://stub.test/"))
        }
    }
}

enum ErrorTable {
    static let everywhere =
        badURLs + unsent + refused + unread + files + ended + cookieFiles + cacheDirectories + uploadBodies + forms + streams
    static let onSockets = connections + answers + redirects + webSockets
}
