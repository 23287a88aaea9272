import Foundation
import Testing

@testable import Firewheel

/// The bytes of forms, by RFC 7578 and the HTML standard's multipart/form-data encoding algorithm.
@Suite("Multipart forms", .timeLimit(.minutes(5)))
struct MultipartFormDataTests {
    private static func text(_ form: MultipartFormData) throws -> String { String(decoding: try form.encode(), as: UTF8.self) }

    private static func reason(_ body: () throws -> some Any) -> FirewheelError.MultipartEncodingFailureReason? {
        do { _ = try body() } catch {
            if case .multipartEncodingFailed(let reason)? = error.asFirewheelError?.kind { return reason }
        }
        return nil
    }

    @Test("Parts from memory, files and streams are written in order, with exact lengths")
    func golden() throws {
        let folder = try DownloadTests.Folder()
        let form = MultipartFormData(boundary: "b")
        form.append(Data("Ada".utf8), withName: "author")
        form.append(Data("<b>".utf8), withName: "note", fileName: "note.html", mimeType: "text/html; charset=utf-8")
        form.append(Data("{}".utf8), withName: "json", mimeType: "application/json")
        form.append(try folder.file("Photo.JPEG", holding: "pixels"), withName: "photo")
        form.append(try folder.file("x", holding: ""), withName: "file", fileName: "y.bin", mimeType: "a/b")
        form.append(InputStream(data: Data("flow".utf8)), withLength: 4, name: "stream", fileName: "s", mimeType: "text/plain")
        form.append(
            InputStream(data: Data("own".utf8)), withLength: 3, headers: ["Content-Disposition": "form-data; name=own", "X-A": "ä"])
        let expected = """
            --b
            Content-Disposition: form-data; name="author"

            Ada
            --b
            Content-Disposition: form-data; name="note"; filename="note.html"
            Content-Type: text/html; charset=utf-8

            <b>
            --b
            Content-Disposition: form-data; name="json"
            Content-Type: application/json

            {}
            --b
            Content-Disposition: form-data; name="photo"; filename="Photo.JPEG"
            Content-Type: image/jpeg

            pixels
            --b
            Content-Disposition: form-data; name="file"; filename="y.bin"
            Content-Type: a/b


            --b
            Content-Disposition: form-data; name="stream"; filename="s"
            Content-Type: text/plain

            flow
            --b
            Content-Disposition: form-data; name=own
            X-A: ä

            own
            --b--

            """.replacing("\n", with: "\r\n")
        #expect(form.contentType == "multipart/form-data; boundary=b")
        #expect(form.contentLength == UInt64(expected.utf8.count))
        #expect(try Self.text(form) == expected)
    }

    @Test("A form without parts is its last line, as browsers send it")
    func empty() throws {
        let form = MultipartFormData(boundary: "b")
        #expect(try Self.text(form) == "--b--\r\n" && form.contentLength == 7)
    }

    @Test(
        "Names and file names are escaped as the HTML standard does",
        arguments: [
            ("plain", "plain", "plain"),
            ("", "", ""),
            ("say \"hi\"", "say %22hi%22", "say %22hi%22"),
            // Only the names of fields have their line breaks normalized.
            ("a\nb", "a%0D%0Ab", "a%0Ab"),
            ("a\rb", "a%0D%0Ab", "a%0Db"),
            ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
            ("\n\r", "%0D%0A%0D%0A", "%0A%0D"),
            ("\r\r\n\n", "%0D%0A%0D%0A%0D%0A", "%0D%0D%0A%0A"),
            // Nothing else is: not even what would have to be, to be read back.
            (#"a\b%22;=''/:100%"#, #"a\b%22;=''/:100%"#, #"a\b%22;=''/:100%"#),
            ("ä 日本 👩‍👩‍👧 e\u{301}\u{85}\t", "ä 日本 👩‍👩‍👧 e\u{301}\u{85}\t", "ä 日本 👩‍👩‍👧 e\u{301}\u{85}\t"),
        ]
    )
    func escaping(text: String, name: String, fileName: String) throws {
        let form = MultipartFormData(boundary: "b")
        form.append(Data(), withName: text, fileName: text)
        let expected = "--b\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\"\r\n\r\n\r\n--b--\r\n"
        #expect(try form.encode() == Data(expected.utf8))
    }

    @Test("A control character in a name, a media type or a header field is an error", arguments: ["\0", "\u{1}", "\u{1B}", "\u{7F}"])
    func controls(character: String) {
        let text = "a\(character)b"
        for add in [
            { $0.append(Data(), withName: text) }, { $0.append(Data(), withName: "a", fileName: text) },
            { $0.append(Data(), withName: "a", mimeType: text) },
            { $0.append(InputStream(data: Data()), withLength: 0, headers: ["X-A": text]) },
            { $0.append(InputStream(data: Data()), withLength: 0, headers: [text: "x"]) },
        ] as [(MultipartFormData) -> Void] {
            let form = MultipartFormData()
            add(form)
            #expect(Self.reason { try form.encode() } == .bodyPartHeaderInvalid)
        }
    }

    @Test("Nothing that a caller passes on can add a header field", arguments: ["\r\nX-B: 2", "\n\nbody", "\r"])
    func injection(text: String) throws {
        for (mimeType, headers) in [("a/b" + text, nil), (nil, ["X-A": "1" + text]), (nil, ["X-A" + text: "1"])]
            as [(String?, HTTPHeaders?)]
        {
            let form = MultipartFormData()
            if let mimeType { form.append(Data(), withName: "a", mimeType: mimeType) }
            if let headers { form.append(InputStream(data: Data()), withLength: 0, headers: headers) }
            #expect(Self.reason { try form.encode() } == .bodyPartHeaderInvalid)
        }
        let form = MultipartFormData(boundary: "b")
        form.append(Data(), withName: "a" + text, fileName: "b" + text)
        #expect(try Self.text(form).components(separatedBy: "\r\n").count == 6)
    }

    @Test(
        "A boundary has 1 to 70 of the characters of RFC 2046 section 5.1.1, and is quoted where it is no token",
        arguments: [
            ("simple", "simple"), (String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
            ("'()+_,-./:=?", "\"'()+_,-./:=?\""), ("a b", "\"a b\""), ("", nil), (String(repeating: "x", count: 71), nil), ("a ", nil),
            ("a\r\nb", nil), ("a\"b", nil), ("ä", nil), ("a;b", nil), ("a\\b", nil),
        ] as [(String, String?)])
    func boundaries(boundary: String, parameter: String?) throws {
        let form = MultipartFormData(boundary: boundary)
        #expect(form.boundary == boundary)
        guard let parameter else {
            #expect(Self.reason { try form.encode() } == .boundaryInvalid)
            #expect(Self.reason { try form.makeBody(threshold: 0) } == .boundaryInvalid)
            return
        }
        #expect(form.contentType == "multipart/form-data; boundary=\(parameter)")
        #expect(try Self.text(form) == "--\(boundary)--\r\n")
    }

    @Test("Random boundaries differ and are valid")
    func randomBoundaries() {
        let boundaries = (0..<100).map { _ in MultipartFormData().boundary }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.wholeMatch(of: /firewheel\.boundary\.[0-9a-f]{16}/) != nil })
    }

    @Test(
        "The media type is that of the extension, in any case",
        arguments: [
            ("a.png", "image/png"), ("a.PNG", "image/png"), ("a.tar.gz", "application/gzip"), ("a.json", "application/json"),
            ("a", "application/octet-stream"), ("a.unknown", "application/octet-stream"), (".png", "application/octet-stream"),
            ("a.", "application/octet-stream"),
        ])
    func mediaTypes(name: String, type: String) throws {
        let folder = try DownloadTests.Folder()
        let form = MultipartFormData(boundary: "b")
        form.append(try folder.file(name, holding: "x"), withName: "file")
        #expect(try Self.text(form).contains("filename=\"\(name)\"\r\nContent-Type: \(type)\r\n"))
    }

    @Test("The first error of a part is kept, and the form stays as it was")
    func firstError() throws {
        let folder = try DownloadTests.Folder()
        let form = MultipartFormData()
        form.append(Data("x".utf8), withName: "x")
        let length = form.contentLength
        form.append(folder.file("missing"), withName: "a")
        form.append(folder.url, withName: "b")
        #expect(form.contentLength == length)
        for _ in 0..<2 { #expect(Self.reason { try form.encode() } == .bodyPartFileNotReachable(at: folder.file("missing"))) }
        #expect(Self.reason { try form.writeEncodedData(to: folder.file("out")) } == .bodyPartFileNotReachable(at: folder.file("missing")))
        #expect(try folder.contents == [])
    }

    @Test("The error of a URL that is not that of a file has none of its secrets")
    func redacted() throws {
        let url = try #require(URL(string: "https://ada:secret@stub.test/a?token=secret#secret"))
        let plain = try #require(URL(string: "https://stub.test/a"))
        let form = MultipartFormData()
        form.append(url, withName: "a")
        #expect(Self.reason { try form.encode() } == .bodyPartURLInvalid(url: plain))
        #expect(Self.reason { try MultipartFormData().writeEncodedData(to: url) } == .outputStreamURLInvalid(url: plain))
        var text = ""
        dump(Result { try form.encode() }, to: &text)
        #expect(text.contains("stub.test") && !text.contains("secret") && !text.contains("ada"))
    }

    @Test("A URL without a file name needs fileName")
    func nameless() throws {
        let url = try #require(URL(string: "file:"))
        let form = MultipartFormData()
        form.append(url, withName: "a")
        #expect(Self.reason { try form.encode() } == .bodyPartFilenameInvalid(in: url))
    }

    @Test("A FIFO is an error when it is added, and does not wait for a writer")
    func fifo() throws {
        let folder = try DownloadTests.Folder()
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let form = MultipartFormData()
        form.append(pipe, withName: "a")
        #expect(Self.reason { try form.encode() } == .bodyPartFileSizeNotAvailable(at: pipe))
    }

    @Test("A form of more bytes than can be counted is an error", arguments: [UInt64.max, UInt64(Int64.max), UInt64(Int64.max) - 10])
    func endless(length: UInt64) {
        let form = MultipartFormData()
        form.append(InputStream(data: Data()), withLength: length, name: "a", fileName: "b", mimeType: "c/d")
        #expect(Self.reason { try form.makeBody(threshold: 0) } == .unexpectedInputStreamLength)
        // One that only claims to be long takes no memory.
        let claimed = MultipartFormData()
        claimed.append(InputStream(data: Data()), withLength: 1 << 60, name: "a", fileName: "b", mimeType: "c/d")
        #expect(Self.reason { try claimed.encode() } == .unexpectedInputStreamLength)
    }

    @Test("A form is written to a new file only, and none is left if that fails")
    func written() throws {
        let folder = try DownloadTests.Folder()
        let form = MultipartFormData()
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        form.append(content, withName: "data")
        form.append(try folder.file("a.txt", holding: "text"), withName: "file")
        try form.writeEncodedData(to: folder.file("out"))
        #expect(try Data(contentsOf: folder.file("out")) == form.encode())
        #expect(Self.reason { try form.writeEncodedData(to: folder.file("out")) } == .outputStreamFileAlreadyExists(at: folder.file("out")))
        #expect(Self.reason { try form.writeEncodedData(to: folder.file("no/out")) } == .outputStreamWriteFailed)
        _ = try folder.file("a.txt", holding: "more text")
        #expect(Self.reason { try form.writeEncodedData(to: folder.file("other")) } == .bodyPartFileChanged(at: folder.file("a.txt")))
        #expect(try folder.contents == ["a.txt", "out"])
    }

    @Test("Parts can be added on any thread")
    func concurrent() async throws {
        let form = MultipartFormData(boundary: "b")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { form.append(Data("\(number)".utf8), withName: "n") } }
        }
        let text = try Self.text(form)
        #expect(text.utf8.count == Int(form.contentLength) && text.components(separatedBy: "--b\r\n").count == 201)
    }
}
