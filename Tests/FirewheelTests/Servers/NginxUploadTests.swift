import Firewheel
import Foundation
import Testing

/// Uploads of every kind, counted by a server that is not ours.
@Suite("nginx: uploads", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxUploadTests {
    @Test("Data, files, streams and sequences arrive completely", arguments: UploadKind.allCases, TestServer.everyProtocol)
    func bodies(_ kind: UploadKind, server: TestServer) async throws {
        let folder = try DownloadTests.Folder()
        let session = try server.session()
        for size in [0, 1, 3_000_001] {
            let upload = try kind.upload(UploadKind.pattern(size), to: server.url("/echo-body"), in: session, folder: folder, method: .put)
            let text = try await upload.serializingString().value
            #expect(text.hasPrefix("PUT \(size) "), "\(kind), \(size): \(text)")
        }
        withExtendedLifetime(session) {}
    }

    @Test(
        "Forms arrive with their length, in memory and read from their parts", arguments: [0, UInt64.max], TestServer.everyProtocol)
    func forms(threshold: UInt64, server: TestServer) async throws {
        let folder = try DownloadTests.Folder()
        let file = folder.file("photo.png")
        try UploadKind.pattern(2_000_000).write(to: file)
        let session = try server.session()
        let form = MultipartFormData()
        form.append(Data("Ada".utf8), withName: "author")
        form.append(file, withName: "photo")
        let length = form.contentLength
        let text = try await session.upload(multipartFormData: form, to: server.url("/echo-body"), usingThreshold: threshold)
            .serializingString().value
        #expect(text == "POST \(length) \(form.contentType)")
        withExtendedLifetime(session) {}
    }
}
