import FirewheelClassic
import FirewheelTesting
import Testing

/// What `HTTPRequestSerializer` adds to requests besides parameters.
@Suite("AFNetworking's defaults of requests", .timeLimit(.minutes(5)))
struct RequestSerializerDefaultsTests {
    private let url = "https://example.com/a"

    @Test("Default header fields are set, read, removed, and do not replace those of a request")
    func headers() throws {
        var serializer = HTTPRequestSerializer()
        #expect(serializer.value(forHTTPHeaderField: "user-agent")?.contains("Firewheel/") == true)
        #expect(serializer.value(forHTTPHeaderField: "Accept-Language") != nil && serializer.value(forHTTPHeaderField: "X-A") == nil)
        serializer.setValue("1", forHTTPHeaderField: "X-A")
        serializer.setValue("2", forHTTPHeaderField: "x-a")
        serializer.setValue("3", forHTTPHeaderField: "X-B")
        #expect(serializer.value(forHTTPHeaderField: "X-A") == "2" && serializer.httpRequestHeaders["X-B"] == "3")
        let own = try URLRequest(url: url, method: .get, headers: ["x-b": "own", "X-C": "own"])
        let request = try serializer.request(bySerializing: own, withParameters: nil)
        #expect(request.headers["X-A"] == "2" && request.headers["X-B"] == "own" && request.headers["X-C"] == "own")
        serializer.setValue(nil, forHTTPHeaderField: "X-A")
        #expect(try serializer.request(withMethod: .get, urlString: url).headers["X-A"] == nil)
        serializer.headers = [:]
        #expect(try serializer.request(bySerializing: own, withParameters: nil) == own)
    }

    @Test("Basic credentials are a default header field")
    func authorization() throws {
        var serializer = HTTPRequestSerializer.json
        serializer.setAuthorization(username: "Aladdin", password: "open sesame")
        let copy = serializer
        #expect(try copy.request(withMethod: .get, urlString: url).headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        serializer.clearAuthorizationHeader()
        #expect(try serializer.request(withMethod: .get, urlString: url).headers["Authorization"] == nil)
        #expect(copy.value(forHTTPHeaderField: "Authorization") != nil)
    }

    @Test("Settings are copied to created requests once they are set, and never to a caller's request")
    func settings() throws {
        let untouched = try URLRequest(url: url, method: .get)
        var serializer = HTTPRequestSerializer()
        serializer.headers = [:]
        #expect(try serializer.request(withMethod: .get, urlString: url) == untouched)
        serializer.timeoutInterval = 7.5
        serializer.cachePolicy = .returnCacheDataDontLoad
        serializer.httpShouldHandleCookies = false
        serializer.networkServiceType = .background
        serializer.allowsCellularAccess = false
        let request = try serializer.request(withMethod: .get, urlString: url)
        #expect(request.timeoutInterval == 7.5 && request.cachePolicy == .returnCacheDataDontLoad)
        #expect(!request.httpShouldHandleCookies)
        #expect(request.networkServiceType == .background && !request.allowsCellularAccess)
        #expect(try serializer.request(bySerializing: untouched, withParameters: nil) == untouched)
        serializer.timeoutInterval = nil
        #expect(try serializer.request(withMethod: .get, urlString: url).timeoutInterval == untouched.timeoutInterval)
    }

    @Test("A POST without parameters is sent with Content-Length: 0 and the Content-Type of a form")
    func emptyForm() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        var serializer = HTTPRequestSerializer()
        let session = Session()
        _ = try await session.request(try serializer.request(withMethod: .post, urlString: server.url("/1"))).serializingString().value
        serializer.setValue("late", forHTTPHeaderField: "X-Added")
        let get = try serializer.request(
            withMethod: .get, urlString: server.url("/2"), parameters: ["a": NSNull(), "b": 1] as [String: Any])
        _ = try await session.request(get).serializingString().value
        let first = try await server.takeRequest()
        #expect(first.header("content-length") == "0" && first.header("content-type") == "application/x-www-form-urlencoded")
        #expect(first.headerValues("user-agent").count == 1 && first.header("x-added") == nil)
        let second = try await server.takeRequest()
        #expect(second.target == "/2?a&b=1" && second.header("x-added") == "late")
        #expect(second.header("content-length") == nil && second.header("content-type") == nil)
    }

    // MARK: Multipart forms

    @Test("GET and HEAD have no multipart form")
    func multipartWithoutBody() {
        func kind(_ method: String) -> FirewheelError.Kind? {
            do {
                _ = try HTTPRequestSerializer().multipartFormRequest(withMethod: HTTPMethod(rawValue: method), urlString: url) { _ in }
                return nil
            } catch {
                return (error as? FirewheelError)?.kind
            }
        }
        #expect(kind("GET") == .urlRequestValidationFailed(.bodyDataInGETRequest))
        #expect(kind("get") == .urlRequestValidationFailed(.bodyDataInGETRequest))
        #expect(kind("HEAD") == .urlRequestValidationFailed(.bodyDataInHEADRequest))
        #expect(kind("PUT") == nil)
    }

    @Test("Parameters become the first parts of a multipart form")
    func multipart() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        var serializer = HTTPRequestSerializer.json
        serializer.setValue("text/x-other", forHTTPHeaderField: "Content-Type")
        serializer.stringEncoding = .isoLatin1
        let parameters: [String: Any] = ["b": ["c": ["x", "ä"]], "a": Data([0, 0xFF]), "n": NSNull()]
        let (request, form) = try serializer.multipartFormRequest(
            withMethod: .post, urlString: server.url("/form"), parameters: parameters
        ) { form in
            form.append(Data("last".utf8), withName: "z")
        }
        _ = try await Session().upload(multipartFormData: form, with: request).serializingString().value
        let sent = try await server.takeRequest()
        #expect(sent.header("content-type") == form.contentType && sent.header("user-agent") != nil)
        func part(_ name: String, _ content: [UInt8]) -> Data {
            Data("--\(form.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8) + content + Data("\r\n".utf8)
        }
        let parts = [part("a", [0, 0xFF]), part("b[c][]", [0x78]), part("b[c][]", [0xE4]), part("n", []), part("z", Array("last".utf8))]
        #expect(sent.body == parts.reduce(Data(), +) + Data("--\(form.boundary)--\r\n".utf8))
    }
}
