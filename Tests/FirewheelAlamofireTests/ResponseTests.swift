import FirewheelAlamofire
import Testing

@Suite("Responses in Alamofire's form")
struct ResponseTests {
    private struct Odd: Error {}

    private func response(_ result: AFResult<Int>) -> AFDataResponse<Int> {
        AFDataResponse(
            request: URLRequest(url: URL(string: "http://localhost/")!), response: nil, data: Data("x".utf8), metrics: nil,
            serializationDuration: 0.5, result: result)
    }

    @Test("A response is made of its parts")
    func parts() {
        let made = response(.success(1))
        #expect(made.request?.url?.host == "localhost" && made.data == Data("x".utf8) && made.serializationDuration == 0.5)
        #expect(made.value == 1 && made.error == nil && made.description == "success(1)")
        #expect(made.debugDescription.contains("GET http://localhost/"))
    }

    @Test("map, tryMap, mapError and tryMapError keep the parts")
    func transformations() {
        let good = response(.success(1))
        let bad = response(.failure(.explicitlyCancelled))
        #expect(good.map { $0 + 1 }.value == 2 && bad.map { $0 + 1 }.error?.isExplicitlyCancelledError == true)
        #expect(good.tryMap { _ in throw Odd() }.error is Odd && good.tryMap { $0 }.data == good.data)
        #expect(bad.mapError { _ in Odd() }.error != nil && good.mapError { _ in Odd() }.value == 1)
        #expect(bad.tryMapError { _ -> Odd in throw CancellationError() }.error is CancellationError)
        #expect(bad.tryMapError { _ in Odd() }.error is Odd)
    }

    @Test("The same for downloads")
    func downloads() {
        let url = URL(fileURLWithPath: "/tmp/file")
        let good = AFDownloadResponse<Int>(
            request: nil, response: nil, fileURL: url, resumeData: Data("r".utf8), metrics: nil, serializationDuration: 0.5,
            result: .success(1))
        #expect(good.fileURL == url && good.resumeData == Data("r".utf8) && good.serializationDuration == 0.5)
        #expect(good.map { $0 + 1 }.value == 2 && good.tryMap { _ in throw Odd() }.error is Odd)
        #expect(good.mapError { _ in Odd() }.fileURL == url && good.tryMapError { _ in Odd() }.resumeData == good.resumeData)
    }

    @Test("A response is Sendable if its value is")
    func sendable() {
        func takes<Value: Sendable>(_ value: Value) -> Bool { true }
        #expect(takes(response(.success(1))))
    }
}
