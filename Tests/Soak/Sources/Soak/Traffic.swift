import Firewheel
import FirewheelTesting
import Foundation

/// An unexpected outcome.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The kinds of requests. Each checks its outcome.
struct Traffic: Sendable {
    static let largeLength = 1 << 20

    /// A port without a listener, of an obsolete service.
    private static let deadPort = 1

    /// The fault of the response at each path.
    static let faults: [(path: String, fault: MockFault)] = [
        ("/fault/reset", .resetBeforeHead), ("/fault/close", .closeBeforeHead), ("/fault/head", .closeInHead(after: 10)),
        ("/fault/body", .resetInBody(after: 3)), ("/fault/short", .bodyShorter(by: 5)), ("/fault/chunk", .badChunk),
        ("/fault/garbage", .garbageStatusLine),
    ]

    private struct Person: Decodable, Sendable {
        let id: Int
        let name: String
        let active: Bool
    }

    let server: String
    /// The session that lives as long as the traffic.
    let session: Session

    static let kinds: [@Sendable (Traffic, inout SeededGenerator) async throws -> Void] = [
        { try await $0.small(&$1) }, { try await $0.small(&$1) }, { try await $0.small(&$1) }, { try await $0.small(&$1) },
        { traffic, _ in try await traffic.json() }, { traffic, _ in try await traffic.json() },
        { traffic, _ in try await traffic.large() }, { traffic, _ in try await traffic.download() },
        { try await $0.downloadCancelled(&$1) }, { try await $0.upload(&$1) }, { traffic, _ in try await traffic.redirects() },
        { traffic, _ in try await traffic.refusals() }, { try await $0.fault(&$1) }, { try await $0.cancelled(&$1) },
        { try await $0.suspended(&$1) }, { try await $0.taskCancelled(&$1) }, { traffic, _ in try await traffic.timeout() },
        { try await $0.ownSession(&$1) }, { try await $0.droppedSession(&$1) },
    ]

    static func makeSession(_ configuration: SessionConfiguration = .default) -> Session {
        Session(configuration: configuration, transport: SocketTransport(configuration: configuration))
    }

    private func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Wrong(what()) }
    }

    private func kind(of error: (any Error)?) -> FirewheelError.Kind? { (error as? FirewheelError)?.kind }

    private func pause(_ generator: inout SeededGenerator, milliseconds: Double) async {
        try? await Task.sleep(nanoseconds: UInt64(Double.random(in: 0...milliseconds, using: &generator) * 1e6))
    }

    // MARK: Successes

    private func small(_ generator: inout SeededGenerator) async throws {
        let path = "/text/\(UInt16.random(in: 0...UInt16.max, using: &generator))"
        let text = try await session.request(server + path).validate().serializingString().value
        try expect(text == path, "small: \(text)")
    }

    private func json() async throws {
        let people = try await session.request(server + "/objects").validate().serializingDecodable([Person].self).value
        try expect(people.count == 100 && people[99].id == 99, "json: \(people.count) objects")
    }

    private func large() async throws {
        let count = try await session.request(server + "/large").validate().serializingData().value.count
        try expect(count == Self.largeLength, "large: \(count) bytes")
    }

    private func download() async throws {
        let file = try await session.download(server + "/chunked").validate().serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        let count = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        try expect(count == Self.largeLength, "download: \(count ?? -1) bytes")
    }

    private func upload(_ generator: inout SeededGenerator) async throws {
        var request = try URLRequest(url: server + "/echo", method: .post)
        let body = Data(repeating: UInt8.random(in: 0...255, using: &generator), count: Int.random(in: 1...300_000, using: &generator))
        request.httpBody = body
        let echo = try await session.request(request).validate().serializingData().value
        try expect(echo == body, "upload: \(echo.count) bytes of \(body.count)")
    }

    /// Suspended for a moment.
    private func suspended(_ generator: inout SeededGenerator) async throws {
        let request = session.request(server + "/slow")
        async let count = request.serializingData().value.count
        await pause(&generator, milliseconds: 30)
        request.suspend()
        await pause(&generator, milliseconds: 30)
        request.resume()
        let received = try await count
        try expect(received == 200_000, "suspended: \(received) bytes")
    }

    private func ownSession(_ generator: inout SeededGenerator) async throws {
        let session = Self.makeSession()
        let path = "/text/own-\(UInt16.random(in: 0...UInt16.max, using: &generator))"
        let text = try await session.request(server + path).serializingString().value
        try expect(text == path, "own session: \(text)")
    }

    // MARK: Failures

    private func redirects() async throws {
        let text = try await session.request(server + "/redirect").validate().serializingString().value
        try expect(text == "/text/redirected", "redirect: \(text)")
        let error = await session.request(server + "/circle").serializingData().response.error
        try expect(kind(of: error) == .transportFailed(.httpTooManyRedirects), "circle: \(String(describing: error))")
    }

    private func refusals() async throws {
        let missing = await session.request(server + "/missing").validate().serializingData().response.error
        try expect(kind(of: missing) == .responseValidationFailed(.unacceptableStatusCode(404)), "missing: \(String(describing: missing))")
        let refused = await session.request("http://localhost:\(Self.deadPort)/").serializingData().response.error
        try expect(kind(of: refused) == .transportFailed(.cannotConnectToHost), "refused: \(String(describing: refused))")
        let invalid = await session.request("http://:80/").serializingData().response.error
        try expect(kind(of: invalid) == .invalidURL, "invalid: \(String(describing: invalid))")
        let object = await session.request(server + "/text/no-json").serializingDecodable(Person.self).response.error
        try expect(kind(of: object) == .responseSerializationFailed(.decodingFailed), "decoding: \(String(describing: object))")
    }

    private func fault(_ generator: inout SeededGenerator) async throws {
        let path = Self.faults.randomElement(using: &generator)?.path ?? ""
        let error = await session.request(server + path).serializingData().response.error
        guard case .transportFailed = kind(of: error) else { throw Wrong("\(path): \(String(describing: error))") }
    }

    private func timeout() async throws {
        var configuration = SessionConfiguration()
        configuration.timeoutIntervalForRequest = 0.05
        let session = Self.makeSession(configuration)
        let error = await session.request(server + "/silence").serializingData().response.error
        try expect(kind(of: error) == .transportFailed(.timedOut), "timeout: \(String(describing: error))")
    }

    // MARK: Early ends

    private func cancelled(_ generator: inout SeededGenerator) async throws {
        let request = session.request(server + "/slow")
        async let response = request.serializingData().response
        await pause(&generator, milliseconds: 70)
        request.cancel()
        let error = await response.error
        try expect(error == nil || kind(of: error) == .explicitlyCancelled, "cancelled: \(String(describing: error))")
    }

    private func downloadCancelled(_ generator: inout SeededGenerator) async throws {
        let request = session.download(server + "/slow")
        async let response = request.serializingDownloadedFileURL().response
        await pause(&generator, milliseconds: 70)
        request.cancel()
        switch await response.result {
        case .success(let file): try? FileManager.default.removeItem(at: file)
        case .failure(let error): try expect(kind(of: error) == .explicitlyCancelled, "download cancelled: \(error)")
        }
    }

    private func taskCancelled(_ generator: inout SeededGenerator) async throws {
        let (session, url) = (session, server + "/slow")
        let task = Task { await session.request(url).serializingData().response.error }
        await pause(&generator, milliseconds: 70)
        task.cancel()
        let error = await task.value
        try expect(error == nil || kind(of: error) == .explicitlyCancelled, "task cancelled: \(String(describing: error))")
    }

    /// A session that is invalidated and released during its requests.
    private func droppedSession(_ generator: inout SeededGenerator) async throws {
        let requests = await {
            let session = Self.makeSession()
            let requests = (0..<3).map { _ in session.request(server + "/slow").resume() }
            await pause(&generator, milliseconds: 20)
            session.invalidate()
            return requests
        }()
        for request in requests {
            let error = await request.serializingData().response.error
            try expect(error == nil || kind(of: error) == .sessionInvalidated, "dropped session: \(String(describing: error))")
        }
    }
}
