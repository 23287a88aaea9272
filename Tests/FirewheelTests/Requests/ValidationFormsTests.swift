import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The forms of validations, and when they are evaluated.
@Suite("Forms of validation")
struct ValidationFormsTests {
    private let url = "http://stub.test/"

    /// The compiler has to select the form of a closure without a type, so compiling is part of the test.
    @Test("Validation closures may have one or several statements, return or throw, on data requests and downloads")
    func closures() async throws {
        let calls = Journal<Int>()
        @Sendable func note(_ number: Int) { calls.add(number) }
        @Sendable func check(_ status: Int) throws { if status == 299 { throw SomeError(number: 1) } }
        @Sendable func judge(_ status: Int) -> Request.ValidationResult { status == 299 ? .failure(SomeError(number: 2)) : .success(()) }
        let session = session(answering: 200, body: "x")
        let result = await session.request(url)
            .validate { _, _, _ in note(1) }
            .validate { _, _, _ in
                note(2)
                note(3)
            }
            .validate { _, response, _ in try check(response.statusCode) }
            .validate { _, response, _ in
                note(4)
                try check(response.statusCode)
            }
            .validate { _, response, _ in judge(response.statusCode) }
            .validate { _, response, _ in
                note(5)
                return judge(response.statusCode)
            }
            .validate { _, response, data in
                guard data?.count == 1 else { throw SomeError(number: 3) }
                if response.statusCode == 201 { return }
                note(6)
            }
            .validate { _, response, _ in Result { try check(response.statusCode) } }
            .validate { _, response, _ in
                switch response.statusCode {
                case 200: return .failure(SomeError(number: 4))
                default: return .success(())
                }
            }
            .validate { _, _, _ in
                note(7)
                throw SomeError(number: 5)
            }
            .serializingData().result
        #expect(calls.entries == [1, 2, 3, 4, 5, 6])
        #expect(throws: FirewheelError.self) { try result.get() }
        let download = await session.download(url)
            .validate { _, _, file in
                note(file == nil ? 9 : 8)
                note(8)
            }
            .validate { _, _, _ in
                note(8)
                throw SomeError(number: 6)
            }
            .serializingDownloadedFileURL().result
        let error = try #require(throws: FirewheelError.self) { try download.get() }
        #expect(error.underlyingError as? SomeError == SomeError(number: 6) && calls.entries.suffix(3) == [8, 8, 8])
        withExtendedLifetime(session) {}
    }

    @Test("Acceptable content types may be any sequence of strings, and are evaluated when the response is validated")
    func lazyTypes() async throws {
        let types = Journal<String>()
        let session = session(["Content-Type": "image/png"], body: "x")
        let request = session.request(url).suspend().validate(contentType: types.entries)
        let task = request.serializingData()
        types.add("text/plain")
        types.add("image/*")
        request.resume()
        #expect(await task.response.error == nil)
        let set: Set<String> = ["text/plain"]
        #expect(await session.request(url).validate(contentType: set).serializingData().response.error != nil)
        #expect(
            await session.request(url).validate(contentType: ["a/b", "image/png"].lazy.map { $0 }).serializingData().response.error == nil)
        withExtendedLifetime(session) {}
    }

    @Test("A downloaded file removed by one validation is an error of the next one that reads its size")
    func removedFile() async throws {
        let session = session(["Content-Type": "image/png"], body: "x")
        let files = Journal<URL>()
        let response = await session.download(url)
            .validate { _, _, file in
                guard let file else { return }
                files.add(file)
                try FileManager.default.removeItem(at: file)
            }
            .validate(contentType: ["image/png"])
            .serializingDownloadedFileURL().response
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .responseValidationFailed(.dataFileReadFailed(at: try #require(files.entries.first))))
        #expect(error.underlyingError != nil && error.description.contains("cannot read"))
        withExtendedLifetime(session) {}
    }

    @Test("Media types are compared without case, spaces and parameters, and malformed ones never match")
    func mediaTypes() async throws {
        for (received, acceptable, isFine) in [
            (" text/plain ;charset=utf-8", "TEXT/PLAIN", true), ("text/plain", " text/* ; q=0.1", true), ("text/plain", "*/*;q=0.1", true),
            ("text/plain/x", "text/plain", false), ("text", "text", false), ("text/", "text/*", false), ("/plain", "*/plain", false),
            ("text/plain/x", "*/*", true), ("", "*/*", true), ("text/plain", "*", false), ("text/plain", "text*/plain", false),
        ] {
            let session = session(["Content-Type": received], body: "x")
            let error = await session.request(url).validate(contentType: [acceptable]).serializingData().response.error
            #expect((error == nil) == isFine, "\(received) for \(acceptable)")
            withExtendedLifetime(session) {}
        }
    }
}
