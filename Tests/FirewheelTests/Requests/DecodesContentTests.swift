import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Bodies as they were sent: `SessionConfiguration.decodesContent` and `Request.decodesContent(_:)`.
@Suite("Bodies as they were sent", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct DecodesContentTests {
    static let plain = Data(repeating: 0x61, count: 200_000)
    static let coded = StoredGzip.encode(plain)

    private func serve(_ coding: String = "gzip", _ body: Data = coded, framing: MockResponse.Framing = .contentLength) throws -> MockServer
    {
        let server = try MockServer()
        server.route("/*") { _ in MockResponse.data(body).header("Content-Encoding", coding).framed(framing) }
        return server
    }

    @Test("The body has its coding, which the response names, and no Accept-Encoding is sent; by the request or by the session")
    func raw() async throws {
        let server = try serve()
        defer { server.shutdown() }
        let raw = Session.onTest(configuration: .with { $0.decodesContent = false })
        for request in [
            Session.onTest().request(server.url()).decodesContent(false), raw.request(server.url()),
            raw.decodesContentTestsUpload(to: server.url()),
        ] {
            let response = await request.serializingData().response
            #expect(response.value == Self.coded && response.headers["Content-Encoding"] == "gzip")
            #expect(try await server.takeRequest().headerValues("Accept-Encoding") == [])
        }
        // The request's own setting counts.
        #expect(try await raw.request(server.url()).decodesContent(true).serializingData().value == Self.plain)
        #expect(try await server.takeRequest().header("Accept-Encoding") == HTTPHeader.defaultAcceptEncoding.value)
    }

    @Test("The caller's Accept-Encoding is sent in any case: of the request, its adapters or the session")
    func callers() async throws {
        let server = try serve()
        defer { server.shutdown() }
        let session = Session.onTest(configuration: .with { $0.headers["Accept-Encoding"] = "gzip" })
        let url = server.url()
        for decodes in [false, true] {
            for request in [
                session.request(url).decodesContent(decodes),
                Session.onTest().request(url, headers: ["Accept-Encoding": "gzip"]).decodesContent(decodes),
                Session.onTest().request(url).adapt { request, _ in request.headers["Accept-Encoding"] = "gzip" }.decodesContent(decodes),
            ] {
                #expect(try await request.serializingData().value == (decodes ? Self.plain : Self.coded))
                #expect(try await server.takeRequest().headerValues("Accept-Encoding") == ["gzip"])
            }
            for download in [
                session.download(url).decodesContent(decodes),
                Session.onTest().download(url, headers: ["Accept-Encoding": "gzip"]).decodesContent(decodes),
            ] {
                #expect(try await download.serializingData().value == (decodes ? Self.plain : Self.coded))
                #expect(try await server.takeRequest().headerValues("Accept-Encoding") == ["gzip"])
            }
        }
    }

    @Test("With an adapter, a redirect, a retry and a range no Accept-Encoding is sent, and nothing decoded either")
    func everyWay() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { request in
            switch request.path {
            case "/moved": .redirect(to: "/", status: 302)
            case "/retried" where request.header("X-Retry") == nil: .status(503)
            default: MockResponse.data(Self.coded).header("Content-Encoding", "gzip")
            }
        }
        let session = Session.onTest(configuration: .with { $0.decodesContent = false })
        let requests = [
            session.request(server.url("/moved")), session.request(server.url(), headers: ["Range": "bytes=0-"]),
            session.request(server.url("/retried")).validate().retry { _, _ in .retry }
                .adapt { request, context in if context.retryCount > 0 { request.headers["X-Retry"] = "1" } },
            session.request(server.url()).adapt { request, _ in request.headers["X-A"] = "1" },
            session.request(server.url("/moved")).redirect(using: Redirector.modify { _, request, _ in request }),
        ]
        for request in requests { #expect(try await request.serializingData().value == Self.coded) }
        #expect(try await server.takeRequests(8).allSatisfy { $0.headerValues("Accept-Encoding") == [] })
    }

    @Test("archive.tar.gz, sent as x-gzip, is downloaded with its own checksum", arguments: [true, false])
    func archive(isChunked: Bool) async throws {
        let server = try serve("x-gzip", framing: isChunked ? .chunked : .contentLength)
        defer { server.shutdown() }
        let response = await Session.onTest().download(server.url("/archive.tar.gz")).decodesContent(false).serializingData().response
        #expect(response.value == Self.coded && response.response?.headers["Content-Encoding"] == "x-gzip")
        #expect(try await server.takeRequest().headerValues("Accept-Encoding") == [])
    }

    @Test("A stream hands over the coded bytes, also behind a held head")
    func stream() async throws {
        let server = try serve(framing: .chunked)
        defer { server.shutdown() }
        let request = Session.onTest().streamRequest(server.url()).decodesContent(false).validate().onHTTPResponse { _ in .allow }
        var received = Data()
        for try await piece in request.streamTask().streamingData() { received += piece }
        #expect(received == Self.coded)
        #expect(request.response?.headers["Content-Encoding"] == "gzip")
    }

    @Test("maximumResponseBodySize counts the coded bytes, and an invalid coding is no error")
    func limits() async throws {
        let server = try serve("gzip", Data("no gzip".utf8))
        defer { server.shutdown() }
        let session = Session.onTest(configuration: .with { ($0.decodesContent, $0.maximumResponseBodySize) = (false, 7) })
        #expect(try await session.request(server.url()).serializingString().value == "no gzip")
        let small = Session.onTest(configuration: .with { ($0.decodesContent, $0.maximumResponseBodySize) = (false, 6) })
        let error = await small.request(server.url()).serializingData().response.error as? FirewheelError
        #expect(error?.kind == .responseBodyTooLarge)
    }

    @Test("A download asks for no coding, and is decoded if it has one all the same")
    func downloads() async throws {
        let server = try serve()
        defer { server.shutdown() }
        let session = Session.onTest()
        let adapted = session.download(server.url()).adapt { request, _ in request.headers["X-A"] = "1" }
        for download in [session.download(server.url()), session.download(URLRequest(url: URL(string: server.url())!)), adapted] {
            #expect(try await download.serializingData().value == Self.plain)
            #expect(try await server.takeRequest().headerValues("Accept-Encoding") == ["identity"])
        }
        let without = Session.onTest(configuration: .with { $0.headers.remove(name: "Accept-Encoding") })
        #expect(try await without.download(server.url()).serializingData().value == Self.plain)
        #expect(try await server.takeRequest().headerValues("Accept-Encoding") == ["identity"])
    }

    @Test("The description of a configuration and curl's command show it")
    func shown() async {
        #expect("\(SessionConfiguration.with { $0.decodesContent = false })".contains("decodesContent: false"))
        let request = Session.onTest().download("http://127.0.0.1:1/")
        _ = await request.serializingDownloadedFileURL().response
        let text: String = request.cURLDescription()
        #expect(text.contains("Accept-Encoding: identity") && !text.contains("--compressed"))
    }
}

extension Session {
    fileprivate func decodesContentTestsUpload(to url: String) -> DataRequest { upload(Data("x".utf8), to: url) }
}

/// Downloads of coded files that go on where they stopped.
@Suite("Resuming bodies as they were sent", .timeLimit(.minutes(5)))
struct EncodedResumptionTests {
    private func bench(_ coding: String?) throws -> ResumeBench {
        let bench = try ResumeBench()
        guard let coding else { return bench }
        // Every response has the coding; the file is not really in it.
        for _ in 0..<8 {
            bench.then { exchange, file in
                let start = file.start(of: exchange.request)
                let rest = file.body.dropFirst(start ?? 0)
                let range = start.map { ["Content-Range: bytes \($0)-\(file.body.count - 1)/\(file.body.count)"] } ?? []
                try ServedFile.send(
                    start == nil ? 200 : 206, range + file.fields + ["Content-Encoding: \(coding)", "Content-Length: \(rest.count)"],
                    to: exchange)
                // Only the first request is cut off.
                let isCut = exchange.request.header("X-Cut") != nil && start == nil
                try exchange.sendBytes(isCut ? rest.prefix(40_000) : rest)
            }
        }
        return bench
    }

    @Test(
        "A coded file goes on with its coded bytes: after a loss, in another process, and by a retry", arguments: ["x-gzip", "aws-chunked"])
    func goesOn(coding: String) async throws {
        let decodes = coding == "aws-chunked"
        for isRetried in [true, false] {
            let bench = try bench(coding)
            let download = bench.session.download(bench.server.url("/file"), headers: ["X-Cut": "1"], to: bench.destination)
            if !decodes { download.decodesContent(false) }
            if isRetried { download.retry { _, _ in .retry } }
            var response = await download.end
            if !isRetried {
                #expect(response.kind == .transportFailed(.networkConnectionLost))
                // Nothing but the data says that the file is coded.
                response = await bench.resume(try #require(response.resumeData)).end
            }
            #expect(response.error == nil)
            try await bench.expectFile(response)
            let requests = try bench.takeRequests(2)
            #expect(requests.map { $0.header("Range") } == [nil, "bytes=39999-"])
            #expect(requests.map { $0.header("Accept-Encoding") } == Array(repeating: decodes ? "identity" : nil, count: 2))
        }
    }

    @Test("Where the rest has another coding, the whole is asked for, and stays as it is sent")
    func otherCoding() async throws {
        let bench = try ResumeBench()
        let cut = { @Sendable (exchange: MockExchange, file: ServedFile) in
            try ServedFile.send(200, file.fields + ["Content-Encoding: gzip", "Content-Length: \(file.body.count)"], to: exchange)
            try exchange.sendBytes(file.body.prefix(40_000))
        }
        bench.then(cut)
        let first = await bench.download().decodesContent(false).end
        // A part without the coding, and then the whole with it.
        bench.then { try $1.answer($0) }
        bench.then { exchange, file in
            try ServedFile.send(200, file.fields + ["Content-Encoding: gzip", "Content-Length: \(file.body.count)"], to: exchange)
            try exchange.sendBytes(file.body)
        }
        try await bench.expectFile(resuming: try #require(first.resumeData))
        #expect(try bench.takeRequests(3).map { $0.header("Range") } == [nil, "bytes=39999-", nil])
    }

    @Test("A decoded download does not go on with coded bytes: nothing is left of it")
    func decoded() async throws {
        let bench = try ResumeBench()
        let coded = StoredGzip.encode(bench.body)
        bench.then { exchange, file in
            try ServedFile.send(200, file.fields + ["Content-Encoding: gzip", "Content-Length: \(coded.count)"], to: exchange)
            try exchange.sendBytes(coded.prefix(40_000))
        }
        let response = await bench.download().end
        #expect(response.kind == .transportFailed(.networkConnectionLost) && response.resumeData == nil)
        try await bench.expectNothingLeft()
    }

    @Test("An option that is changed before a retry does not mix coded and decoded bytes")
    func changedOption() async throws {
        let bench = try ResumeBench(ServedFile(body: StoredGzip.encode(ServedFile.bytes(100_000))))
        for count in [40_000, Int.max] {
            bench.then { exchange, file in
                let start = file.start(of: exchange.request) ?? 0
                let range = start > 0 ? ["Content-Range: bytes \(start)-\(file.body.count - 1)/\(file.body.count)"] : []
                let fields = range + file.fields + ["Content-Encoding: gzip", "Content-Length: \(file.body.count - start)"]
                try ServedFile.send(start > 0 ? 206 : 200, fields, to: exchange)
                try exchange.sendBytes(file.body.dropFirst(start).prefix(count))
            }
        }
        let download = bench.download().decodesContent(false)
        download.retry { [weak download] _, _ in
            download?.decodesContent(true)
            return .retry
        }
        try await bench.expectFile(await download.end)
        #expect(try bench.takeRequests(2).map { $0.header("Range") } == [nil, "bytes=39999-"])
    }

    @Test("Without its partial file a coded download begins again, with coded bytes also by a retry")
    func withoutPartialFile() async throws {
        let bench = try ResumeBench()
        let send = { @Sendable (exchange: MockExchange, file: ServedFile, count: Int) in
            try ServedFile.send(200, file.fields + ["Content-Encoding: x-gzip", "Content-Length: \(file.body.count)"], to: exchange)
            try exchange.sendBytes(file.body.prefix(count))
        }
        for count in [40_000, 0, 100_000] { bench.then { try send($0, $1, count) } }
        let first = await bench.download().decodesContent(false).end
        let data = try #require(first.resumeData)
        try FileManager.default.removeItem(at: bench.partials)
        let response = await bench.resume(data).retry { _, _ in .retry }.end
        try await bench.expectFile(response)
        #expect(try bench.takeRequests(3).map { $0.header("Accept-Encoding") } == [nil, nil, nil])
    }
}

#if os(Linux)
    @Suite("Bodies as they were sent, over HTTP/2", .overHTTP2, .timeLimit(.minutes(5)))
    struct DecodesContentOverHTTP2Tests {
        @Test("Data, downloads, streams and held heads")
        func all() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/*") { _ in MockResponse.data(DecodesContentTests.coded).header("Content-Encoding", "gzip") }
            let session = Session.onTest(configuration: .with { $0.decodesContent = false })
            let coded = DecodesContentTests.coded
            #expect(try await session.request(server.url()).serializingData().value == coded)
            #expect(try await session.download(server.url()).serializingData().value == coded)
            #expect(try await session.request(server.url()).onHTTPResponse { _ in .allow }.serializingData().value == coded)
            var received = Data()
            for try await piece in session.streamRequest(server.url()).validate().streamTask().streamingData() { received += piece }
            #expect(received == coded)
            #expect(try await server.takeRequests(4).allSatisfy { $0.headerValues("Accept-Encoding") == [] })
        }
    }
#endif

/// URLSession always undoes codings.
@Suite("Bodies as they were sent, with URLSession", .timeLimit(.minutes(5)))
struct DecodesContentWithURLSessionTests {
    @Test("A body without a coding is handed over, and one with a coding is an error, unless it is a redirect's")
    func codings() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { request in
            switch request.path {
            case "/plain": MockResponse.text("plain")
            case "/moved": MockResponse.redirect(to: "/plain", status: 302).header("Content-Encoding", "gzip")
            default: MockResponse.data(DecodesContentTests.coded).header("Content-Encoding", "gzip")
            }
        }
        let session = Session(configuration: .with { $0.decodesContent = false }, transport: URLSessionTransport())
        for path in ["/plain", "/moved"] {
            #expect(try await session.request(server.url(path)).serializingString().value == "plain")
        }
        #expect(try await server.takeRequests(3).allSatisfy { $0.headerValues("Accept-Encoding") == ["identity"] })
        for request in [session.request(server.url()), session.request(server.url()).onHTTPResponse { _ in .allow }] {
            let error = await request.serializingData().response.error as? FirewheelError
            #expect(error?.kind == .transportFailed(.cannotDecodeContentData))
        }
    }
}
