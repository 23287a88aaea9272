import Foundation

@testable import Firewheel
@testable import FirewheelTesting

extension ErrorTable {
    /// A download whose destination cannot be written, in a folder that the closure prepares.
    private static func download(
        _ name: String, at path: String = "report.pdf", _ options: DownloadRequest.Options = [],
        _ prepare: @escaping @Sendable (DownloadTests.Folder) throws -> Void = { _ in }
    ) -> Failure {
        Failure(name) {
            let folder = try DownloadTests.Folder()
            defer { withExtendedLifetime(folder) {} }
            try prepare(folder)
            let destination = folder.file(path)
            let session = Session(transport: StubTransport.answering("x"))
            defer { withExtendedLifetime(session) {} }
            return await session.download(url, to: { _, _ in (destination, options) }).serializingDownloadedFileURL().response.error
        }
    }

    /// Files of downloads.
    static let files: [Failure] = [
        download("The destination's folder is not there", at: "nowhere/report.pdf"),
        download("A file is at the destination") { _ = try $0.file("report.pdf", holding: "here") },
        download("A folder is at the destination") {
            try FileManager.default.createDirectory(at: $0.file("report.pdf"), withIntermediateDirectories: false)
        },
        download("A part of the destination's path is a file", at: "file/report.pdf") { _ = try $0.file("file", holding: "here") },
        download("A part of the path is a file, and folders are to be created", at: "file/report.pdf", .createIntermediateDirectories) {
            _ = try $0.file("file", holding: "here")
        },
        Failure("The disk of the temporary folder is full") {
            // `/dev/full` is the only system file that behaves like a full disk.
            guard let full = FileHandle(forWritingAtPath: "/dev/full") else { throw CocoaError(.fileReadUnknown) }
            let failure = Result { try full.write(contentsOf: Data("x".utf8)) }.failure
            let error = TemporaryFolder(nil).failure(failure ?? CocoaError(.fileReadUnknown))
            return error.adding(request: try URLRequest(url: url, method: .get))
        },
        Failure("A resumed download is answered with neither the file nor the rest of it") {
            let stub = StubTransport { request in
                if request.headers.contains(name: "Range") { return .text("gone", status: 404) }
                let head = ResponseHead(statusCode: 200, headers: ["ETag": "\"1\"", "Content-Length": "10"])
                return [.response(head), .chunk(Data("hello".utf8)), .fail(.failed(.networkConnectionLost, "lost"))]
            }
            let folder = try DownloadTests.Folder()
            var configuration = SessionConfiguration()
            configuration.temporaryDirectory = folder.url
            let session = Session(configuration: configuration, transport: stub)
            defer { withExtendedLifetime((session, folder)) {} }
            guard let data = await session.download(url).serializingData().response.resumeData else { throw CocoaError(.fileReadUnknown) }
            return await session.download(resumingWith: data).serializingData().response.error
        },
        Failure("Resume data is another program's, or was changed") { Result { try ResumeData(Data("{".utf8)) }.failure },
        Failure("The temporary folder is not there") {
            var configuration = SessionConfiguration()
            configuration.temporaryDirectory = URL(fileURLWithPath: "/nowhere", isDirectory: true)
            let session = Session(configuration: configuration, transport: StubTransport.answering("x"))
            defer { withExtendedLifetime(session) {} }
            return await session.download(url).serializingData().response.error
        },
    ]

    /// Directories of caches.
    static let cacheDirectories: [Failure] = [
        Failure("A cache's directory cannot be created") {
            Result { try HTTPCache(directory: URL(fileURLWithPath: "/dev/null/cache", isDirectory: true)) }.failure
        },
        Failure("A cache's directory is not that of a file system") {
            guard let url = URL(string: "https://cache.test/") else { return nil }
            return Result { try HTTPCache(directory: url) }.failure
        },
    ]

    /// Files of cookie jars.
    static let cookieFiles: [Failure] = [
        Failure("A jar's file is a folder, a link, or cannot be read") {
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
}
