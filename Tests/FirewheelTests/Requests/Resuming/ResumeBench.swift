import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A file on a server, as it is now.
struct ServedFile: Sendable {
    enum Validator: CaseIterable, Sendable {
        case strongTag, weakTag, lastModified, none

        var isStrong: Bool { self == .strongTag || self == .lastModified }
    }

    var body: Data
    var validator = Validator.strongTag
    /// Another version has another validator.
    var version = 1

    /// Bytes of which no two parts are alike.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var generator = SeededGenerator(state: seed)
        var words = [UInt64](repeating: 0, count: (count + 7) / 8)
        for index in words.indices { words[index] = generator.next() }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

    var fields: [String] {
        switch validator {
        case .strongTag: ["ETag: \"v\(version)\""]
        case .weakTag: ["ETag: W/\"v\(version)\""]
        case .lastModified:
            ["Last-Modified: Sun, 06 Nov 1994 08:49:1\(version) GMT", "Date: Sun, 06 Nov 1994 09:00:00 GMT"]
        case .none: []
        }
    }

    /// Where the response to a request begins by RFC 9110 section 13.1.5; nil for the whole file.
    func start(of request: RecordedRequest) -> Int? {
        guard validator.isStrong, let start = ServedFile.start(request), start < body.count else { return nil }
        let wanted = request.header("If-Range") ?? ""
        return fields.contains { $0.hasSuffix(": \(wanted)") } ? start : nil
    }

    /// The first byte that was asked for.
    static func start(_ request: RecordedRequest) -> Int? {
        request.header("Range").flatMap { $0.hasPrefix("bytes=") ? Int($0.dropFirst(6).prefix { $0 != "-" }) : nil }
    }

    /// What a server sends that can do ranges.
    ///
    /// - Parameters:
    ///   - count: After so many bytes of the body, the connection is lost.
    ///   - isChunked: Without Content-Length.
    func answer(_ exchange: MockExchange, count: Int = .max, isChunked: Bool = false) throws {
        let start = start(of: exchange.request)
        let rest = body.dropFirst(start ?? 0)
        let range = start.map { ["Content-Range: bytes \($0)-\(body.count - 1)/\(body.count)"] } ?? []
        try Self.send(
            start == nil ? 200 : 206, range + fields + [isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(rest.count)"],
            to: exchange)
        let sent = rest.prefix(count)
        if isChunked, !sent.isEmpty { try exchange.sendBytes(Data("\(String(sent.count, radix: 16))\r\n".utf8)) }
        try exchange.sendBytes(sent)
        if isChunked, sent.count == rest.count { try exchange.sendBytes(Data("\r\n0\r\n\r\n".utf8)) }
    }

    static func send(_ status: Int, _ fields: [String], to exchange: MockExchange) throws {
        try exchange.sendBytes(Data((["HTTP/1.1 \(status) X"] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8))
    }
}

/// A server with one file at every path, a folder for temporary files, another for finished ones, and a session.
final class ResumeBench: Sendable {
    typealias Answer = @Sendable (MockExchange, ServedFile) throws -> Void

    let server: MockServer
    let session: Session
    let folder: DownloadTests.Folder
    private let file: Locked<ServedFile>
    /// What the server does with the next requests, before it is a good one.
    private let script = Locked<[Answer]>([])
    /// The requests in the order in which they came; the server notes them when they end.
    private let seen = Journal<RecordedRequest>()
    private let taken = Locked(0)

    init(
        _ file: ServedFile = ServedFile(body: ServedFile.bytes(100_000)), interceptor: (any RequestInterceptor)? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        server = try MockServer()
        folder = try DownloadTests.Folder()
        self.file = Locked(file)
        let (temporary, finished) = (folder.file("temporary"), folder.file("finished"))
        for url in [temporary, finished] { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) }
        var configuration = SessionConfiguration.default
        configuration.temporaryDirectory = temporary
        configuration.timeoutIntervalForRequest = 30
        change(&configuration)
        session = Session(configuration: configuration, interceptor: interceptor)
        server.exchange("/*") { [file = self.file, script, seen] exchange in
            seen.add(exchange.request)
            let next = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            let file = file.withLock { $0 }
            try next.map { try $0(exchange, file) } ?? file.answer(exchange)
        }
    }

    deinit { server.shutdown() }

    var served: ServedFile {
        get { file.withLock { $0 } }
        set { file.withLock { $0 = newValue } }
    }

    var body: Data { served.body }

    func then(_ answer: @escaping Answer) { script.withLock { $0.append(answer) } }

    /// Loses the next response after so many bytes of its body.
    func thenLose(after count: Int) { then { try $1.answer($0, count: count) } }

    /// The next requests, which have come before this is called.
    func takeRequests(_ count: Int) throws -> [RecordedRequest] {
        let first = taken.withLock { taken in
            defer { taken += count }
            return taken
        }
        let all = seen.entries
        try #require(all.count >= first + count)
        return Array(all[first..<first + count])
    }

    func takeRequest() throws -> RecordedRequest { try takeRequests(1)[0] }

    var temporary: URL { folder.file("temporary") }
    var target: URL { folder.file("finished").appendingPathComponent("file") }

    /// The partial files' folder.
    var partials: URL { URL(fileURLWithPath: PartialFolder(in: temporary.path).path, isDirectory: true) }

    var partialFiles: [String] { (try? FileManager.default.contentsOfDirectory(atPath: partials.path)) ?? [] }

    /// All that is in the temporary folder besides partial files.
    var strays: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: temporary.path)) ?? []).filter { $0 != partials.lastPathComponent }
    }

    var destination: DownloadRequest.Destination {
        let target = target
        return { _, _ in (target, [.removePreviousFile]) }
    }

    func download(_ url: String? = nil) -> DownloadRequest { session.download(url ?? server.url("/file"), to: destination) }

    func resume(_ data: Data) -> DownloadRequest { session.download(resumingWith: data, to: destination) }

    /// The resume data of a download that was lost after so many bytes.
    func lost(after count: Int = 40_000, _ location: SourceLocation = #_sourceLocation) async throws -> Data {
        thenLose(after: count)
        let response = await download().end
        _ = try takeRequest()
        #expect(response.kind == .transportFailed(.networkConnectionLost), sourceLocation: location)
        return try #require(response.resumeData, sourceLocation: location)
    }

    /// Resumes, and expects the server's file and nothing besides.
    func expectFile(resuming data: Data, _ location: SourceLocation = #_sourceLocation) async throws {
        let response = await resume(data).end
        #expect(response.error == nil, sourceLocation: location)
        try await expectFile(response, location)
    }

    func expectFile(_ response: DownloadResponse<URL>, _ location: SourceLocation = #_sourceLocation) async throws {
        let found = try? Data(contentsOf: target)
        if found != body {
            let right = zip(found ?? Data(), body).prefix { $0 == $1 }.count
            Issue.record("\(found?.count ?? -1) bytes, \(right) of them right, \(response)", sourceLocation: location)
        }
        #expect(response.resumeData == nil && response.fileURL == target, sourceLocation: location)
        try await expectNothingLeft(location)
    }

    func expectNothingLeft(partials count: Int = 0, _ location: SourceLocation = #_sourceLocation) async throws {
        // Files are removed on another thread: a temporary one with its last reference.
        try await waitUntil("no stray files", location) { self.strays.isEmpty && self.partialFiles.count == count }
    }
}

extension DownloadRequest {
    /// The response, once the download has ended.
    var end: DownloadResponse<URL> { get async { await serializingDownloadedFileURL().response } }
}

extension DownloadResponse {
    var kind: FirewheelError.Kind? { (error as? FirewheelError)?.kind }
}

extension Data {
    /// How many bytes resume data says are there.
    var resumeCount: Int64? { (try? ResumeData(self))?.count }
}
