import Dispatch
import Firewheel
import FirewheelTesting
import Foundation
import Transfers

/// Downloads files into the current folder, with a progress bar over all of them. After ctrl-C the next start goes on where this one stopped.
///
///     swift run --package-path Examples download                # from a server that it starts itself
///     swift run --package-path Examples download URL...
@main
struct Download {
    static func main() async throws {
        let urls = Array(CommandLine.arguments.dropFirst())
        guard urls.isEmpty else { return try await fetch(urls, into: URL(fileURLWithPath: FileManager.default.currentDirectoryPath)) }
        try await show()
    }

    /// Downloads all files at once.
    static func fetch(_ urls: [String], into folder: URL) async throws {
        let downloads = urls.map { StoredDownload($0, into: folder) }
        let whole = Progress(totalUnitCount: Int64(downloads.count))
        for download in downloads { whole.addChild(download.request.downloadProgress, withPendingUnitCount: 1) }
        let bar = ProgressBar()
        let interruption = onInterrupt { for download in downloads { download.request.cancel(producingResumeData: true) } }
        defer { interruption.cancel() }
        await withTaskGroup(of: String.self) { group in
            for download in downloads {
                download.request.downloadProgress(queue: .global()) { _ in bar.show(whole) }
                group.addTask { await download.finish() }
            }
            var lines: [String] = []
            for await line in group { lines.append(line) }
            bar.finish()
            for line in lines.sorted() { print(line) }
        }
    }

    /// Calls a closure on ctrl-C instead of ending the program.
    private static func onInterrupt(_ perform: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler(handler: perform)
        source.resume()
        return source
    }

    /// A download that is stopped in the middle, and goes on in a second run.
    static func show() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let book = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 1_000) })
        let requests = RangeServer(book)
        server.exchange("/book.bin") { try requests.answer($0) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-download-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        print("1. The connection is lost in the middle")
        try await fetch([server.url("/book.bin")], into: folder)
        print("2. The next run goes on there")
        try await fetch([server.url("/book.bin")], into: folder)
        let isSame = try Data(contentsOf: folder.appendingPathComponent("book.bin")) == book
        print("The file is \(isSame ? "the server's, byte for byte" : "another")")
    }
}

/// A download whose resume data is kept in a file beside it.
struct StoredDownload: Sendable {
    let request: DownloadRequest
    private let url: String
    private let notes: URL

    init(_ url: String, into folder: URL) {
        self.url = url
        notes = folder.appendingPathComponent(Self.notesName(url))
        let destination = DownloadRequest.destination(in: folder)
        if let data = try? Data(contentsOf: notes) {
            request = HTTP.download(resumingWith: data, to: destination)
        } else {
            request = HTTP.download(url, to: destination)
        }
    }

    /// The name of the file for a URL. The last part of its path would not do, since files of several folders may share it, and the URL
    /// itself may be long or a secret: so it is the URL's hash (FNV-1a).
    private static func notesName(_ url: String) -> String {
        let hash = url.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return ".download-\(String(hash, radix: 16)).resume"
    }

    func finish() async -> String {
        // So that a run that is killed is gone on with, too.
        let saving = Task {
            while !Task.isCancelled {
                try? await Task.sleep(nanoseconds: 1_000_000_000)
                if let data = request.resumeData { _ = save(data) }
            }
        }
        let response = await request.validate().serializingDownloadedFileURL().response
        saving.cancel()
        await saving.value
        if let data = response.resumeData {
            return "\(url): stopped, \(save(data) ? "the next run goes on" : "and what is needed to go on cannot be saved")"
        }
        try? FileManager.default.removeItem(at: notes)
        switch response.result {
        case .success(let file): return "\(file.lastPathComponent): complete"
        case .failure(let error): return "\(url): \(error)"
        }
    }

    /// Replaces the notes in one step. They are a secret if the URL is one, so only you may read them.
    private func save(_ data: Data) -> Bool {
        let new = notes.path + ".new"
        guard FileManager.default.createFile(atPath: new, contents: data, attributes: [.posixPermissions: 0o600]) else { return false }
        return rename(new, notes.path) == 0
    }
}

/// A server of one file that loses its first connection in the middle.
final class RangeServer: Sendable {
    private let content: Data
    private let lock = NSLock()
    // Used only while holding `lock`.
    private nonisolated(unsafe) var requests = 0

    init(_ content: Data) {
        self.content = content
    }

    func answer(_ exchange: MockExchange) throws {
        let isFirst = lock.withLock {
            requests += 1
            return requests == 1
        }
        let start = exchange.request.header("Range").flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) }
        let from = start ?? 0
        var head = "HTTP/1.1 \(start == nil ? "200 OK" : "206 Partial Content")\r\nETag: \"1\"\r\n"
        if start != nil { head += "Content-Range: bytes \(from)-\(content.count - 1)/\(content.count)\r\n" }
        try exchange.sendBytes(Data((head + "Content-Length: \(content.count - from)\r\n\r\n").utf8))
        // A connection that ends before the body does is a lost one.
        try exchange.sendBytes(isFirst ? content.prefix(250_000) : content.dropFirst(from))
    }
}
