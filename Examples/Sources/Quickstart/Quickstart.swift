import Firewheel
import FirewheelTesting

/// A first look at Firewheel over a real socket: a chained request, a serializer of one's own, a download and the async form.
///
///     swift run --package-path Examples quickstart          # against a server that it starts itself
///     swift run --package-path Examples quickstart URL      # against yours
@main
struct Quickstart {
    static func main() async throws {
        let server = try LocalServer()
        let url = CommandLine.arguments.dropFirst().first ?? server.url
        var failures = 0
        failures += await chain(url)
        failures += await serializer(url)
        failures += await download(url)
        failures += await asynchronous(url)
        server.shutdown()
        if failures > 0 { exit(1) }
    }

    /// The chain: a request, a check, a handler on the main actor.
    @MainActor
    static func chain(_ url: String) async -> Int {
        print("1. The chain: validate, then the response as text")
        return await withCheckedContinuation { continuation in
            HTTP.request(url)
                .validate()
                .responseString { response in
                    show(response.result.map { $0.count }, "characters", response.timeline, response.metrics)
                    continuation.resume(returning: response.error == nil ? 0 : 1)
                }
        }
    }

    /// A serializer of one's own: any value, made by a closure.
    static func serializer(_ url: String) async -> Int {
        print("2. A DataResponseSerializer<T> of one's own: the lines of the body")
        let lines = DataResponseSerializer<[String]> { _, _, data, error in
            if let error { return .failure(error) }
            return .success(String(decoding: data ?? Data(), as: UTF8.self).components(separatedBy: "\n"))
        }
        return await withCheckedContinuation { continuation in
            HTTP.request(url).validate()
                .response(queue: .global(), responseSerializer: lines) { response in
                    show(response.result.map(\.count), "lines", response.timeline, response.metrics)
                    continuation.resume(returning: response.error == nil ? 0 : 1)
                }
        }
    }

    /// A download to a file of one's choice.
    static func download(_ url: String) async -> Int {
        print("3. A download to a file")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-quickstart-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let response = await HTTP.download(url, to: { _, _ in (file, [.createIntermediateDirectories, .removePreviousFile]) })
            .validate()
            .serializingDownloadedFileURL()
            .response
        let size = response.result.map { url in (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0 }
        show(size, "bytes in \(file.lastPathComponent)", response.timeline, response.metrics)
        return response.error == nil ? 0 : 1
    }

    /// The same chain, awaited.
    static func asynchronous(_ url: String) async -> Int {
        print("4. async/await")
        let response = await HTTP.get(url).validate().serializingData().response
        show(response.result.map(\.count), "bytes", response.timeline, response.metrics)
        return response.error == nil ? 0 : 1
    }

    static func show(_ result: Result<Int, any Error>, _ unit: String, _ timeline: Timeline, _ metrics: TaskMetrics?) {
        switch result {
        case .success(let count): print("   result: \(count) \(unit)")
        case .failure(let error): print("   error: \(error)")
        }
        print("   \(timeline)")
        for line in (metrics?.description ?? "no metrics").split(separator: "\n") { print("   \(line)") }
    }
}

/// A server of our own on the loopback interface, so that the example needs nothing.
struct LocalServer {
    private let server: MockServer

    var url: String { server.url("/") }

    init() throws {
        server = try MockServer()
        server.route("/*") { _ in .text((1...20).map { "line \($0)" }.joined(separator: "\n")) }
    }

    func shutdown() {
        server.shutdown()
    }
}
