import FirewheelTesting
import Foundation

@testable import Firewheel

extension ErrorTable {
    /// The error of a body that is read to its end.
    private static func body(_ name: String, _ make: @escaping @Sendable (DownloadTests.Folder) throws -> any UploadBody) -> Failure {
        Failure(name) {
            let folder = try DownloadTests.Folder()
            defer { withExtendedLifetime(folder) {} }
            let body = try make(folder)
            _ = await DrainedBody.of(body)
            return body.failure
        }
    }

    /// Bodies of uploads.
    static let uploadBodies: [Failure] = [
        Failure("The file of an upload is a folder") {
            let folder = try DownloadTests.Folder()
            return Result { try UploadFile(folder.url) }.failure
        },
        body("The file of an upload is gone") { folder in
            let file = try folder.file("a", holding: "content")
            let body = try UploadFile(file)
            try FileManager.default.removeItem(at: file)
            return body
        },
        body("The file of an upload becomes longer meanwhile") { folder in
            let body = try UploadFile(folder.file("a", holding: "content"))
            _ = try folder.file("a", holding: "content and more")
            return body
        },
        body("The stream of an upload ends before its length") { _ in UploadStream(InputStream(data: Data("content".utf8)), length: 8) },
        body("The async sequence of an upload throws") { _ in
            UploadSequence(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: LockedKeyChain()) })
        },
        Failure("The stream of an upload would have to be sent again") {
            let body = UploadStream(InputStream(data: Data("content".utf8)))
            _ = await DrainedBody.of(body)
            _ = await DrainedBody.of(body)
            return body.failure
        },
    ]

    /// The error of a form that is encoded.
    private static func form(
        _ name: String, boundary: String? = nil, _ fill: @escaping @Sendable (MultipartFormData, DownloadTests.Folder) throws -> Void
    ) -> Failure {
        Failure(name) {
            let folder = try DownloadTests.Folder()
            defer { withExtendedLifetime(folder) {} }
            let form = MultipartFormData(boundary: boundary)
            try fill(form, folder)
            return Result { try form.encode() }.failure
        }
    }

    /// The error of a form that is written to a file.
    private static func written(_ name: String, to place: @escaping @Sendable (DownloadTests.Folder) throws -> URL) -> Failure {
        Failure(name) {
            let folder = try DownloadTests.Folder()
            defer { withExtendedLifetime(folder) {} }
            return Result { try MultipartFormData().writeEncodedData(to: try place(folder)) }.failure
        }
    }

    private static func webURL() throws -> URL { try "https://stub.test/a".asURL() }

    /// Multipart forms.
    static let forms: [Failure] = [
        form("The boundary of a form is not one", boundary: "a\r\nb") { _, _ in },
        form("The name of a part has a control character") { form, _ in form.append(Data(), withName: "a\0b") },
        form("A header field of a part has a line break") { form, _ in
            form.append(InputStream(data: Data()), withLength: 0, headers: ["X-A": "1\r\nX-B: 2"])
        },
        form("The URL of a part is not that of a file") { form, _ in form.append(try webURL(), withName: "a") },
        form("The file of a part has a control character in its name") { form, folder in
            form.append(try folder.file("a\u{1}b", holding: "content"), withName: "a")
        },
        form("The file of a part is not there") { form, folder in form.append(folder.file("missing"), withName: "a") },
        form("The file of a part is a folder") { form, folder in form.append(folder.url, withName: "a") },
        form("The file of a part is a device") { form, _ in form.append(URL(fileURLWithPath: "/dev/null"), withName: "a") },
        form("The file of a part changes") { form, folder in
            form.append(try folder.file("a", holding: "content"), withName: "a")
            _ = try folder.file("a", holding: "conten")
        },
        form("The stream of a part fails") { form, folder in
            guard let stream = InputStream(url: folder.file("missing")) else { return }
            form.append(stream, withLength: 7, name: "a", fileName: "b", mimeType: "text/plain")
        },
        form("The stream of a part does not have its length") { form, _ in
            form.append(InputStream(data: Data("content".utf8)), withLength: 8, name: "a", fileName: "b", mimeType: "text/plain")
        },
        form("A form is encoded again, and has a stream") { form, _ in
            form.append(InputStream(data: Data("content".utf8)), withLength: 7, name: "a", fileName: "b", mimeType: "text/plain")
            _ = try form.encode()
        },
        written("A form is to be written to what is not a file") { _ in try webURL() },
        written("A file is where a form is to be written") { try $0.file("a", holding: "here") },
        written("A form cannot be written") { $0.file("nowhere/a") },
    ]
}
