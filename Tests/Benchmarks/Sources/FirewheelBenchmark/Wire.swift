import Foundation

/// What the requests go over. The port of the server decides which version of HTTP the clients speak.
enum Wire: String, Codable {
    /// HTTP/1.1 without TLS.
    case http
    /// HTTP/1.1 over TLS.
    case https
    /// HTTP/2 over TLS.
    case h2

    /// The origin of the server in `Tests/Servers`. An address rather than a name, so that no lookup is measured.
    func server(fresh: Fresh?) -> String {
        switch self {
        case .http: "http://127.0.0.1:18080"
        case .https: fresh == .full ? "https://127.0.0.1:18453" : "https://127.0.0.1:18450"
        case .h2: "https://127.0.0.1:18443"
        }
    }

    /// The concurrent streams that the server allows on an HTTP/2 connection.
    static let streams: Int32 = 128

    /// The protocol in the server's log.
    var loggedProtocol: String { self == .h2 ? "HTTP/2.0" : "HTTP/1.1" }

    /// OpenSSL's variable for the file with trusted authorities. Firewheel reads it; the other clients are given its value.
    private static let variable = "SSL_CERT_FILE"

    /// The file with the certificates of trusted authorities; nil for the system's.
    static var authority: String? { ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 } }

    /// Has this process and those that it starts trust the authority of the servers in `Tests/Servers`.
    static func trustTestAuthority() throws {
        guard let authority = ProcessInfo.processInfo.environment["FIREWHEEL_TEST_CA"], !authority.isEmpty else {
            throw Failure("FIREWHEEL_TEST_CA is not set: eval \"$(Tests/Servers/nginx.sh env)\"")
        }
        guard FileManager.default.isReadableFile(atPath: authority) else {
            throw Failure("FIREWHEEL_TEST_CA: cannot read '\(authority)': Tests/Servers/nginx.sh start")
        }
        setenv(variable, authority, 1)
    }
}

/// The TLS handshakes if each request is made on a new connection.
enum Fresh: String, Codable, CustomStringConvertible {
    /// They resume a session, except the first ones.
    case resumed
    /// The server resumes no session, whatever the client keeps.
    case full

    var description: String {
        switch self {
        case .resumed: "A new connection for each request, on which the client may resume a TLS session."
        case .full: "A new connection for each request, with a full TLS handshake."
        }
    }
}
