import Foundation
import Testing

@testable import Firewheel

/// A server of `Tests/Servers`. Its raw value is the environment variable with its address, as printed by `servers.sh env`.
enum TestServer: String, Sendable {
    case plain = "FIREWHEEL_NGINX_HTTP"
    case tls = "FIREWHEEL_NGINX_TLS"
    case tlsHTTP1 = "FIREWHEEL_NGINX_TLS_HTTP1"
    case fewStreams = "FIREWHEEL_NGINX_FEW_STREAMS"
    case expired = "FIREWHEEL_NGINX_EXPIRED"
    case notYetValid = "FIREWHEEL_NGINX_NOT_YET_VALID"
    case selfSigned = "FIREWHEEL_NGINX_SELF_SIGNED"
    case wrongHost = "FIREWHEEL_NGINX_WRONG_HOST"
    case unknownAuthority = "FIREWHEEL_NGINX_UNKNOWN_AUTHORITY"
    case clientCertificate = "FIREWHEEL_NGINX_CLIENT_CERTIFICATE"
    /// The first of the servers of ``NginxTrust``.
    case trust = "FIREWHEEL_NGINX_TRUST"
    case httpbin = "FIREWHEEL_HTTPBIN"
    case frames = "FIREWHEEL_FRAMES"
    case squid = "FIREWHEEL_SQUID"
    case squidBasic = "FIREWHEEL_SQUID_BASIC"
    case squidDigest = "FIREWHEEL_SQUID_DIGEST"
    case squidTLS = "FIREWHEEL_SQUID_TLS"
    case squidTLSBasic = "FIREWHEEL_SQUID_TLS_BASIC"
    case dante = "FIREWHEEL_DANTE"
    case dantePassword = "FIREWHEEL_DANTE_PASSWORD"
    case tinyproxy = "FIREWHEEL_TINYPROXY"
    case tinyproxyBasic = "FIREWHEEL_TINYPROXY_BASIC"

    /// The same nginx over HTTP/1.1, HTTP/1.1 with TLS, and HTTP/2.
    static let everyProtocol: [TestServer] = [.plain, .tlsHTTP1, .tls]

    /// If the servers are required, a test without its server fails instead of being skipped.
    static let areRequired = environment["FIREWHEEL_SERVERS_REQUIRED"] != nil

    private static let environment = ProcessInfo.processInfo.environment

    var isRunning: Bool { Self.environment[rawValue] != nil }

    /// An absolute URL on this server.
    ///
    /// - Throws: An error if the server is not running.
    func url(_ path: String, _ location: SourceLocation = #_sourceLocation) throws -> String {
        try #require(Self.environment[rawValue], "not running: Tests/Servers/servers.sh start", sourceLocation: location) + path
    }

    /// The content of a file that an environment variable names.
    static func file(_ variable: String) throws -> Data { try Data(contentsOf: place(variable)) }

    /// A file or a folder that an environment variable names.
    static func place(_ variable: String) throws -> URL {
        URL(fileURLWithPath: try #require(environment[variable], "not running: Tests/Servers/servers.sh start"))
    }

    /// A session that trusts only the authority of the test certificates. (httpbin has no certificate.)
    func session(_ configuration: SessionConfiguration = .default) throws -> Session {
        #if os(Linux)
            guard self != .httpbin else { return Session(configuration: configuration) }
            let authority = try #require(Self.environment["FIREWHEEL_TEST_CA"], "not running: Tests/Servers/servers.sh start")
            let places = TLSStorePlaces(file: authority)
            return Session(configuration: configuration, transport: SocketTransport(configuration: configuration, places: places))
        #else
            return Session(configuration: configuration)
        #endif
    }

    /// Makes one request on a session of its own, which lives until the response.
    func once(
        _ path: String, _ configuration: SessionConfiguration = .default, method: HTTPMethod = .get, body: Data? = nil,
        headers: HTTPHeaders? = nil
    ) async throws -> DataResponse<Data?> {
        let session = try session(configuration)
        let response = await session.request(try URLRequest.upload(body, to: url(path), method: method, headers: headers)).raw()
        withExtendedLifetime(session) {}
        return response
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips with a message if the servers of `Tests/Servers` are not running.
    static func needs(_ server: TestServer) -> Self {
        .enabled(if: server.isRunning || TestServer.areRequired, "\(server.rawValue) is not set: Tests/Servers/README.md")
    }
}

/// The content of nginx's `/lines`: 8 MiB of lines of 64 bytes, each with its own number.
let linesContent: Data = {
    var data = Data(repeating: UInt8(ascii: "0"), count: 8 << 20)
    data.withUnsafeMutableBytes { bytes in
        for number in 0..<bytes.count / 64 {
            var index = number * 64 + 63
            bytes[index] = UInt8(ascii: "\n")
            var rest = number
            while rest > 0 {
                index -= 1
                bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
    }
    return data
}()

/// The content of `/file`: the first 8,000 bytes of that.
let fileContent = linesContent.prefix(8000)
