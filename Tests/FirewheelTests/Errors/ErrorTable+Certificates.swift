#if os(Linux)
    import Foundation

    @testable import Firewheel

    /// The failures that need a server with a bad certificate, or with HTTP/2: those of `Tests/Servers/nginx.sh`, as `nginx.sh env` says them.
    enum ServedErrorTable {
        static let isRequired = environment["FIREWHEEL_SERVERS_REQUIRED"] != nil
        static let isThere = ["EXPIRED", "NOT_YET_VALID", "SELF_SIGNED", "UNKNOWN_AUTHORITY", "WRONG_HOST", "TLS"].allSatisfy {
            url($0) != nil
        }

        static let rows: [Failure] = [
            served("The certificate has expired", "EXPIRED"),
            served("The certificate is not valid yet", "NOT_YET_VALID"),
            served("The certificate is self-signed", "SELF_SIGNED"),
            served("The certificate is from an unknown authority", "UNKNOWN_AUTHORITY"),
            served("The certificate is for another host", "WRONG_HOST"),
            served("An HTTP/2 stream ends with an error", "TLS", path: "/close"),
        ]

        private static var environment: [String: String] { ProcessInfo.processInfo.environment }

        private static func url(_ name: String) -> String? { environment["FIREWHEEL_NGINX_\(name)"] }

        private static func served(_ name: String, _ server: String, path: String = "/") -> Failure {
            Failure(name) {
                guard let url = url(server), let authority = environment["FIREWHEEL_TEST_CA"] else { throw Loopback.Failure() }
                let transport = CurlTransport(configuration: .default, certificates: CurlCertificates(file: authority))
                let session = Session(transport: transport)
                defer { withExtendedLifetime(session) {} }
                return await session.request(url + path).raw().error
            }
        }
    }
#endif
