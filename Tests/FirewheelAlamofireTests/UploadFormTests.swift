import FirewheelAlamofire
import FirewheelTesting
import Testing

/// Forms that requests send, and what `uploadable` says of them.
@Suite("Upload: forms", .timeLimit(.minutes(5)))
struct UploadFormTests {
    private typealias Folder = MultipartFormDataTests.Folder

    /// Has a temporary folder of its own.
    private final class OwnFileManager: FileManager, @unchecked Sendable {
        let folder: URL

        init(_ folder: URL) {
            self.folder = folder
            super.init()
        }

        override var temporaryDirectory: URL { folder }
    }

    private let server: MockServer
    private let session = Session()

    init() throws {
        server = try MockServer()
        server.route("/echo") { .data($0.body, headers: [("Content-Type", $0.header("Content-Type") ?? "")]) }
        server.route("/moved") { _ in .redirect(to: "/echo", status: 307) }
    }

    private func fill(_ form: MultipartFormData) {
        form.append(Data("français".utf8), withName: "french")
        form.append(Data("日本語".utf8), withName: "japanese")
    }

    /// Polls until the files of large forms are removed, which happens on a thread of its own.
    private func isEmptied(_ folder: Folder) async -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while !folder.names.isEmpty, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
        return folder.names.isEmpty
    }

    @Test("A form below the threshold is data, which is known once the request is made")
    func small() async throws {
        let form = MultipartFormData()
        fill(form)
        let request = session.upload(multipartFormData: form, to: server.url("/echo"))
        #expect(request.uploadable == nil)
        let response = await request.serializingData().response
        #expect(response.response?.headers["Content-Type"] == form.contentType)
        #expect(try response.result.get() == form.encode())
        guard case .data(let data)? = request.uploadable else { throw MultipartFormDataTests.Unexpected() }
        #expect(try data == form.encode())
        #expect(response.request?.headers["Content-Type"] == form.contentType)
    }

    @Test("The threshold counts the parts alone", arguments: [UInt64(18), 19])
    func threshold(threshold: UInt64) async throws {
        let request = session.upload(multipartFormData: fill, to: server.url("/echo"), usingThreshold: threshold)
        _ = try await request.serializingData().value
        let isData = if case .data? = request.uploadable { true } else { false }
        // 8 letters of which one has 2 bytes, and 3 characters of 3 bytes each.
        #expect(isData == (threshold > 18))
    }

    @Test("A form from the threshold on is a temporary file in the file manager's folder, which is removed when the request has ended")
    func large() async throws {
        let folder = try Folder()
        let (server, during) = (server, Captured<[String]>([]))
        server.route("/watched") { request in
            during.value = folder.names.filter { $0.hasSuffix(".tmp") }
            return .data(request.body)
        }
        let form = MultipartFormData(fileManager: OwnFileManager(folder.url))
        fill(form)
        let request = session.upload(multipartFormData: form, to: server.url("/watched"), usingThreshold: 0)
        #expect(try await request.serializingData().value == form.encode())
        guard case .file(let url, shouldRemove: true)? = request.uploadable else { throw MultipartFormDataTests.Unexpected() }
        #expect(during.value == [url.lastPathComponent] && url.deletingLastPathComponent().path == folder.url.path)
        #expect(await isEmptied(folder))
    }

    @Test("A closure's form uses the request's file manager")
    func closure() async throws {
        let folder = try Folder()
        let request = session.upload(
            multipartFormData: fill, to: server.url("/echo"), usingThreshold: 0, fileManager: OwnFileManager(folder.url))
        _ = try await request.serializingData().value
        guard case .file(let url, _)? = request.uploadable else { throw MultipartFormDataTests.Unexpected() }
        #expect(url.deletingLastPathComponent().path == folder.url.path && request.fileManager is OwnFileManager)
    }

    @Test("Parts can be added until the request is made, by its asURLRequest() too")
    func late() async throws {
        struct FormRequest: URLRequestConvertible {
            let form = MultipartFormData()
            let url: String

            func asURLRequest() throws -> URLRequest {
                form.append(Data("français".utf8), withName: "french")
                form.append(Data("日本語".utf8), withName: "japanese")
                return try URLRequest(url: url, method: .post)
            }
        }
        let made = FormRequest(url: server.url("/echo"))
        made.form.append(Data("1".utf8), withName: "first")
        let request = session.upload(multipartFormData: made.form, with: made)
        made.form.append(Data("2".utf8), withName: "second")
        let text = String(decoding: try await request.serializingData().value, as: UTF8.self)
        let names = text.split(separator: "name=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(names == ["first", "second", "french", "japanese"])
        #expect(made.form.contentLength == 20)
    }

    @Test("A form with a stream is sent again after a redirect and a retry, on either side of the threshold", arguments: [UInt64(0), .max])
    func again(threshold: UInt64) async throws {
        let (server, attempts) = (server, Captured(0))
        server.route("/second") { request in
            attempts.value += 1
            return attempts.value == 1 ? .status(503) : .data(request.body)
        }
        let form = MultipartFormData(boundary: "b")
        form.append(InputStream(data: Data("stream".utf8)), withLength: 6, name: "s", fileName: "s", mimeType: "a/b")
        let retrier = Retrier { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) }
        let request = session.upload(
            multipartFormData: form, to: server.url("/second"), usingThreshold: threshold, interceptor: retrier)
        let text = String(decoding: try await request.validate().serializingData().value, as: UTF8.self)
        #expect(text.contains("\r\n\r\nstream\r\n--b--") && request.retryCount == 1)

        let moved = MultipartFormData(boundary: "b")
        moved.append(InputStream(data: Data("stream".utf8)), withLength: 6, name: "s", fileName: "s", mimeType: "a/b")
        let redirected = session.upload(multipartFormData: moved, to: server.url("/moved"), usingThreshold: threshold)
        #expect(try await redirected.serializingData().value == Data(text.utf8))
    }

    @Test("A form that cannot be encoded or written fails the request before anything is sent")
    func failures() async throws {
        let folder = try Folder()
        let missing = try folder.file("missing.jpg")
        let request = session.upload(
            multipartFormData: { $0.append(missing, withName: "file") }, to: server.url("/echo"), usingThreshold: 0)
        let error = await request.serializingData().response.error
        guard case .multipartEncodingFailed(.bodyPartFileNotReachableWithError(missing, _))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(request.uploadable == nil)

        let lost = session.upload(
            multipartFormData: fill, to: server.url("/echo"), usingThreshold: 0,
            fileManager: OwnFileManager(folder.url.appendingPathComponent("none")))
        let failure = await lost.serializingData().response.error
        guard case .multipartEncodingFailed(.outputStreamWriteFailed)? = failure else {
            Issue.record("\(failure as Any)")
            return
        }
        #expect(lost.uploadable == nil && server.requestCount == 0 && folder.names.isEmpty)
    }

    @Test("A request that is cancelled while its form is written leaves no file")
    func cancelled() async throws {
        struct Gate: Sendable {
            let begun = DispatchSemaphore(value: 0)
            let goesOn = DispatchSemaphore(value: 0)
        }
        final class Blocking: InputStream {
            let gate = Gate()
            private var status = Stream.Status.notOpen
            private var isRead = false

            override var streamStatus: Stream.Status { status }
            override var hasBytesAvailable: Bool { !isRead }
            override func open() { status = .open }
            override func close() { status = .closed }
            override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
                if isRead { return 0 }
                gate.begun.signal()
                gate.goesOn.wait()
                isRead = true
                buffer.pointee = 0x61
                return 1
            }
        }
        let folder = try Folder()
        let stream = Blocking(data: Data())
        let gate = stream.gate
        let form = MultipartFormData(fileManager: OwnFileManager(folder.url))
        form.append(stream, withLength: 1, name: "s", fileName: "s", mimeType: "a/b")
        let request = session.upload(multipartFormData: form, to: server.url("/echo"), usingThreshold: 0)
        async let response = request.serializingData().response
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                gate.begun.wait()
                continuation.resume()
            }
        }
        request.cancel()
        let error = await response.error
        gate.goesOn.signal()
        guard case .explicitlyCancelled? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(await isEmptied(folder))
        #expect(server.requestCount == 0)
    }

    @Test("The request of a form is its convertible's, with the form's content type")
    func convertible() throws {
        let form = MultipartFormData(boundary: "custom-boundary")
        form.contentType = "multipart/mixed; boundary=custom-boundary"
        let upload = session.upload(multipartFormData: form, to: server.url("/echo"), headers: ["X-A": "b"])
        #expect(upload.convertible.urlRequest?.url?.path == "/echo" && upload.convertible.urlRequest?.method == .post)
        #expect(upload.convertible.urlRequest?.headers.dictionary == ["X-A": "b", "Content-Type": form.contentType])
    }
}

/// A value that one thread sets and another reads.
final class Captured<Value: Sendable>: @unchecked Sendable {
    // Sound because the lock is held for every access.
    private let lock = NSLock()
    private var current: Value

    init(_ value: Value) { current = value }

    var value: Value {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}
