import Firewheel
import FirewheelTesting
import Foundation
import Transfers

/// Sends files, a stream and a form, with a progress bar.
///
///     swift run --package-path Examples upload                  # to a server that it starts itself
///     swift run --package-path Examples upload URL FILE...      # your files, in one form
@main
struct Upload {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let url = arguments.first else { return try await show() }
        try await send(arguments.dropFirst().map { URL(fileURLWithPath: $0) }, to: url)
    }

    /// Sends files as the parts of one form. They are read while they are sent, whatever their size.
    static func send(_ files: [URL], to url: String) async throws {
        let bar = ProgressBar()
        let upload = HTTP.upload(to: url) { form in
            for file in files { form.append(file, withName: "file") }
        }
        .uploadProgress(queue: .global()) { bar.show($0) }
        .validate()
        let answer = await upload.serializingString().result
        bar.finish()
        switch answer {
        case .success(let text): print(text)
        case .failure(let error): print("failed: \(error)")
        }
    }

    static func show() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { request in .text("\(request.body.count) bytes in \(request.header("Content-Type") ?? "no type")") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-upload-\(UUID().uuidString).bin")
        try Data(count: 20_000_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        print("1. A form with a file, read while it is sent")
        try await send([file], to: server.url())

        print("2. An async sequence, made while it is sent, at 2 MB a second")
        let lines = AsyncStream<Data> { continuation in
            for number in 0..<10_000 { continuation.yield(Data("line \(number)\n".utf8)) }
            continuation.finish()
        }
        let text = try await HTTP.upload(lines, to: server.url(), headers: [.contentType("text/plain")])
            .bandwidth(upload: 2_000_000).serializingString().value
        print(text)

        print("3. A server that refuses: nothing of a large body is sent in vain")
        server.exchange("/small") { exchange in
            try exchange.send(.text("too large", status: 413, headers: [("Connection", "close")]))
        }
        let refused = HTTP.upload(file, to: server.url("/small")).validate()
        let error = await refused.serializingData().response.error as? FirewheelError
        print("\(error?.responseCode ?? 0), \(refused.uploadProgress.completedUnitCount) bytes sent")
    }
}
