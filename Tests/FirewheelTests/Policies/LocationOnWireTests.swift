#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// `Location` fields of every shape from a real server, with the next target or error.
    @Suite("Location fields over HTTP", .timeLimit(.minutes(5)))
    struct LocationOnWireTests {
        /// PORT stands for the server's port, OTHER for another server's.
        @Test(
            "A Location that can be followed leads to the right server and target",
            arguments: [
                ("next", "/dir/next"), ("./next", "/dir/next"), ("../next", "/next"), ("../../../next", "/next"), ("/next", "/next"),
                ("?q=1", "/dir/page?q=1"),
                ("#part", "/dir/page?a=b"), ("//127.0.0.1:PORT/next", "/next"), ("HTTP://127.0.0.1:PORT/next", "/next"),
                ("http://127.1:PORT/next", "/next"),
                ("http://0x7f.0.0.1:PORT/next", "/next"), ("http://LOCALHOST:PORT/next", "/next"),
                ("http://user:pass@127.0.0.1:PORT/next", "/next"),
                ("http://127.0.0.1:0PORT/next", "/next"), ("/a%2Fb%20c%zz", "/a%2Fb%20c%25zz"), ("/a b", "/a%20b"), ("/x/../y", "/y"),
                ("http://127.0.0.1:PORT/foo/bar/../../next", "/next"), ("http://127.0.0.1:PORT/../next?a=/../b", "/next?a=/../b"),
                (" /next", "/next"),
                ("/a\\b", "/a%5Cb"), ("\\\\other.test\\x", "/dir/%5C%5Cother.test%5Cx"), ("/next\t", "/next"),
                ("/\"<>{}|^`", "/%22%3C%3E%7B%7D%7C%5E%60"),
            ])
        func followed(location: String, target: String) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.enqueue(.redirect(to: location.replacing("PORT", with: "\(server.port)")), .text("arrived"))
            let response = await once { $0.request(server.url("/dir/page?a=b")) }.response
            #expect(response.text == "arrived", "\(String(describing: response.error))")
            #expect(try await server.takeRequest().target == "/dir/page?a=b")
            #expect(try await server.takeRequest().target == target)
            #expect(server.requestCount == 2)
        }

        @Test(
            "A Location that cannot be followed is an error, and nothing else is sent",
            arguments: [
                ("javascript:alert(1)", .unsupportedURL), ("JAVASCRIPT:alert(1)", .unsupportedURL),
                ("file:///etc/hostname", .unsupportedURL),
                ("FILE:///etc/hostname", .unsupportedURL), ("ftp://127.0.0.1:PORT/", .unsupportedURL),
                ("data:text/plain,x", .unsupportedURL),
                ("ws://127.0.0.1:PORT/", .unsupportedURL), ("gopher://127.0.0.1:PORT/_GET", .unsupportedURL),
                ("http://127.0.0.1:99999/", .redirectToNonExistentLocation), ("http://127.0.0.1:0/", .redirectToNonExistentLocation),
                ("http://127.0.0.1:-1/", .redirectToNonExistentLocation), ("http://127.0.0 .1:PORT/", .redirectToNonExistentLocation),
                ("http:///next", .redirectToNonExistentLocation), ("http:", .redirectToNonExistentLocation),
                ("//", .redirectToNonExistentLocation),
                ("http://[::1/", .redirectToNonExistentLocation), ("http://1.2.3.4.5/", .redirectToNonExistentLocation),
                ("http://127.0.0.1%00:PORT/", .redirectToNonExistentLocation),
                ("http://127.0.0.1\\@127.0.0.1:PORT/", .redirectToNonExistentLocation),
            ] as [(String, URLError.Code)])
        func refused(location: String, code: URLError.Code) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .redirect(to: location.replacing("PORT", with: "\(server.port)")) }
            let response = await once { $0.request(server.url("/dir/page")) }.response
            #expect(response.kind == .transportFailed(code))
            #expect(server.requestCount == 1)
        }

        @Test("A line break ends a Location field, and a lone carriage return or NUL injects nothing")
        func controls() async throws {
            for location in ["/next\r\nX-Smuggled: 1", "/next\rX-Smuggled: 1", "/next\nX-Smuggled: 1", "/next\u{0}X-Smuggled: 1"] {
                let answer = ["HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"]
                let server = try RawServer([answer, ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"]], ending: .stay)
                let response = await once(.with { $0.timeoutIntervalForRequest = 30 }) { $0.request(server.url) }.response
                // Either is safe.
                if response.kind == nil {
                    #expect(response.text == "done")
                } else {
                    #expect(response.kind == .transportFailed(.cannotParseResponse))
                }
                let hops = response.metrics?.transactionMetrics ?? []
                for hop in hops { #expect(hop.request.value(forHTTPHeaderField: "X-Smuggled") == nil) }
                if hops.count > 1 { #expect(hops.last?.request.url?.absoluteString.hasPrefix(server.url + "next") == true) }
            }
        }
    }
#endif
