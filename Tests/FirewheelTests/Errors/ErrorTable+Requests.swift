import Firewheel
import FirewheelTesting
import Foundation

extension ErrorTable {
    private struct Opaque: Sendable {}

    private struct ThrowingEncoding: ParameterEncoding {
        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest { throw SomeError() }
    }

    private struct ThrowingPreprocessor: DataPreprocessor {
        func preprocess(_ data: Data) throws -> Data { throw SomeError() }
    }

    private static let url = "http://stub.test/"

    private static func changed(_ change: (inout URLRequest) -> Void) throws -> URLRequest {
        var request = URLRequest(url: try url.asURL())
        change(&request)
        return request
    }

    /// Requests that are not sent.
    static let unsent: [Failure] = [
        .unsent("The URL has no host, or is none") { $0.request("http:///path") },
        .unsent("The URL is relative, and there is no base to resolve it against") { $0.request("users/1") },
        .unsent("The URL's port is 0 or above 65535") { $0.request("http://stub.test:99999/") },
        .unsent("The URL's scheme is neither http nor https") { $0.request("ftp://stub.test/") },
        .unsent("A header's name is no token, or its value has CR, LF or NUL") { $0.request(url, headers: ["X-A": "1\r\nX-B: 2"]) },
        .unsent("The method is no token") { $0.request(url, method: HTTPMethod(rawValue: "GE T")) },
        .unsent("A GET has a body") { session in session.request(try changed { $0.httpBody = Data("x".utf8) }) },
        .unsent("A HEAD has a body") { session in
            session.request(
                try changed {
                    $0.httpMethod = "HEAD"
                    $0.httpBody = Data("x".utf8)
                })
        },
        .unsent("A URLRequest has a body stream, and was given to request(_:)") { session in
            session.request(
                try changed {
                    $0.httpMethod = "POST"
                    $0.httpBodyStream = InputStream(data: Data("x".utf8))
                })
        },
        .unsent("An adapter throws") { $0.request(url, interceptor: .adapter { _, _ in throw SomeError() }) },
        .unsent("A request modifier, or a convertible, throws") { $0.request(url, requestModifier: { _ in throw SomeError() }) },
        .unsent("Parameters have no form as JSON") { $0.post(url, parameters: ["a": Double.nan], encoding: .json) },
        .unsent("Parameters have no form as a URL-encoded form") { $0.get(url, parameters: ["a": Opaque()]) },
        .unsent("Parameters have no form as a property list") {
            $0.post(url, parameters: ["a": NSNull()], encoding: PropertyListEncoding.default)
        },
        .unsent("A parameter encoding of one's own throws") { $0.request(url, parameters: ["a": 1], encoding: ThrowingEncoding()) },
        Failure("Parameters are encoded into a request without a URL") {
            var request = try changed { _ in }
            request.url = nil
            do {
                _ = try URLEncoding.queryString.encode(request, with: ["a": 1])
                return nil
            } catch {
                return error
            }
        },
    ]

    /// Responses that came whole, and are refused or not understood.
    static let received: [Failure] = [
        Failure("A redirect would take a body from https to http") {
            let head = ResponseHead(statusCode: 307, headers: ["Location": url])
            let session = Session(transport: StubTransport { _ in [.response(head), .finish(body: nil)] })
            defer { withExtendedLifetime(session) {} }
            return await session.post("https://stub.test/", parameters: ["a": 1]).serializingData().response.error
        },
        .received("validate() finds another status code", status: 404) { await $0.validate().serializingData().response.error },
        .received("validate() finds another content type", headers: ["Content-Type": "text/html"], body: "x") {
            await $0.validate(contentType: ["application/json"]).serializingData().response.error
        },
        .received("validate() finds a body without a content type", body: "x") {
            await $0.validate(contentType: ["application/json"]).serializingData().response.error
        },
        .received("A validation of one's own fails", body: "x") {
            await $0.validate { _, _, _ in .failure(SomeError()) }.serializingData().response.error
        },
        .received("A retrier answers with an error of its own", status: 503) {
            await $0.validate().retry { _, _ in .doNotRetryWithError(SomeError()) }.serializingData().response.error
        },
        .received("A redirect handler throws", status: 302, headers: ["Location": "/there"]) {
            await $0.redirect(using: .modify { _, _, _ in throw SomeError() }).serializingData().response.error
        },
        .received("A user name with a colon, and only Basic is offered", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) {
            await $0.authenticate(username: "us:er", password: "p").serializingData().response.error
        },
        Failure("A server does not prove that it knows the password, and said it would") {
            let session = Session(
                transport: StubTransport { request in
                    let head =
                        request.headers["Authorization"] == nil
                        ? ResponseHead(statusCode: 401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
                        : ResponseHead(statusCode: 200, headers: ["Authentication-Info": "rspauth=\"00\", qop=auth"])
                    return [.response(head), .finish(body: nil)]
                })
            defer { withExtendedLifetime(session) {} }
            return await session.request(url).authenticate(username: "u", password: "p").serializingData().response.error
        },
        Failure("A downloaded file is gone before all validations have seen it") {
            let session = Session(
                transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] })
            return await session.download(url)
                .validate { _, _, file in if let file { try FileManager.default.removeItem(at: file) } }
                .validate(contentType: ["text/plain"])
                .serializingDownloadedFileURL().response.error
        },
        .received("There is no body, where one is called for") { await $0.serializingData().response.error },
        .received("The body is no text in its encoding", body: "\u{E9}") { await $0.serializingString(encoding: .ascii).response.error },
        .received("The body is no JSON", body: "{") { request in
            await withCheckedContinuation { continuation in
                request.responseJSON(queue: .global()) { continuation.resume(returning: $0.error) }
            }
        },
        .received("The body is no property list", body: "{") { request in
            await withCheckedContinuation { continuation in
                request.responsePropertyList(queue: .global()) { continuation.resume(returning: $0.error) }
            }
        },
        .received("A data preprocessor fails", body: "x") {
            await $0.serializingData(dataPreprocessor: ThrowingPreprocessor()).response.error
        },
        .received("No serializer of a compound succeeds", body: "x") {
            await $0.serializingResponse(using: .compound([.decodable(of: Int.self), .decodable(of: Int.self)])).response.error
        },
        .received("The body is not of the type to be decoded", body: "{}") { await $0.serializingDecodable([Int].self).response.error },
        .received("There is no body, rightly, and the type has no empty value", status: 204) {
            await $0.serializingDecodable([Int].self).response.error
        },
        Failure("A download has no file") { DownloadResponseSerializer<Data>(.data).serializeDownloadResponse(nil, nil, nil, nil).failure },
        Failure("A downloaded file cannot be read") {
            let gone = FileManager.default.temporaryDirectory.appendingPathComponent("never-there-\(UInt64.random(in: 0...UInt64.max))")
            return DownloadResponseSerializer<Data>(.data).serializeDownloadResponse(nil, nil, gone, nil).failure
        },
        Failure("A downloaded file cannot be put at its destination") {
            let session = Session(
                transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] })
            defer { withExtendedLifetime(session) {} }
            let nowhere = URL(fileURLWithPath: "/dev/null/below.txt")
            return await session.download(url, to: { _, _ in (nowhere, []) }).serializingDownloadedFileURL().response.error
        },
    ]

    /// Files of cookie jars.
    static let cookieFiles: [Failure] = [
        Failure("A jar's file is a directory, a link, or cannot be read") {
            Result { try CookieJar(file: URL(fileURLWithPath: "/dev/null")) }.failure
        },
        Failure("A jar's file is another program's, or cut off") {
            let folder = try DownloadTests.Folder()
            defer { withExtendedLifetime(folder) {} }
            return Result { try CookieJar(file: try folder.file("cookies.json", holding: "{")) }.failure
        },
        Failure("A jar's file cannot be written") {
            let folder = try DownloadTests.Folder()
            let jar = try CookieJar(file: folder.file("nowhere/cookies.json"))
            jar.store(Cookie(name: "a", value: "b", domain: "stub.test"))
            return Result { try jar.flush() }.failure
        },
    ]

    /// Requests that their own program ended.
    static let ended: [Failure] = [
        Failure("cancel() is called") {
            let session = Session(transport: StubTransport { _ in [] })
            let request = session.request(url)
            request.cancel()
            return await request.raw().error
        },
        Failure("The awaiting Task is cancelled") {
            let session = Session(transport: StubTransport { _ in [] })
            let task = Task { await session.request(url).serializingData().response.error }
            task.cancel()
            return await task.value
        },
        Failure("The session is invalidated") {
            let session = Session(transport: StubTransport { _ in [] })
            let request = session.request(url).resume()
            session.invalidate()
            return await request.raw().error
        },
        Failure("The session is released before the request is started") {
            let request = Session(transport: StubTransport { _ in [] }, startRequestsImmediately: false).request(url)
            return await request.raw().error
        },
    ]
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
