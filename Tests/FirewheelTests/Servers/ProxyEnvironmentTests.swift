#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The proxies of the environment, compared with curl's choice.
    @Suite("Proxies of the environment", .timeLimit(.minutes(5)))
    struct ProxyEnvironmentTests {
        /// Variables and a URL. `$1` to `$3` are ports of 127.0.0.1 at which nobody listens.
        struct Row: Sendable, CustomTestStringConvertible {
            let variables: [String: String]
            let url: String

            init(_ variables: [String: String], _ url: String) { (self.variables, self.url) = (variables, url) }

            var testDescription: String { "\(variables) \(url)" }
        }

        /// What is done with a request.
        enum Choice: Equatable {
            case direct
            /// The number of the proxy.
            case proxy(Int)
            case error
        }

        private static let http = "http://a.test/"
        private static let https = "https://a.test/"
        private static let one = "http://127.0.0.1:$1"
        private static let two = "http://127.0.0.1:$2"

        private static func excepting(_ exceptions: String, _ url: String) -> Row { Row(["all_proxy": one, "no_proxy": exceptions], url) }

        static let rows: [Row] = [
            Row([:], http), Row([:], https),
            Row(["http_proxy": one], http), Row(["http_proxy": one], https), Row(["HTTP_PROXY": one], http),
            Row(["https_proxy": one], https), Row(["HTTPS_PROXY": one], https), Row(["https_proxy": one], http),
            Row(["https_proxy": one, "HTTPS_PROXY": two], https), Row(["https_proxy": "", "HTTPS_PROXY": two], https),
            Row(["all_proxy": one], http), Row(["all_proxy": one], https), Row(["ALL_PROXY": one], http), Row(["ALL_PROXY": one], https),
            Row(["all_proxy": one, "ALL_PROXY": two], http), Row(["all_proxy": "", "ALL_PROXY": two], http),
            Row(["http_proxy": one, "all_proxy": two], http), Row(["http_proxy": one, "all_proxy": two], https),
            Row(["http_proxy": "", "all_proxy": two], http), Row(["HTTP_PROXY": one, "ALL_PROXY": two], http),
            Row(["HTTPS_PROXY": one, "all_proxy": two], https), Row(["http_proxy": one, "https_proxy": two], https),
            Row(["http_proxy": "127.0.0.1:$1"], http), Row(["http_proxy": "HTTP://127.0.0.1:$1/"], http),
            Row(["http_proxy": "http://127.0.0.1:$1/path?query"], http), Row(["http_proxy": "http://ada:secret@127.0.0.1:$1"], http),
            Row(["http_proxy": "ada:secret@127.0.0.1:$1"], http), Row(["http_proxy": "http://ada@127.0.0.1:$1"], http),
            Row(["http_proxy": "http://a%40da:se%3Acret@127.0.0.1:$1"], http), Row(["http_proxy": "https://127.0.0.1:$1"], http),
            Row(["http_proxy": "http://ada:a:b@127.0.0.1:$1"], http),
            Row(["http_proxy": "ftp://127.0.0.1:$1"], http), Row(["http_proxy": "http://127.0.0.1:99999"], http),
            Row(["http_proxy": "http://127.0.0.1:x"], http), Row(["http_proxy": "//127.0.0.1:$1"], http),
            Row(["http_proxy": "http://"], http), Row(["all_proxy": "socks5h://127.0.0.1:$1"], https),
            Row(["all_proxy": "socks5://127.0.0.1:$1"], http), Row(["https_proxy": "socks4a://ada@127.0.0.1:$1"], https),
            Row(["all_proxy": "socks4://127.0.0.1:$1"], http), Row(["http_proxy": "SOCKS://127.0.0.1:$1"], http),
            Row(["all_proxy": "socks6://127.0.0.1:$1"], http),
            Row(["http_proxy": one, "no_proxy": "a.test"], http), Row(["http_proxy": one, "NO_PROXY": "a.test"], http),
            Row(["http_proxy": one, "no_proxy": "b.test", "NO_PROXY": "a.test"], http),
            Row(["http_proxy": one, "no_proxy": "", "NO_PROXY": "a.test"], http),
            Row(["https_proxy": one, "no_proxy": "a.test"], https), Row(["http_proxy": "ftp://127.0.0.1:$1", "no_proxy": "a.test"], http),
            excepting("*", http), excepting("b.test,*", http), excepting(".a.test", http),
            excepting("test", http), excepting("a.tes", http), excepting("A.TEST", http), excepting("a.test.", http),
            excepting("a.test", "http://a.test.:$3/"), excepting("b.test,a.test", http), excepting("b.test a.test", http),
            excepting("b.test , a.test", http), excepting(",,a.test,", http), excepting("a.test", "http://b.a.test/"),
            excepting(".a.test", "http://b.a.test/"), excepting("a.test", "http://ba.test/"), excepting("b.a.test", http),
            excepting("127.0.0.1", "http://127.0.0.1:$3/"), excepting("127.0.0.1", "http://127.0.0.2:$3/"),
            excepting("127.0.0.0/8", "http://127.9.9.9:$3/"), excepting("127.0.0.0/30", "http://127.0.0.4:$3/"),
            excepting("127.0.0.0/30", "http://127.0.0.3:$3/"), excepting("127.0.0.1/32", "http://127.0.0.1:$3/"),
            excepting("127.0.0.0/33", "http://127.0.0.1:$3/"), excepting("::1", "http://[::1]:$3/"), excepting("::2", "http://[::1]:$3/"),
            excepting("0.0.1", "http://127.0.0.1:$3/"),
            excepting("localhost", "http://localhost:$3/"),
            excepting("127.0.0.1", "http://localhost:$3/"), excepting("", "http://localhost:$3/"), excepting("a.test/8", http),
        ]

        /// What curl 7.88 does not know: ports, `*.` in front of names, brackets, and networks whose length is 0 or that are of IPv6.
        static let beyond: [(Row, Choice)] = [
            (excepting("a.test:80", http), .direct), (excepting("a.test:81", http), .proxy(1)), (excepting("*.a.test", http), .direct),
            (excepting("*.a.test", "http://b.a.test/"), .direct), (excepting("[::1]", "http://[::1]:1/"), .direct),
            (excepting("* ", http), .direct), (excepting("::1/128", "http://[::1]:1/"), .direct),
            (excepting("0.0.0.0/0", "http://127.0.0.3:1/"), .direct), (excepting("::/64", "http://[::1]:1/"), .direct),
            (Row(["http_proxy": "http://ada:a@b@127.0.0.1:$1"], http), .proxy(1)),
        ]

        private static func choice(_ row: Row, ports: [Int]) throws -> Choice {
            let variables = row.variables.mapValues { filled($0, ports) }
            let origin = try #require(TargetURI(filled(row.url, ports))).origin
            let proxy = ProxyRules(environment: { variables[$0] }).proxy(for: origin)
            if proxy?.problem != nil { return .error }
            return proxy?.server.flatMap { server in ports.firstIndex(of: server.origin.port) }.map { .proxy($0 + 1) } ?? .direct
        }

        private static func filled(_ text: String, _ ports: [Int]) -> String {
            ports.enumerated().reduce(text) { $0.replacingOccurrences(of: "$\($1.offset + 1)", with: "\($1.element)") }
        }

        private static let hasCURL = ["/usr/bin/curl", "/bin/curl"].contains(where: FileManager.default.isExecutableFile)

        @Test("curl is there where it has to be") func curlIsThere() { #expect(Self.hasCURL || !TestServer.areRequired) }

        @Test("The proxy is the one that curl takes", .enabled(if: hasCURL, "there is no curl"), arguments: rows)
        func asCURL(row: Row) throws {
            let closed = try (0..<3).map { _ in try BoundSocket(listening: false) }
            let ports = closed.map(\.port)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            // Every name is this machine's, so that a direct connection is one too.
            process.arguments = ["curl", "-sv", "--max-time", "20", "-o", "/dev/null"]
            for port in [80, 443, ports[2]] { process.arguments? += ["--resolve", "*:\(port):127.0.0.1"] }
            process.arguments?.append(Self.filled(row.url, ports))
            process.environment = row.variables.mapValues { Self.filled($0, ports) }
            process.environment?["PATH"] = "/usr/bin:/bin"
            let output = Pipe()
            (process.standardError, process.standardOutput) = (output, FileHandle.nullDevice)
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let used = ports[..<2].firstIndex { text.contains("127.0.0.1:\($0)...") }
            let isDirect = [80, 443, ports[2]].contains { text.contains("127.0.0.1:\($0)...") || text.contains(":\($0)...") }
            let curl: Choice? =
                if text.contains("Unsupported proxy") { .error } else if let used { .proxy(used + 1) } else { isDirect ? .direct : nil }
            #expect(try Self.choice(row, ports: ports) == curl, "\(text)")
            withExtendedLifetime(closed) {}
        }

        @Test("The exceptions go beyond curl's", arguments: beyond)
        func beyondCURL(row: Row, choice: Choice) throws {
            #expect(try Self.choice(row, ports: [1001, 1002, 1003]) == choice)
        }

        @Test("There are sixty rows") func count() { #expect(Self.rows.count >= 60) }
    }
#endif
