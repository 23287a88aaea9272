#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The table of `Documentation/Platforms.md` of what `URLSessionTransport` does with a session's settings, in its column for Linux.
    @Suite("Settings over URLSession", .timeLimit(.minutes(5)))
    struct URLSessionSettingsTests {
        private typealias Change = @Sendable (inout SessionConfiguration) throws -> Void

        /// The settings that are errors, by the first cell of their rows.
        private static let errors: [(row: String, changes: [Change])] = [
            (
                "`proxy`: `.http`, `.socks5`",
                [{ $0.proxy = .http(host: "127.0.0.1", port: 1) }, { $0.proxy = .socks5(host: "127.0.0.1", port: 1) }]
            ),
            (
                "`proxy`: `.https`, `.socks4a`",
                [{ $0.proxy = .https(host: "127.0.0.1", port: 1) }, { $0.proxy = .socks4a(host: "127.0.0.1", port: 1) }]
            ),
            ("`unixSocketPath`", [{ $0.unixSocketPath = "/tmp/x" }]),
            ("`hosts`", [{ $0.hosts = ["127.0.0.1": "127.0.0.2"] }]),
            ("`addressFamily`", [{ $0.addressFamily = .ipv4 }]),
            ("`maximumTotalConnections`", [{ $0.maximumTotalConnections = 4 }]),
            ("`waitsForConnectivity`", [{ $0.waitsForConnectivity = true }]),
            (
                "`tls.minimumVersion`, `tls.maximumVersion`",
                [{ $0.tls.minimumVersion = .v1_3 }, { $0.tls.maximumVersion = .v1_3 }]
            ),
            ("`tls.authorities`, `serverTrustManager`", [{ $0.tls.authorities = .systemAnd([try TestAuthority().root.certificate]) }]),
            ("`tls.revocationLists`", [{ $0.tls.revocationLists = [Data()] }]),
            ("`tls.identities`", [{ $0.tls.identities = ["127.0.0.1": try ClientFixtures.identity()] }]),
        ]

        @Test("The rows that say so are errors, which name the setting, and nothing is sent")
        func refused() async throws {
            let repository = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            let page = try String(contentsOf: repository.appendingPathComponent("Documentation/Platforms.md"), encoding: .utf8)
            let section = try #require(
                page.components(separatedBy: "with a session's settings\n").last?.components(separatedBy: "\n## ").first)
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .map { $0.components(separatedBy: " | ").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "| ")) } }
            // The environment of the tests may have a proxy or not.
            let listed = rows.filter { $0.last?.hasPrefix("error") == true && !$0[0].contains("`.none`") }.map { $0[0] }
            #expect(listed == Self.errors.map(\.row))

            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { .text($0.path) }
            for (row, changes) in Self.errors {
                // The names in code, without what stands in front of them. Some errors name all of `tls` together.
                let names = row.split(separator: "`").filter { $0.first?.isLetter == true }.map {
                    $0.replacingOccurrences(of: "tls.", with: "")
                }
                for change in changes {
                    var configuration = SessionConfiguration()
                    try change(&configuration)
                    let session = Session(configuration: configuration, transport: URLSessionTransport(configuration: configuration))
                    let response = await session.request(server.url("/x")).raw()
                    #expect(response.kind == .transportFailed(.resourceUnavailable), "\(row): \(response)")
                    let isNamed =
                        names.contains { response.words.contains($0) } || row.contains("tls.") && response.words.contains("leave its tls")
                    #expect(isNamed, "\(row): \(response.words)")
                }
            }
            let manager = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:])
            let managed = await Session(transport: URLSessionTransport(), serverTrustManager: manager).request("https://127.0.0.1:1/").raw()
            #expect(managed.kind == .transportFailed(.resourceUnavailable) && managed.words.contains("serverTrustManager"), "\(managed)")
            #expect(server.requestCount == 0)
        }
    }
#endif
