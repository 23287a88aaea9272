import Firewheel
import Foundation
import Testing

/// Downloads have the same handlers and tasks as data requests, and read the file.
@Suite("Serialized values of downloads")
struct DownloadSerializationTests {
    private let url = "http://stub.test/"
    private let json: HTTPHeaders = ["Content-Type": "application/json; charset=utf-8"]

    @Test("One download serves every kind of response handler")
    func handlers() async throws {
        let session = session(json, body: "[1,2]")
        let queue = DispatchQueue(label: "test.handlers")
        let values = Journal<String>()
        let files = Journal<URL?>()
        session.download(url)
            .response(queue: queue) { files.add($0.value ?? nil) }
            .responseURL(queue: queue) { files.add($0.value) }
            .responseData(queue: queue) { values.add("\($0.value?.count ?? -1)") }
            .responseString(queue: queue) { values.add($0.value ?? "") }
            .responseJSON(queue: queue) { values.add("\(($0.value as? [Int]) ?? [])") }
            .responseDecodable(queue: queue, of: [Int].self) { values.add("\($0.value ?? [])") }
            .response(queue: queue, responseSerializer: DownloadResponseSerializer(.string(encoding: .utf8))) { values.add($0.value ?? "") }
        #expect(try await values.wait(for: 5) == ["5", "[1,2]", "[1, 2]", "[1, 2]", "[1,2]"])
        let file = try #require(files.entries.first ?? nil)
        #expect(files.entries == [file, file])
        try FileManager.default.removeItem(at: file)
        withExtendedLifetime(session) {}
    }

    @Test("Downloads accept the built-in serializers with a leading dot")
    func leadingDot() async throws {
        let session = session(json, body: "[1]")
        let queue = DispatchQueue(label: "test.handlers")
        let values = Journal<String>()
        let request = session.download(url)
            .response(queue: queue, responseSerializer: .data) { values.add("\($0.value?.count ?? -1)") }
            .response(queue: queue, responseSerializer: .data(dataPreprocessor: .googleXSSI)) { values.add("\($0.value?.count ?? -1)") }
            .response(queue: queue, responseSerializer: .string) { values.add($0.value ?? "") }
            .response(queue: queue, responseSerializer: .string(encoding: .utf16LittleEndian)) { values.add("\($0.value == nil)") }
            .response(queue: queue, responseSerializer: .json) { values.add("\(($0.value as? [Int]) ?? [])") }
            .response(queue: queue, responseSerializer: .json(options: [])) { values.add("\(($0.value as? [Int]) ?? [])") }
            .response(queue: queue, responseSerializer: .jsonValue()) { values.add("\($0.value ?? nil)") }
            .response(queue: queue, responseSerializer: .decodable(of: [Int].self)) { values.add("\($0.value ?? [])") }
            .response(queue: queue, responseSerializer: .propertyList()) { values.add("\($0.value == nil)") }
            .response(queue: queue, responseSerializer: .compound([.propertyList(), .json()])) {
                values.add("\(($0.value as? [Int]) ?? [])")
            }
            .response(queue: queue, responseSerializer: DownloadResponseSerializer(.data)) { values.add("\($0.value?.count ?? -1)") }
        #expect(
            try await values.wait(for: 11) == ["3", "3", "[1]", "true", "[1]", "[1]", "[1]", "[1]", "true", "[1]", "3"])
        let response = await request.serializingDownload(using: .decodable(of: [Int].self)).response
        #expect(response.value == [1])
        try FileManager.default.removeItem(at: try #require(response.fileURL))
        withExtendedLifetime(session) {}
    }

    @Test("Every kind of DownloadTask gives its value")
    func tasks() async throws {
        let session = session(json, body: "[3]")
        func check<Value>(_ task: DownloadTask<Value>) async throws -> Value {
            let response = await task.response
            try FileManager.default.removeItem(at: try #require(response.fileURL))
            #expect(response.statusCode == 200 && response.headers["content-type"] == json["Content-Type"])
            return try response.result.get()
        }
        #expect(try await check(session.download(url).serializingDownloadedFileURL()).lastPathComponent.hasPrefix("Firewheel_"))
        #expect(try await check(session.download(url).serializingData()) == Data("[3]".utf8))
        #expect(try await check(session.download(url).serializingString()) == "[3]")
        #expect(try await check(session.download(url).serializingDecodable([Int].self)) == [3])
        withExtendedLifetime(session) {}
    }

    @Test("Invalid content gives the same error for a download as for a data request")
    func errors() async throws {
        let session = session(json, data: Data([0xFF, 0xFE]))
        func check<Value>(_ task: DownloadTask<Value>, _ expected: FirewheelError.ResponseSerializationFailureReason) async throws {
            let response = await task.response
            #expect(kind(response.error) == .responseSerializationFailed(expected))
            try response.fileURL.map { try FileManager.default.removeItem(at: $0) }
        }
        try await check(session.download(url).serializingString(), .stringSerializationFailed(.utf8))
        try await check(session.download(url).serializingDecodable([Int].self), .decodingFailed)
        let empty = SerializerFixture.empty
        try await check(empty.download(url).serializingData(), .inputDataNilOrZeroLength)
        withExtendedLifetime((session, empty)) {}
    }

    private enum SerializerFixture {
        static var empty: Session { session(body: nil) }
    }

    @Test("A custom download serializer gets the file, and the built-in ones fail without a file")
    func closure() async throws {
        let session = session(body: "content")
        let size = DownloadResponseSerializer<Int> { request, response, url, error in
            guard let url, request != nil, response?.statusCode == 200, error == nil else { return .failure(error ?? SomeError()) }
            return Result { try Data(contentsOf: url).count }
        }
        let response = await session.download(url).serializingDownload(using: size).response
        #expect(response.value == 7)
        let file = try #require(response.fileURL)
        let response404 = await session.download("no URL").serializingDownload(using: size).response
        #expect(kind(response404.error) == .invalidURL)
        let none = DownloadResponseSerializer<Data>(.data).serializeDownloadResponse(nil, nil, nil, nil)
        #expect(kind(none) == .responseSerializationFailed(.inputFileNil))
        try FileManager.default.removeItem(at: file)
        let gone = DownloadResponseSerializer<Data>(.data).serializeDownloadResponse(response.request, response.response, file, nil)
        #expect(kind(gone) == .responseSerializationFailed(.inputFileReadFailed))
        withExtendedLifetime(session) {}
    }
}
