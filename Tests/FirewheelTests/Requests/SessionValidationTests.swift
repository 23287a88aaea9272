import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Session validation")
struct SessionValidationTests {
    private static let url = "http://stub.test/"
    private static let standard = SessionConfiguration.with { $0.validation = .standard }

    private func kinds(
        _ status: Int, _ headers: HTTPHeaders = [:], accept: String? = nil, _ configuration: SessionConfiguration = standard,
        data: (DataRequest) -> DataRequest = { $0 }, download: (DownloadRequest) -> DownloadRequest = { $0 }
    ) async -> [FirewheelError.Kind?] {
        let session = session(answering: status, headers, body: "x", configuration: configuration)
        let own: HTTPHeaders? = accept.map { [.accept($0)] }
        return [
            kind(await data(session.request(Self.url, headers: own)).serializingData().response.error),
            kind(await download(session.download(Self.url, headers: own)).serializingDownloadedFileURL().response.error),
        ]
    }

    private static func refused(_ status: Int) -> [FirewheelError.Kind?] {
        Array(repeating: .responseValidationFailed(.unacceptableStatusCode(status)), count: 2)
    }
    private static let passed: [FirewheelError.Kind?] = [nil, nil]

    @Test(
        "With session validation .standard requests and downloads are validated like with validate()",
        arguments: [199, 200, 204, 299, 300, 404, 500])
    func status(status: Int) async {
        let expected = (200..<300).contains(status) ? Self.passed : Self.refused(status)
        #expect(await kinds(status) == expected)
        #expect(await kinds(status, .default, data: { $0.validate() }, download: { $0.validate() }) == expected)
        #expect(await kinds(status, [:], .default) == Self.passed)
        #expect(await kinds(status, [:], .with { $0.validation = .none }) == Self.passed)
    }

    @Test("With session validation .standard the media type must match Accept")
    func type() async {
        let unacceptable = FirewheelError.Kind.responseValidationFailed(
            .unacceptableContentType(acceptable: ["image/*"], received: "text/plain"))
        #expect(await kinds(200, ["Content-Type": "text/plain"], accept: "image/*") == [unacceptable, unacceptable])
        #expect(await kinds(200, ["Content-Type": "image/png"], accept: "image/*") == Self.passed)
        #expect(await kinds(200, ["Content-Type": "text/plain"]) == Self.passed)
    }

    @Test("Any validation of a request itself replaces the session's")
    func replaced() async {
        #expect(
            await kinds(404, data: { $0.validate(statusCode: [404]) }, download: { $0.validate(statusCode: [404]) }) == Self.passed)
        #expect(
            await kinds(404, data: { $0.validate(contentType: ["*/*"]) }, download: { $0.validate(contentType: ["*/*"]) }) == Self.passed)
        #expect(
            await kinds(404, data: { $0.validate { _, _, _ in } }, download: { $0.validate { _, _, _ in } }) == Self.passed)
        #expect(
            await kinds(
                404, data: { $0.validate { _, _, _ in Result<Void, any Error>.success(()) } },
                download: { $0.validate { _, _, _ in Result<Void, any Error>.success(()) } }) == Self.passed)
        #expect(
            await kinds(200, data: { $0.validate(statusCode: [404]) }, download: { $0.validate(statusCode: [404]) }) == Self.refused(200))
    }

    @Test(".validate(.none) removes the session's validation, and keeps the request's own")
    func removed() async {
        #expect(await kinds(404, data: { $0.validate(.none) }, download: { $0.validate(.none) }) == Self.passed)
        #expect(
            await kinds(404, data: { $0.validate(.none).validate() }, download: { $0.validate(.none).validate() }) == Self.refused(404))
        #expect(
            await kinds(404, data: { $0.validate().validate(.none) }, download: { $0.validate().validate(.none) }) == Self.refused(404))
        #expect(await kinds(404, [:], .default, data: { $0.validate(.none) }, download: { $0.validate(.none) }) == Self.passed)
    }

    @Test(".validate(.standard) validates like validate()")
    func named() async {
        for configuration in [Self.standard, .default] {
            #expect(
                await kinds(404, [:], configuration, data: { $0.validate(.standard) }, download: { $0.validate(.standard) })
                    == Self.refused(404))
            #expect(
                await kinds(
                    404, [:], configuration, data: { $0.validate(statusCode: [404]).validate(.standard) },
                    download: { $0.validate(statusCode: [404]).validate(.standard) }) == Self.refused(404))
        }
    }

    @Test("All of a request's own validations run once each, in order")
    func severalOwn() async {
        let calls = Journal<Int>()
        let session = session(answering: 404, body: "x", configuration: Self.standard)
        let response = await session.request(Self.url)
            .validate { _, _, _ in calls.add(1) }.validate { _, _, _ in calls.add(2) }.validate(statusCode: [200]).validate { _, _, _ in
                calls.add(3)
            }
            .serializingData().response
        #expect(calls.entries == [1, 2] && kind(response.error) == .responseValidationFailed(.unacceptableStatusCode(404)))
    }

    @Test("A download refused by the session's validation is not placed, and the error has the body")
    func destination() async throws {
        let session = session(answering: 404, body: "not here", configuration: Self.standard)
        let calls = Journal<Int>()
        let destination: DownloadRequest.Destination = { temporary, _ in
            calls.add(1)
            return (temporary, [])
        }
        let response = await session.download(Self.url, to: destination).serializingDownloadedFileURL().response
        #expect(response.error?.asFirewheelError?.responseData == Data("not here".utf8) && calls.count == 0 && response.fileURL == nil)
    }

    private final class Counting: RequestInterceptor {
        let calls = Journal<FirewheelError.Kind?>()

        func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
            calls.add(kind(error))
            return request.retryCount == 0 ? .retry : .doNotRetry
        }
    }

    @Test("The session's validation checks each attempt, and retriers are asked about its errors")
    func retried() async {
        let interceptor = Counting()
        let session = session(answering: 503, body: "x", configuration: Self.standard)
        let response = await session.request(Self.url, interceptor: interceptor).serializingData().response
        let refused = FirewheelError.Kind.responseValidationFailed(.unacceptableStatusCode(503))
        #expect(interceptor.calls.entries == [refused, refused] && kind(response.error) == refused)
    }
}
