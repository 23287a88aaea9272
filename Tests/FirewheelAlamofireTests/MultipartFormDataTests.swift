import FirewheelAlamofire
import Testing

/// The bytes, lengths and errors of forms.
@Suite("Multipart: forms", .timeLimit(.minutes(5)))
struct MultipartFormDataTests {
    /// A folder that is removed with its last reference.
    final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-form-\(UUID().uuidString)", isDirectory: true)

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func file(_ name: String, holding text: String? = nil) throws -> URL {
            let file = url.appendingPathComponent(name)
            if let text { try Data(text.utf8).write(to: file) }
            return file
        }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
    }

    private static func reason(_ body: () throws -> some Any) -> AFError.MultipartEncodingFailureReason? {
        do { _ = try body() } catch AFError.multipartEncodingFailed(let reason) { return reason } catch {}
        return nil
    }

    private static func text(_ form: MultipartFormData) throws -> String { String(decoding: try form.encode(), as: UTF8.self) }

    @Test("Parts from memory, files and streams are written in order, and only their contents count")
    func golden() throws {
        let folder = try Folder()
        let form = MultipartFormData(boundary: "b")
        form.append(Data("Ada".utf8), withName: "author")
        form.append(Data("<b>".utf8), withName: "note", fileName: "note.html", mimeType: "text/html")
        form.append(try folder.file("Photo.JPEG", holding: "pixels"), withName: "photo")
        form.append(try folder.file("x", holding: "12"), withName: "file", fileName: "y.bin", mimeType: "a/b")
        form.append(InputStream(data: Data("flow".utf8)), withLength: 4, name: "stream", fileName: "s", mimeType: "text/plain")
        form.append(InputStream(data: Data("own".utf8)), withLength: 3, headers: [.contentDisposition("form-data; name=own")])
        #expect(form.boundary == "b" && form.contentType == "multipart/form-data; boundary=b")
        #expect(form.contentLength == 3 + 3 + 6 + 2 + 4 + 3)
        let expected = """
            --b
            Content-Disposition: form-data; name="author"

            Ada
            --b
            Content-Disposition: form-data; name="note"; filename="note.html"
            Content-Type: text/html

            <b>
            --b
            Content-Disposition: form-data; name="photo"; filename="Photo.JPEG"
            Content-Type: image/jpeg

            pixels
            --b
            Content-Disposition: form-data; name="file"; filename="y.bin"
            Content-Type: a/b

            12
            --b
            Content-Disposition: form-data; name="stream"; filename="s"
            Content-Type: text/plain

            flow
            --b
            Content-Disposition: form-data; name=own

            own
            --b--

            """.replacing("\n", with: "\r\n")
        #expect(try Self.text(form) == expected)
    }

    @Test("The boundary is random, and the form begins and ends with it")
    func boundary() throws {
        let (form, other) = (MultipartFormData(), MultipartFormData())
        form.append(Data("x".utf8), withName: "y")
        #expect(form.boundary != other.boundary && form.contentType == "multipart/form-data; boundary=\(form.boundary)")
        let text = try Self.text(form)
        #expect(text.hasPrefix("--\(form.boundary)\r\n") && text.hasSuffix("\r\n--\(form.boundary)--\r\n"))
    }

    @Test("A form of data and files can be encoded again, one with a stream cannot")
    func again() throws {
        let folder = try Folder()
        let form = MultipartFormData()
        form.append(Data("x".utf8), withName: "x")
        form.append(try folder.file("y.txt", holding: "y"), withName: "y")
        #expect(try form.encode() == form.encode())

        form.append(InputStream(data: Data("stream".utf8)), withLength: 6, name: "z", fileName: "z", mimeType: "a/b")
        _ = try form.encode()
        let reason = try #require(Self.reason { try form.encode() })
        guard case .inputStreamReadFailed(let error as AFError.UnexpectedInputStreamLength) = reason else {
            Issue.record("\(reason)")
            return
        }
        #expect(error.bytesExpected == 6 && error.bytesRead == 0)
    }

    @Test("A stream of another length is an error with both numbers", arguments: [UInt64(3), 9])
    func length(announced: UInt64) throws {
        let folder = try Folder()
        let target = try folder.file("target")
        for encode in [{ _ = try $0.encode() }, { try $0.writeEncodedData(to: target) }] as [(MultipartFormData) throws -> Void] {
            let form = MultipartFormData()
            form.append(InputStream(data: Data("stream".utf8)), withLength: announced, name: "z", fileName: "z", mimeType: "a/b")
            let reason = try #require(Self.reason { try encode(form) })
            guard case .inputStreamReadFailed(let error as AFError.UnexpectedInputStreamLength) = reason else {
                Issue.record("\(reason)")
                return
            }
            #expect(error.bytesExpected == announced && error.bytesRead == 6)
        }
        #expect(folder.names.isEmpty)
    }

    @Test("A part that cannot be added makes encoding fail with its reason, the first one's")
    func parts() throws {
        let folder = try Folder()
        let web = try #require(URL(string: "https://example.com/image.jpg"))
        let missing = try folder.file("missing.jpg")
        func reason(_ append: (MultipartFormData) -> Void) throws -> AFError.MultipartEncodingFailureReason {
            let form = MultipartFormData()
            form.append(Data(), withName: "good")
            append(form)
            form.append(web, withName: "later")
            return try #require(Self.reason { try form.encode() })
        }
        guard case .bodyPartURLInvalid(web) = try reason({ $0.append(web, withName: "web") }) else { throw Unexpected() }
        guard case .bodyPartFileNotReachableWithError(missing, _) = try reason({ $0.append(missing, withName: "none") }) else {
            throw Unexpected()
        }
        let directory = try reason { $0.append(folder.url, withName: "folder", fileName: "f", mimeType: "a/b") }
        guard case .bodyPartFileIsDirectory(folder.url) = directory else { throw Unexpected() }
        // A URL without a path has no name for the file.
        let nameless = try #require(URL(string: "file:"))
        guard case .bodyPartFilenameInvalid(nameless) = try reason({ $0.append(nameless, withName: "nameless") }) else {
            throw Unexpected()
        }
    }

    @Test("A form is written to a new file, and to nothing else")
    func writing() throws {
        let folder = try Folder()
        let form = MultipartFormData()
        form.append(Data("x".utf8), withName: "x")
        let target = try folder.file("target")
        try form.writeEncodedData(to: target)
        #expect(try Data(contentsOf: target) == form.encode())

        guard case .outputStreamFileAlreadyExists(target)? = Self.reason({ try form.writeEncodedData(to: target) }) else {
            throw Unexpected()
        }
        let web = try #require(URL(string: "/this/is/no/file/url"))
        guard case .outputStreamURLInvalid(web)? = Self.reason({ try form.writeEncodedData(to: web) }) else { throw Unexpected() }
        let lost = folder.url.appendingPathComponent("none/target")
        guard case .outputStreamWriteFailed? = Self.reason({ try form.writeEncodedData(to: lost) }) else { throw Unexpected() }
    }

    @Test("The content type can be set, and overridden in a subclass")
    func contentType() {
        final class Related: MultipartFormData, @unchecked Sendable {
            override var contentType: String {
                get { "multipart/related; boundary=\(boundary)" }
                set {}
            }
        }
        let form = MultipartFormData(boundary: "b")
        form.contentType = "multipart/mixed; boundary=b"
        #expect(form.contentType == "multipart/mixed; boundary=b" && Related(boundary: "c").contentType == "multipart/related; boundary=c")
    }

    struct Unexpected: Error {}
}
