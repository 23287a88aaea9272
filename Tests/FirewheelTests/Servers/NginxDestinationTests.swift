#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// `unixSocketPath` and `hosts`, with nginx.
    @Suite("nginx: Unix sockets, and other hosts than the URL's", .needs(.tls), .timeLimit(.minutes(5)))
    struct NginxDestinationTests {
        @Test("A Unix socket is served like a port, with large bodies, over each protocol", arguments: [false, true])
        func unixSocket(isSecure: Bool) async throws {
            let path = try TestServer.place(isSecure ? "FIREWHEEL_NGINX_UNIX_TLS" : "FIREWHEEL_NGINX_UNIX").path
            let session = try TestServer.tls.session(.with { $0.unixSocketPath = path })
            let url = isSecure ? "https://localhost" : "http://localhost"
            for number in 0..<2 {
                let response = await session.request(url + "/lines").raw()
                #expect(response.content == linesContent, "\(response)")
                let hop = try #require(response.hop)
                #expect(hop.remoteAddress == path && hop.remotePort == nil && hop.isReusedConnection == (number > 0))
                #expect(hop.networkProtocolName == (isSecure ? "h2" : "http/1.1"))
            }
            let echo = await session.upload(linesContent, to: url + "/echo-body").serializingData().response
            #expect(echo.response?.statusCode == 200, "\(echo)")
        }

        @Test("curl, with the same Unix socket and the same host in place of the URL's, gets the same")
        func asCURL() async throws {
            let (path, authority) = (try TestServer.place("FIREWHEEL_NGINX_UNIX").path, try TestServer.place("FIREWHEEL_TEST_CA").path)
            let port = try #require(URL(string: try TestServer.tls.url("/"))?.port)
            let rows: [(SessionConfiguration, String, [String])] = [
                (.with { $0.unixSocketPath = path }, "http://localhost/", ["--unix-socket", path]),
                (
                    .with { $0.hosts = ["localhost:443": "127.0.0.1:\(port)"] }, "https://localhost/",
                    [
                        "--connect-to", "localhost:443:127.0.0.1:\(port)", "--cacert", authority,
                    ]
                ),
            ]
            for (configuration, url, options) in rows {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = ["curl", "-sS", "--max-time", "20", "--noproxy", "*"] + options + [url]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                let response = await (try TestServer.tls.session(configuration)).request(url).raw()
                #expect(response.text == text && text.contains("Hello, World!"), "\(response)")
            }
        }
    }
#endif
