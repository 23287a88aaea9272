import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("cURL descriptions")
struct CURLDescriptionTests {
    private let bench = EngineBench(.plain)

    /// The result of a command in a shell: curl's arguments, and the input from its pipe.
    private func run(_ command: String) throws -> (words: [String], input: Data) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stand = "curl() { printf '%s\\0' \"$@\" > words; case \"$*\" in *@-*) cat > input ;; esac; }\n"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.currentDirectoryURL = folder
        process.arguments = ["-c", stand + command.dropFirst(2)]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let words = try Data(contentsOf: folder.appendingPathComponent("words"))
        let input = (try? Data(contentsOf: folder.appendingPathComponent("input"))) ?? Data()
        // Nothing but curl has run.
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)).isSubset(of: ["words", "input"]))
        return (
            String(decoding: words, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init),
            input
        )
    }

    private func started(_ request: DataRequest) async throws -> DataRequest {
        request.response(queue: bench.handlers) { _ in }
        try await bench.started(request)
        return request
    }

    @Test func ofAPlainRequest() async throws {
        let request = try await started(bench.session.request("http://a.test/x?b=c"))
        #expect(
            request.cURLDescription() == """
                $ curl -v \\
                \t-X GET \\
                \t--globoff --path-as-is \\
                \t'http://a.test/x?b=c'
                """)
    }

    @Test func ofABody() async throws {
        let request = try await started(
            bench.session.post("http://a.test/", parameters: ["it's": "$(touch a) `touch b` \"c\" \\"], encoder: .json))
        let (words, _) = try run(request.cURLDescription())
        #expect(
            words == [
                "-v", "-X", "POST", "-H", "Content-Type: application/json", "--data-raw",
                #"{"it's":"$(touch a) `touch b` \"c\" \\"}"#, "--globoff", "--path-as-is", "http://a.test/",
            ])
    }

    /// A shell takes everything in a request as arguments, and runs only curl.
    @Test(arguments: ["'; touch a; '", "$(touch a)", "`touch a`", "\"; touch a; \"", "a\nb", "!!", "*", "@/etc/passwd", "-o x", "ä 🎡"])
    func nothingInARequestReachesTheShell(text: String) async throws {
        var urlRequest = URLRequest(url: try #require(URL(string: "http://a.test/{[x]}/../y")))
        urlRequest.httpMethod = "PUT"
        urlRequest.httpBody = Data(text.utf8)
        if !text.contains("\n") { urlRequest.headers = ["X-Text": text, "Content-Type": "text/plain"] }
        let request = try await started(bench.session.request(urlRequest))
        let (words, _) = try run(request.cURLDescription())
        #expect(words[words.firstIndex(of: "--data-raw")! + 1] == text)
        if !text.contains("\n") { #expect(words.contains("X-Text: \(text)")) }
        #expect(words.last == request.request?.url?.absoluteString)
    }

    @Test func aMethodIsOneWord() async throws {
        let request = try await started(bench.session.request("http://a.test/", method: HTTPMethod(rawValue: "A'`$|B")))
        #expect(try run(request.cURLDescription()).words.contains("A'`$|B"))
    }

    /// With `-X HEAD` curl would wait for a body.
    @Test func ofAHead() async throws {
        let request = try await started(bench.session.head("http://a.test/"))
        #expect(try run(request.cURLDescription()).words == ["-v", "--head", "--globoff", "--path-as-is", "http://a.test/"])
    }

    @Test func aBodyThatIsNoTextComesByAPipe() async throws {
        var urlRequest = URLRequest(url: try #require(URL(string: "http://a.test/")))
        urlRequest.httpMethod = "POST"
        urlRequest.httpBody = Data((0...255).map { UInt8($0) })
        let request = try await started(bench.session.request(urlRequest))
        let (words, input) = try run(request.cURLDescription())
        #expect(input == urlRequest.httpBody)
        #expect(words.contains("--data-binary") && words.contains("@-"))
        // curl would add its own type.
        #expect(words.contains("Content-Type:"))
    }

    @Test func aLargeBodyIsLeftOut() async throws {
        var urlRequest = URLRequest(url: try #require(URL(string: "http://a.test/")))
        urlRequest.httpMethod = "POST"
        urlRequest.httpBody = Data(repeating: 0x61, count: 100_001)
        let request = try await started(bench.session.request(urlRequest))
        let text = request.cURLDescription()
        #expect(text.utf8.count < 1000)
        #expect(try run(text).words.contains("@body-of-100001-bytes"))
        // An interactive zsh would take a comment as arguments.
        #expect(!text.contains("#"))
    }

    @Test func anEmptyHeaderValueIsKept() async throws {
        let request = try await started(bench.session.request("http://a.test/", headers: ["X-Empty": ""]))
        #expect(try run(request.cURLDescription()).words.contains("X-Empty;"))
    }

    @Test func secretsAreShownOnlyWhenAskedFor() async throws {
        let request = try await started(
            bench.session.post(
                "http://user:s3cret@a.test/?access_token=s3cret", parameters: ["password": "s3cret", "name": "x"],
                headers: [.authorization(bearerToken: "s3cret"), HTTPHeader(name: "Cookie", value: "s3cret")]))
        #expect(!request.cURLDescription().contains("s3cret"))
        #expect(request.cURLDescription().contains("name=x"))
        let words = try run(request.cURLDescription(includingCredentials: true)).words
        #expect(words.contains("Authorization: Bearer s3cret"))
        #expect(words.contains("Cookie: s3cret"))
        #expect(words.contains("name=x&password=s3cret"))
        #expect(words.last == "http://user:s3cret@a.test/?access_token=s3cret")
    }

    /// The command hides the same secrets as the long description of a response.
    @Test(arguments: [
        ("application/json", #"{"password":"s3cret","name":"x"}"#),
        ("application/vnd.api+json", #"{"credentials":{"user":"x","pin":"s3cret"}}"#),
        (nil, #"{"password":["s3cret"],"name":"x"}"#), (nil, "password=s3cret&name=x"), ("text/plain", "name: x\npassword: s3cret"),
        ("application/x-www-form-urlencoded; charset=utf-8", "name=x&password=s3cret"),
    ])
    func secretsInBodies(type: String?, body: String) async throws {
        var urlRequest = try URLRequest(url: "http://a.test/", method: .post)
        urlRequest.headers["Content-Type"] = type
        urlRequest.httpBody = Data(body.utf8)
        let request = try await started(bench.session.request(urlRequest))
        let text = request.cURLDescription()
        #expect(!text.contains("s3cret") && text.contains("<redacted>"), "\(text)")
        #expect(try run(request.cURLDescription(includingCredentials: true)).words.contains(body))
    }

    @Test func ofARequestThatWasNotMade() async throws {
        let seen = Journal<String>()
        let request = bench.session.request("http://a.test/").cURLDescription(on: bench.handlers) { seen.add($0) }
        #expect(request.cURLDescription() == "# no curl command: there is no request")
        await bench.handlers.drain()
        #expect(seen.entries.isEmpty)
        _ = try await started(request)
        #expect(try await seen.wait(for: 1) == [request.cURLDescription()])
        bench.transport.deliver((bench.id(request), .end()))
        await bench.settle()
        #expect(seen.count == 1)
        request.cURLDescription(on: bench.handlers) { seen.add($0) }
        #expect(try await seen.wait(for: 2).last == request.cURLDescription())
    }

    @Test("cURL text requested while a retry is being prepared describes the previous attempt", arguments: [true, false])
    func duringARetry(isListened: Bool) async throws {
        let (entered, gate, seen) = (Journal<Int>(), Journal<Int>(), Journal<String>())
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 503)), .finish()] }
        let session = Session(transport: stub, eventMonitors: isListened ? [EventRecorder()] : [])
        let request = session.request("http://a.test/").validate()
            .adapt { _, context in
                guard context.retryCount == 1 else { return }
                entered.add(1)
                _ = try await gate.wait(for: 1)
            }
            .retry { context, _ in context.retryCount == 0 ? .retry : .doNotRetry }
        let task = request.serializingData()
        _ = try await entered.wait(for: 1)
        request.cURLDescription(on: bench.handlers) { seen.add($0) }
        #expect(try await seen.wait(for: 1)[0].contains("http://a.test/"))
        gate.add(1)
        _ = await task.response
        #expect(seen.count == 1)
    }

    @Test(arguments: [true, false])
    func ofARequestThatCannotBeMade(isCancelled: Bool) async throws {
        let seen = Journal<String>()
        let session = bench.session
        let request = session.request(isCancelled ? "http://a.test/" : "no url")
        if isCancelled { request.cancel() }
        request.cURLDescription(on: bench.handlers) { seen.add($0) }
        request.response(queue: bench.handlers) { _ in }
        #expect(try await seen.wait(for: 1) == ["# no curl command: there is no request"])
        await bench.settle()
        #expect(seen.count == 1)
    }
}

extension SessionConfiguration {
    /// A session configuration without headers.
    fileprivate static var plain: SessionConfiguration {
        var configuration = SessionConfiguration.default
        configuration.headers = [:]
        return configuration
    }
}
