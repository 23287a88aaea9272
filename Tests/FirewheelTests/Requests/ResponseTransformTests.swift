import Firewheel
import Foundation
import Testing

@Suite("Transformed responses")
struct ResponseTransformTests {
    private let url = "http://stub.test/a"

    @Test("map transforms a response's value and keeps all else")
    func map() async throws {
        let session = session(answering: 201, ["X-A": "1"], body: "12")
        let response = await session.request(url).serializingString().response
        let mapped = response.map { Int($0) }
        #expect(mapped.value == 12 && response.value == "12")
        #expect(mapped.request == response.request && mapped.response === response.response && mapped.data == Data("12".utf8))
        #expect(mapped.timeline == response.timeline && mapped.metrics?.taskInterval == response.metrics?.taskInterval)
        #expect(mapped.statusCode == 201 && mapped.headers == response.headers)
        let download = await session.download(url).serializingString().response
        let counted = download.map(\.count)
        let file = try #require(counted.fileURL)
        #expect(counted.value == 2 && file == download.fileURL && counted.timeline == download.timeline)
        #expect(counted.response === download.response && counted.request == download.request && counted.statusCode == 201)
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }

    private func data(_ result: Result<Int, any Error>) -> DataResponse<Int> {
        DataResponse(request: nil, response: nil, data: nil, result: result)
    }

    private func download(_ result: Result<Int, any Error>) -> DownloadResponse<Int> {
        DownloadResponse(request: nil, response: nil, result: result)
    }

    @Test("An error thrown in tryMap becomes the response's failure")
    func tryMap() {
        #expect(data(.success(1)).tryMap { "\($0)" }.value == "1" && download(.success(1)).tryMap { "\($0)" }.value == "1")
        func fail(_ value: Int) throws -> String { throw SomeError(number: value) }
        #expect(data(.success(3)).tryMap(fail).error as? SomeError == SomeError(number: 3))
        #expect(download(.success(3)).tryMap(fail).error as? SomeError == SomeError(number: 3))
    }

    @Test("map does not touch a failure, and mapError does not touch a value")
    func untouched() {
        let failure = Result<Int, any Error>.failure(SomeError(number: 5))
        func never<Argument, Value>(_ argument: Argument) -> Value? {
            Issue.record("called with \(argument)")
            return nil
        }
        #expect(data(failure).map { never($0) as Int? }.error as? SomeError == SomeError(number: 5))
        #expect(data(failure).tryMap { never($0) as Int? }.error as? SomeError == SomeError(number: 5))
        #expect(download(failure).map { never($0) as Int? }.error as? SomeError == SomeError(number: 5))
        #expect(download(failure).tryMap { never($0) as Int? }.error as? SomeError == SomeError(number: 5))
        #expect(data(.success(1)).mapError { never($0) ?? $0 }.value == 1)
        #expect(data(.success(1)).tryMapError { never($0) ?? $0 }.value == 1)
        #expect(download(.success(1)).mapError { never($0) ?? $0 }.value == 1)
        #expect(download(.success(1)).tryMapError { never($0) ?? $0 }.value == 1)
    }

    @Test("mapError and tryMapError transform a response's error, and a thrown error replaces it")
    func errors() {
        func next(_ error: any Error) -> any Error { SomeError(number: ((error as? SomeError)?.number ?? 0) + 1) }
        func fail(_ error: any Error) throws -> any Error { throw next(error) }
        let failure = Result<Int, any Error>.failure(SomeError(number: 5))
        #expect(data(failure).mapError(next).error as? SomeError == SomeError(number: 6))
        #expect(data(failure).tryMapError(next).error as? SomeError == SomeError(number: 6))
        #expect(data(failure).tryMapError(fail).error as? SomeError == SomeError(number: 6))
        #expect(download(failure).mapError(next).error as? SomeError == SomeError(number: 6))
        #expect(download(failure).tryMapError(next).error as? SomeError == SomeError(number: 6))
        #expect(download(failure).tryMapError(fail).error as? SomeError == SomeError(number: 6))
    }
}
