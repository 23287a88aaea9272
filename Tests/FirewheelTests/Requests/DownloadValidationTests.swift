import Firewheel
import Foundation
import Testing

/// `validate` on downloads follows the same rules, with the file in place of the body. A refused file never reaches its destination.
@Suite("Validation of downloads")
struct DownloadValidationTests {
    private let url = "http://stub.test/"

    /// The error of a download that must leave no file.
    private func refusal(
        of session: Session, _ validate: (DownloadRequest) -> DownloadRequest
    ) async throws -> FirewheelError? {
        defer { withExtendedLifetime(session) {} }
        let response = await validate(session.download(url)).serializingDownloadedFileURL().response
        if response.error == nil { try FileManager.default.removeItem(at: try #require(response.value)) }
        if response.error != nil { #expect(response.fileURL == nil && response.temporaryURL == nil) }
        return response.error as? FirewheelError
    }

    @Test("validate() on a download accepts 200 to 299 and the types of its Accept field")
    func standard() async throws {
        #expect(try await refusal(of: session(answering: 204)) { $0.validate() } == nil)
        #expect(try await refusal(of: session(answering: 404, body: "x")) { $0 } == nil)
        let error = try await refusal(of: session(answering: 404, body: "gone")) { $0.validate() }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(404)))
        #expect(error?.responseData == Data("gone".utf8) && error?.responseCode == 404)
    }

    @Test("Content type validation of a download uses the file's size to see whether there is a body")
    func contentTypes() async throws {
        let png: HTTPHeaders = ["Content-Type": "image/png"]
        #expect(try await refusal(of: session(png, body: "x")) { $0.validate(contentType: ["image/*"]) } == nil)
        #expect(try await refusal(of: session(png, body: nil)) { $0.validate(contentType: ["text/plain"]) } == nil)
        let refused = try await refusal(of: session(png, body: "x")) { $0.validate(contentType: ["text/plain"]) }
        #expect(refused?.kind == .responseValidationFailed(.unacceptableContentType(acceptable: ["text/plain"], received: "image/png")))
        let missing = try await refusal(of: session(body: "x")) { $0.validate(contentType: ["text/plain"]) }
        #expect(missing?.kind == .responseValidationFailed(.missingContentType(acceptable: ["text/plain"])))
    }

    @Test("A validation closure of a download gets the temporary file, and its failure arrives with its error")
    func custom() async throws {
        let seen = Journal<String>()
        let session = session(body: "content")
        let error = try await refusal(of: session) { request in
            request.validate(statusCode: [200])
                .validate { _, response, url in
                    seen.add("\(response.statusCode) \(try String(contentsOf: try #require(url), encoding: .utf8))")
                }
                .validate { _, _, _ in .failure(SomeError(number: 8)) }
        }
        #expect(seen.entries == ["200 content"])
        #expect(error?.kind == .responseValidationFailed(.customValidationFailed))
        #expect(error?.underlyingError as? SomeError == SomeError(number: 8))
        #expect(error?.responseData == Data("content".utf8))
        let thrown = try await refusal(of: session) { $0.validate { _, _, _ in throw SomeError(number: 9) } }
        #expect(thrown?.underlyingError as? SomeError == SomeError(number: 9))
    }

    @Test("The error of a refused download carries at most a mebibyte of its body")
    func largeBody() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        let error = try await refusal(of: session(answering: 500, data: body)) { $0.validate() }
        #expect(error?.responseData == body.prefix(1 << 20))
    }

    /// The handler does not get the file, so it must not stay.
    @Test("A download cancelled by a validation closure never reaches its destination and leaves no file")
    func cancelledByValidation() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("t2-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appendingPathComponent("file")
        let temporary = Journal<URL?>()
        let done = Journal<DownloadResponse<URL>>()
        let session = session(body: "x")
        let request = session.download(url, to: { _, _ in (target, [.createIntermediateDirectories]) })
        request.validate { [unowned request] _, _, url in
            temporary.add(url)
            request.cancel()
            return .success(())
        }
        request.responseURL(queue: .global()) { done.add($0) }
        let response = try await done.wait(for: 1)[0]
        #expect(kind(response.error) == .explicitlyCancelled && response.fileURL == nil)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let left = try #require(temporary.entries.first ?? nil)
        #expect(!FileManager.default.fileExists(atPath: left.path))
        withExtendedLifetime((session, request)) {}
    }
}
