import FirewheelImage
import FirewheelTesting
import Foundation
import Testing

/// Images as the values of requests, over a real socket.
@Suite("Responses as images", .timeLimit(.minutes(5)))
struct ResponseImageTests {
    /// Runs a test with a server that answers every request with this.
    private func with(
        _ response: MockResponse, _ body: (Session, String) async throws -> Void
    ) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in response }
        let session = Session(configuration: .ephemeral)
        try await body(session, server.url("/image"))
        session.invalidate()
    }

    private static func png(status: Int = 200, type: String = "image/png") throws -> MockResponse {
        MockResponse(status: status, headers: ["Content-Type": type], body: try ImageFixtures.data("rgba8.png"))
    }

    @Test("serializingImage returns a decoded image of data requests and of downloads", .needsPNG)
    func awaited() async throws {
        try await with(Self.png()) { session, url in
            let image = try await session.request(url).validate().serializingImage(scale: 2).value
            let file = try await session.download(url).validate().serializingImage().value
            #expect(image.isDecoded && image.format == .png && image.scale == 2)
            #expect(image.size == CGSize(width: 6.5, height: 4.5))
            #expect(file.pixels == image.pixels && file.scale == 1)
            #expect(image.data == (try ImageFixtures.data("rgba8.png")))
        }
    }

    @Test("responseImage calls its handler on the main actor or on the queue")
    func handlers() async throws {
        try await with(Self.png()) { session, url in
            let queue = DispatchQueue(label: "images")
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            let sizes = await withCheckedContinuation { continuation in
                session.request(url).responseImage(pixelLimit: 0) { response in
                    MainActor.assertIsolated()
                    continuation.resume(returning: [response.value?.width, response.value?.height])
                }
            }
            let isOnQueue = await withCheckedContinuation { continuation in
                session.download(url).responseImage(queue: queue, pixelLimit: 0) { response in
                    continuation.resume(returning: response.value != nil && DispatchQueue.getSpecific(key: key) == true)
                }
            }
            let isOnMain = await withCheckedContinuation { continuation in
                session.download(url).responseImage(pixelLimit: 0) { response in
                    MainActor.assertIsolated()
                    continuation.resume(returning: response.value != nil)
                }
            }
            #expect(sizes == [13, 9] && isOnQueue && isOnMain)
        }
    }

    @Test("The handler's queue is free while the image is decoded", .needsPNG)
    func offQueue() async throws {
        try await with(Self.png()) { session, url in
            // A queue that is blocked until the serializer has run.
            let queue = DispatchQueue(label: "blocked")
            let decoded = DispatchSemaphore(value: 0)
            queue.async { decoded.wait() }
            let image = DataResponseSerializer<ResponseImage> { request, response, data, error in
                defer { decoded.signal() }
                let serializer: DataResponseSerializer<ResponseImage> = .image
                return serializer.serializeResponse(request, response, data, error)
            }
            let isDecoded = await withCheckedContinuation { continuation in
                session.request(url).response(queue: queue, responseSerializer: image) {
                    continuation.resume(returning: $0.value?.isDecoded)
                }
            }
            #expect(isDecoded == true)
        }
    }

    @Test("The media types of all formats pass validation, and another does not")
    func contentTypes() async throws {
        let formats = ["png", "jpeg", "gif", "tiff", "bmp", "x-icon", "vnd.microsoft.icon", "webp"]
        for type in formats {
            try await with(Self.png(type: "image/\(type)")) { session, url in
                let request = session.request(url).validate(contentType: ResponseImage.acceptableContentTypes)
                let image = try await request.serializingImage(pixelLimit: 0).value
                #expect(image.hasSize(13, 9))
            }
        }
        try await with(Self.png(type: "text/html")) { session, url in
            let request = session.request(url).validate(contentType: ResponseImage.acceptableContentTypes)
            let error = await request.serializingImage().response.error?.asFirewheelError
            #expect(error?.responseContentType == "text/html")
        }
    }

    @Test("A body that is no image is an error with request, response and body")
    func notAnImage() async throws {
        let page = Data("<html></html>".utf8)
        try await with(MockResponse(status: 200, headers: ["Content-Type": "text/html"], body: page)) { session, url in
            for error in [
                await session.request(url).serializingImage().response.error, await session.download(url).serializingImage().response.error,
            ] {
                let error = try #require(error?.asFirewheelError)
                #expect(error.serializationReason == .imageSerializationFailed)
                #expect(error.description == "GET \(url): expected an image, the response is text/html, 13 bytes")
                #expect(error.response?.statusCode == 200 && error.responseData == page)
            }
        }
    }

    @Test("The size of a body that is truncated is in the error")
    func truncated() async throws {
        let part = try ImageFixtures.data("rgba8.png").prefix(100)
        try await with(MockResponse(status: 404, headers: ["Content-Type": "image/png"], body: part)) { session, url in
            let error = await session.request(url).serializingImage().response.error
            #expect(
                error.map { "\($0)" }
                    == "GET \(url): the body is not a valid PNG image (it ends too early), 100 bytes of image/png (status 404)")
        }
    }

    @Test("An earlier error is the result, and an empty body is an error")
    func empty() async throws {
        try await with(Self.png(status: 500)) { session, url in
            #expect(await session.request(url).validate().serializingImage().response.error?.asFirewheelError?.responseCode == 500)
        }
        try await with(MockResponse(status: 200)) { session, url in
            let error = await session.request(url).serializingImage().response.error?.asFirewheelError
            #expect(error?.serializationReason == .inputDataNilOrZeroLength)
        }
        try await with(MockResponse(status: 204)) { session, url in
            let error = await session.request(url).serializingImage().response.error?.asFirewheelError
            #expect(error?.serializationReason == .invalidEmptyResponse(type: "ResponseImage"))
        }
    }
}
