import Firewheel
import Foundation
import Testing

@Suite("Custom serializers")
struct CustomSerializerTests {
    private let url = "http://stub.test/a?b"

    @Test("A serializer closure gets request, response and body, and its return value is the result")
    func closure() async throws {
        let session = session(answering: 201, ["X-A": "1"], body: "1,2,3")
        let csv = DataResponseSerializer<[String]> { request, response, data, error in
            guard request?.url?.absoluteString == "http://stub.test/a?b", request?.value(forHTTPHeaderField: "X-Sent") == "yes",
                response?.statusCode == 201, response?.value(forHTTPHeaderField: "x-a") == "1", error == nil
            else { return .failure(SomeError()) }
            return .success(String(decoding: data ?? Data(), as: UTF8.self).components(separatedBy: ","))
        }
        let journal = Journal<[String]?>()
        session.request(url, headers: ["X-Sent": "yes"]).response(queue: .global(), responseSerializer: csv) { journal.add($0.value) }
        #expect(try await journal.wait(for: 1) == [["1", "2", "3"]])
        withExtendedLifetime(session) {}
    }

    @Test("A serializer closure gets an earlier error, and may return a value or an error of its own")
    func errors() async throws {
        let session = session(answering: 500, body: "broken")
        let forgiving = DataResponseSerializer<String> { _, response, data, error in
            let isExpected = kind(error) == .responseValidationFailed(.unacceptableStatusCode(500))
            return .success("\(isExpected) \(response?.statusCode ?? 0) \(data?.count ?? 0)")
        }
        let text = try await session.request(url).validate().serializingResponse(using: forgiving).value
        #expect(text == "true 500 6")
        let failing = DataResponseSerializer<String> { _, _, _, _ in .failure(SomeError(number: 3)) }
        await #expect(throws: SomeError(number: 3)) { try await session.request(url).serializingResponse(using: failing).value }
        withExtendedLifetime(session) {}
    }

    @Test("A serializer closure of a request that was never sent gets only the error")
    func neverSent() async throws {
        let session = session(body: "x")
        let serializer = DataResponseSerializer<Bool> { request, response, data, error in
            .success(request == nil && response == nil && data == nil && kind(error) == .invalidURL)
        }
        #expect(try await session.request("no URL").serializingResponse(using: serializer).value)
        withExtendedLifetime(session) {}
    }

    /// One method serves data requests and downloads.
    struct LineCounter: ResponseSerializer {

        func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Int {
            if let error { throw error }
            guard let data, !data.isEmpty else { throw SomeError(number: response?.statusCode ?? 0) }
            return data.split(separator: UInt8(ascii: "\n")).count
        }
    }

    @Test("A custom ResponseSerializer serves data requests and downloads, and its errors arrive unchanged")
    func type() async throws {
        let session = session(answering: 299, body: "a\nb\nc")
        #expect(try await session.request(url).serializingResponse(using: LineCounter()).value == 3)
        let response = await session.download(url).serializingDownload(using: LineCounter()).response
        #expect(response.value == 3)
        try FileManager.default.removeItem(at: try #require(response.fileURL))
        let journal = Journal<Int?>()
        session.request(url).response(queue: .global(), responseSerializer: LineCounter()) { journal.add($0.value) }
        #expect(try await journal.wait(for: 1) == [3])

        let empty = CustomSerializerTests.emptySession()
        await #expect(throws: SomeError(number: 299)) { try await empty.request(url).serializingResponse(using: LineCounter()).value }
        let failed = await empty.download(url).serializingDownload(using: LineCounter()).response
        #expect(failed.error as? SomeError == SomeError(number: 299))
        try failed.fileURL.map { try FileManager.default.removeItem(at: $0) }
        withExtendedLifetime((session, empty)) {}
    }

    /// Takes the size of the file and does not read it.
    struct FileSize: ResponseSerializer {
        func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Int {
            if let error { throw error }
            return -(data ?? Data()).count
        }

        func serializeDownload(request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?) throws -> Int {
            if let error { throw error }
            guard let fileURL else { throw SomeError(number: response?.statusCode ?? 0) }
            return try fileURL.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
    }

    @Test("A ResponseSerializer may have a method of its own for downloads, which gets the file or the error")
    func ownDownload() async throws {
        let session = session(answering: 299, body: "12345")
        #expect(try await session.request(url).serializingResponse(using: FileSize()).value == -5)
        let response = await session.download(url).serializingDownload(using: FileSize()).response
        #expect(response.value == 5)
        try FileManager.default.removeItem(at: try #require(response.fileURL))
        let journal = Journal<Int?>()
        session.download(url).response(queue: .global(), responseSerializer: FileSize()) { response in
            response.fileURL.map { try? FileManager.default.removeItem(at: $0) }
            journal.add(response.value)
        }
        #expect(try await journal.wait(for: 1) == [5])
        let refused = await session.download(url).validate(statusCode: [200]).serializingDownload(using: FileSize()).response
        #expect(kind(refused.error) == .responseValidationFailed(.unacceptableStatusCode(299)))
        withExtendedLifetime(session) {}
    }

    private static func emptySession() -> Session { session(answering: 299, body: nil) }

    @Test("The built-in serializers can be written with a leading dot or by their type")
    func leadingDot() async throws {
        let session = session(["Content-Type": "application/json; charset=utf-8"], body: "[1]")
        let queue = DispatchQueue(label: "test.handlers")
        let journal = Journal<String>()
        session.request(url)
            .response(queue: queue, responseSerializer: .data) { journal.add("\($0.value?.count ?? -1)") }
            .response(queue: queue, responseSerializer: .data(emptyResponseCodes: [])) { journal.add("\($0.value?.count ?? -1)") }
            .response(queue: queue, responseSerializer: .string()) { journal.add($0.value ?? "") }
            .response(queue: queue, responseSerializer: .string) { journal.add($0.value ?? "") }
            .response(queue: queue, responseSerializer: .string(encoding: .ascii)) { journal.add($0.value ?? "") }
            .response(queue: queue, responseSerializer: .json) { journal.add("\(($0.value as? [Int]) ?? [])") }
            .response(queue: queue, responseSerializer: .json()) { journal.add("\(($0.value as? [Int]) ?? [])") }
            .response(queue: queue, responseSerializer: .decodable(of: [Int].self)) { journal.add("\($0.value ?? [])") }
            .response(queue: queue, responseSerializer: DataResponseSerializer<Data>.data) { journal.add("\($0.value?.count ?? -1)") }
        #expect(try await journal.wait(for: 9) == ["3", "3", "[1]", "[1]", "[1]", "[1]", "[1]", "[1]", "3"])
        #expect(try await session.request(url).serializingResponse(using: .decodable(of: [Int].self)).value == [1])
        let download = await session.download(url).serializingDownload(using: .url).response
        try FileManager.default.removeItem(at: try #require(download.value))
        withExtendedLifetime(session) {}
    }

    /// A non-Sendable value is made once and handed over once.
    final class Box {
        var number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test("A custom serializer may return a value that is not Sendable") @MainActor
    func notSendable() async throws {
        let session = session(body: "x")
        let serializer = DataResponseSerializer<Box> { _, _, data, _ in .success(Box(data?.count ?? 0)) }
        let journal = Journal<Int>()
        var kept: Box?
        session.request(url).response(responseSerializer: serializer) { response in
            kept = response.value
            kept?.number += 1
            journal.add(kept?.number ?? 0)
        }
        session.request(url).response(queue: .global(), responseSerializer: serializer) { journal.add($0.value?.number ?? 0) }
        #expect(try await journal.wait(for: 2).sorted() == [1, 2])
        #expect(kept?.number == 2)
        withExtendedLifetime(session) {}
    }
}
