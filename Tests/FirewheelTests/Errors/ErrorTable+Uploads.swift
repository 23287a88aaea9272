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
}
