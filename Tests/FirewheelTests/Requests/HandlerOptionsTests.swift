import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The options of handlers and tasks, with Alamofire's names and defaults.
@Suite("Options of response handlers")
struct HandlerOptionsTests {
    private let url = "http://stub.test/"
    private let guarded = Data(")]}',\n[1]".utf8)

    @Test("Every handler on a queue takes a preprocessor and the rules for empty bodies")
    func dataOnQueue() async throws {
        let session = session(["Content-Type": "text/plain; charset=utf-8"], data: guarded)
        let queue = DispatchQueue(label: "test.handlers")
        let values = Journal<String>()
        session.request(url)
            .responseData(queue: queue, dataPreprocessor: .googleXSSI) { values.add("\($0.value?.count ?? -1)") }
            .responseString(queue: queue, dataPreprocessor: .googleXSSI, encoding: .utf8) { values.add($0.value ?? "") }
            .responseJSON(queue: queue, dataPreprocessor: .googleXSSI, options: []) { values.add("\($0.value as? [Int] ?? [])") }
            .responseDecodable(queue: queue, of: [Int].self, dataPreprocessor: .googleXSSI) { values.add("\($0.value ?? [])") }
            .responseDecodable(of: [Int].self, queue: queue, dataPreprocessor: .googleXSSI, decoder: JSONDecoder()) {
                values.add("\($0.value ?? [])")
            }
            .responseDecodable(queue: queue, dataPreprocessor: .googleXSSI) { (response: DataResponse<[Int]>) in
                values.add("\(response.value ?? [])")
            }
        #expect(try await values.wait(for: 6) == ["3", "[1]", "[1]", "[1]", "[1]", "[1]"])
        let empty = emptySession()
        empty.request(url)
            .responseData(queue: queue, emptyResponseCodes: [200]) { values.add("\($0.value?.count ?? -1)") }
            .responseString(queue: queue, emptyRequestMethods: [.get]) { values.add($0.value ?? "none") }
            .responseJSON(queue: queue, emptyResponseCodes: [200]) { values.add("\($0.value is NSNull)") }
            .responsePropertyList(queue: queue, emptyRequestMethods: [.get]) { values.add("\($0.value is NSNull)") }
            .responseDecodable(queue: queue, of: Empty.self, emptyResponseCodes: [200]) { values.add("\($0.value == .value)") }
        #expect(try await values.wait(for: 11).suffix(5) == ["0", "", "true", "true", "true"])
        withExtendedLifetime((session, empty)) {}
    }

    private func emptySession() -> Session { session(body: nil) }

    @Test("Every handler on the main actor takes a preprocessor, and may change main-actor state") @MainActor
    func onMainActor() async throws {
        let session = session(data: guarded)
        var seen: [String] = []
        let done = Journal<Bool>()
        session.request(url)
            .responseData(dataPreprocessor: .googleXSSI) { seen.append("\($0.value?.count ?? -1)") }
            .responseString(dataPreprocessor: .googleXSSI) { seen.append($0.value ?? "") }
            .responseJSON(dataPreprocessor: .googleXSSI) { seen.append("\($0.value as? [Int] ?? [])") }
            .responsePropertyList(dataPreprocessor: .googleXSSI) { seen.append("\($0.value != nil)") }
            .responseDecodable(of: [Int].self, dataPreprocessor: .googleXSSI) { response in
                seen.append("\(response.value ?? [])")
                done.add(true)
            }
        _ = try await done.wait(for: 1)
        #expect(seen.count == 5 && seen.prefix(3) == ["3", "[1]", "[1]"] && seen.last == "[1]")
        withExtendedLifetime(session) {}
    }

    @Test("Every DataTask takes a preprocessor and the rules for empty bodies")
    func dataTasks() async throws {
        let session = session(data: guarded)
        func request() -> DataRequest { session.request(url) }
        #expect(try await request().serializingData(dataPreprocessor: .googleXSSI).value.count == 3)
        #expect(try await request().serializingString(dataPreprocessor: .googleXSSI, encoding: .ascii).value == "[1]")
        #expect(try await request().serializingJSON(dataPreprocessor: .googleXSSI).value == [1])
        #expect(try await request().serializingDecodable([Int].self, dataPreprocessor: .googleXSSI).value == [1])
        let json = await request().serializingJSON().result
        #expect(kind(json) == .responseSerializationFailed(.jsonSerializationFailed))
        let empty = emptySession()
        #expect(try await empty.request(url).serializingData(emptyResponseCodes: [200]).value.isEmpty)
        #expect(try await empty.request(url).serializingString(emptyRequestMethods: [.get]).value == "")
        #expect(try await empty.request(url).serializingJSON(emptyResponseCodes: [200]).value == JSONValue.null)
        #expect(try await empty.request(url).serializingDecodable(Empty.self, emptyResponseCodes: [200]).value == .value)
        #expect(kind(await empty.request(url).serializingJSON().result) == .noBody)
        withExtendedLifetime((session, empty)) {}
    }

    @Test("Every DownloadTask and download handler takes a preprocessor and the rules for empty bodies")
    func downloads() async throws {
        let session = session(data: guarded)
        func check<Value: Equatable>(_ task: DownloadTask<Value>, _ expected: Value) async throws {
            let response = await task.response
            #expect(response.value == expected)
            try FileManager.default.removeItem(at: try #require(response.fileURL))
        }
        func request() -> DownloadRequest { session.download(url) }
        try await check(request().serializingData(dataPreprocessor: .googleXSSI), Data("[1]".utf8))
        try await check(request().serializingString(dataPreprocessor: .googleXSSI, encoding: .ascii), "[1]")
        try await check(request().serializingJSON(dataPreprocessor: .googleXSSI), [1])
        try await check(request().serializingDecodable([Int].self, dataPreprocessor: .googleXSSI), [1])
        let queue = DispatchQueue(label: "test.handlers")
        let values = Journal<String>()
        let files = Journal<URL?>()
        request()
            .responseData(queue: queue, dataPreprocessor: .googleXSSI) { values.add("\($0.value?.count ?? -1)") }
            .responseString(queue: queue, dataPreprocessor: .googleXSSI) { values.add($0.value ?? "") }
            .responseJSON(queue: queue, dataPreprocessor: .googleXSSI) { values.add("\($0.value as? [Int] ?? [])") }
            .responsePropertyList(queue: queue, dataPreprocessor: .googleXSSI) { values.add("\($0.error == nil)") }
            .responseDecodable(of: [Int].self, queue: queue, dataPreprocessor: .googleXSSI) { response in
                values.add("\(response.value ?? [])")
                files.add(response.fileURL)
            }
        let file = try await files.wait(for: 1)
        #expect(values.count == 5 && values.entries.prefix(3) == ["3", "[1]", "[1]"] && values.entries.last == "[1]")
        try FileManager.default.removeItem(at: try #require(file.first ?? nil))
        withExtendedLifetime(session) {}
    }

    @Test("A serializer runs once for each handler, in the order of the handlers")
    func onceEach() async throws {
        let session = session(body: "x")
        let calls = Journal<Int>()
        func serializer(_ number: Int) -> DataResponseSerializer<Int> {
            DataResponseSerializer { _, _, _, _ in
                calls.add(number)
                return .success(number)
            }
        }
        let values = Journal<Int?>()
        let request = session.request(url)
        let queue = DispatchQueue(label: "test.handlers")
        for number in 0..<20 { request.response(queue: queue, responseSerializer: serializer(number)) { values.add($0.value) } }
        #expect(try await values.wait(for: 20) == Array(0..<20))
        #expect(calls.entries == Array(0..<20))
        withExtendedLifetime(session) {}
    }
}
