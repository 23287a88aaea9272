import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Uploads of multipart forms through a session. On Linux URLSession with Alamofire crashes at each of them.
@Suite("Uploads of forms", .timeLimit(.minutes(5)))
struct UploadFormTests {
    private let content = UploadKind.pattern(100_000)

    private func parts(of request: RecordedRequest) throws -> [RandomForm.Part] {
        let type = try #require(request.header("Content-Type"))
        #expect(request.headerValues("Content-Type").count == 1 && type.hasPrefix("multipart/form-data; boundary="))
        #expect(request.header("Content-Length") == "\(request.body.count)" && request.header("Transfer-Encoding") == nil)
        return try MultipartReader.parts(of: request.body, boundary: String(type.dropFirst("multipart/form-data; boundary=".count)))
    }

    /// A form of data, a file and, if wanted, a stream; and what the server should read.
    private func fill(_ form: MultipartFormData, _ file: URL, withStream: Bool = false) {
        form.append(Data("Ada".utf8), withName: "author")
        form.append(file, withName: "photo")
        guard withStream else { return }
        form.append(
            InputStream(data: content), withLength: UInt64(content.count), name: "s", fileName: "s", mimeType: "text/plain")
    }

    private func expected(withStream: Bool = false) -> [RandomForm.Part] {
        [
            RandomForm.Part(name: "author", fileName: nil, type: nil, content: Data("Ada".utf8)),
            RandomForm.Part(name: "photo", fileName: "photo.png", type: "image/png", content: content),
        ] + (withStream ? [RandomForm.Part(name: "s", fileName: "s", type: "text/plain", content: content)] : [])
    }

    private func makeFile(in folder: DownloadTests.Folder) throws -> URL {
        let file = folder.file("photo.png")
        try content.write(to: file)
        return file
    }

    @Test("Each form of upload sends the parts with their exact length, in memory and read from its parts", arguments: [0, UInt64.max])
    func doors(threshold: UInt64) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let file = try makeFile(in: folder)
        let session = Session(configuration: .with { $0.temporaryDirectory = folder.file("missing") })
        let form = MultipartFormData()
        fill(form, file)
        var request = URLRequest(url: try #require(URL(string: server.url())))
        request.method = .put
        let url = server.url()
        let uploads: [(UploadRequest, String)] = [
            (session.upload(multipartFormData: { fill($0, file) }, to: url, usingThreshold: threshold), "POST"),
            (session.upload(to: url, usingThreshold: threshold) { fill($0, file) }, "POST"),
            (session.upload(multipartFormData: form, to: url, usingThreshold: threshold, method: .patch), "PATCH"),
            (session.upload(multipartFormData: { fill($0, file) }, with: request, usingThreshold: threshold), "PUT"),
            (session.upload(with: request, usingThreshold: threshold) { fill($0, file) }, "PUT"),
            (session.upload(multipartFormData: form, with: request, usingThreshold: threshold), "PUT"),
        ]
        for (upload, method) in uploads {
            server.enqueue(.text("taken"))
            _ = try await upload.serializingString().value
            let seen = try await server.takeRequest()
            #expect(try seen.method == method && parts(of: seen) == expected())
            #expect(upload.uploadProgress.completedUnitCount == Int64(seen.body.count))
        }
        #expect(try folder.contents == ["photo.png"])
    }

    @Test("The Content-Type is the form's, whatever the caller's or the session's is (RFC 7578 section 4.1)")
    func contentType() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let file = try makeFile(in: folder)
        let session = Session(configuration: .with { $0.headers.add(.contentType("application/json")) })
        server.enqueue(.text("taken"))
        let upload = session.upload(to: server.url(), headers: ["content-type": "multipart/form-data", "X-A": "1"]) { fill($0, file) }
        _ = try await upload.serializingString().value
        let seen = try await server.takeRequest()
        #expect(try parts(of: seen) == expected() && seen.header("X-A") == "1")
    }

    @Test("A form is sent again after a redirect and a retry, unless it is read from a stream", arguments: [0, UInt64.max])
    func again(threshold: UInt64) async throws {
        let folder = try DownloadTests.Folder()
        let file = try makeFile(in: folder)
        let session = Session()
        for (withStream, path) in [(false, "/old"), (true, "/old"), (false, "/flaky"), (true, "/flaky")] {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/old") { _ in .redirect(to: "/new", status: 308) }
            server.route("/new") { _ in .text("taken") }
            server.enqueue(.text("no", status: 503), .text("taken"))
            let upload = session.upload(
                multipartFormData: { fill($0, file, withStream: withStream) }, to: server.url(path), usingThreshold: threshold)
            let response = await upload.validate().retry { _, _ in .retry }.serializingString().response
            let isRepeatable = !withStream || threshold > 0
            for seen in try await server.takeRequests(isRepeatable ? 2 : 1) {
                #expect(try parts(of: seen) == expected(withStream: withStream), "\(path)")
            }
            #expect(response.value == (isRepeatable ? "taken" : nil), "\(path)")
            if !isRepeatable { #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable), "\(path)") }
        }
    }

    @Test("The first error of a part is the request's, and nothing is sent")
    func badPart() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let upload = Session().upload(to: server.url()) { form in
            form.append(folder.file("missing"), withName: "a")
            form.append(Data(), withName: "a\0")
        }
        let error = await upload.serializingData().response.error?.firewheel
        #expect(error?.kind == .multipartEncodingFailed(.bodyPartFileNotReachable(at: folder.file("missing"))))
        #expect(upload.metrics?.transactionMetrics.isEmpty ?? true)
    }

    @Test("What is added to a form after the call is not sent")
    func snapshot() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let file = try makeFile(in: folder)
        let form = MultipartFormData()
        fill(form, file)
        let session = Session(startRequestsImmediately: false)
        let upload = session.upload(multipartFormData: form, to: server.url())
        form.append(Data(), withName: "late")
        server.enqueue(.text("taken"))
        async let text = upload.serializingString().value
        upload.resume()
        #expect(try await text == "taken")
        #expect(try await parts(of: server.takeRequest()) == expected())
    }

    @Test("From 10,000,000 bytes on a form is not put together in memory, unless the caller says otherwise", arguments: [false, true])
    func defaultThreshold(isLarge: Bool) async throws {
        #expect(Session.multipartFormDataThreshold == 10_000_000)
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("elsewhere", status: 307, headers: [("Location", "/new")]), .text("taken"))
        let session = Session(configuration: .with { $0.expectsContinue = .never })
        let part = UploadKind.pattern(isLarge ? 10_000_000 : 9_990_000)
        // What was read from a stream into memory can be sent again.
        let response = await session.upload(to: server.url()) { form in
            form.append(InputStream(data: part), withLength: UInt64(part.count), name: "s", fileName: "s", mimeType: "text/plain")
        }.serializingString().response
        #expect(isLarge ? response.error?.firewheel?.kind == .uploadBodyFailed(.notRepeatable) : response.value == "taken", "\(response)")
        #expect(try await server.takeRequests(isLarge ? 1 : 2).allSatisfy { $0.body.count > part.count })
    }

    @Test("A form makes no temporary file, neither in memory nor read from its parts", arguments: [0, UInt64.max])
    func noTemporaryFile(threshold: UInt64) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let (folder, temporary) = (try DownloadTests.Folder(), try DownloadTests.Folder())
        let file = try makeFile(in: folder)
        let seen = Journal<[String]>()
        let look: @Sendable () -> Void = {
            let inSystem = (try? FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)) ?? []
            let own = inSystem.filter { $0.lowercased().contains("multipart") || $0.lowercased().contains("form-data") }
            seen.add(((try? temporary.contents) ?? ["unreadable"]) + own)
        }
        server.exchange("/") { exchange in
            look()
            _ = try exchange.read(upTo: 1_000)
            look()
            try exchange.send(.text("\(try exchange.readAll().count > 0)"))
        }
        let session = Session(configuration: .with { $0.temporaryDirectory = temporary.url })
        let value = try await session.upload(multipartFormData: { self.fill($0, file) }, to: server.url(), usingThreshold: threshold)
            .serializingString().value
        look()
        #expect(value == "true" && seen.entries == [[], [], []], "\(seen.entries)")
    }
}
