import Foundation
import Testing

@testable import Firewheel

/// Forms as bodies of requests.
@Suite("Multipart forms as bodies", .timeLimit(.minutes(5)))
struct MultipartBodyTests {
    private static func stream(_ source: BodySource) throws -> MultipartBody {
        guard case .stream(let stream) = source else { throw Unexpected() }
        return try #require(stream as? MultipartBody)
    }

    private struct Unexpected: Error {}

    private static func form(in folder: DownloadTests.Folder) throws -> MultipartFormData {
        let form = MultipartFormData()
        form.append(Data("Ada".utf8), withName: "author")
        form.append(try folder.file("a.txt", holding: String(repeating: "file ", count: 30_000)), withName: "file")
        form.append(Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }), withName: "large")
        return form
    }

    private static func addStream(_ content: Data, length: Int? = nil, to form: MultipartFormData) {
        form.append(
            InputStream(data: content), withLength: UInt64(length ?? content.count), name: "stream", fileName: "s", mimeType: "a/b")
    }

    @Test("Below the threshold a form is in memory, from it on it is read from its parts")
    func threshold() throws {
        let folder = try DownloadTests.Folder()
        let form = try Self.form(in: folder)
        let length = form.contentLength
        guard case .data(let data) = try form.makeBody(threshold: length + 1) else { throw Unexpected() }
        #expect(data == (try form.encode()) && UInt64(data.count) == length)
        #expect(try Self.stream(form.makeBody(threshold: length)).length == Int64(length))
        // Data has no trailer fields.
        #expect(try Self.stream(form.makeBody(threshold: .max, trailers: ["X-Sum": "1"])).length == Int64(length))
    }

    @Test(
        "A form is read from its parts in pieces of at most the bytes asked for, and can be repeated",
        arguments: [7_001, 65_536, 1_000_000])
    func streamed(count: Int) async throws {
        let folder = try DownloadTests.Folder()
        let form = try Self.form(in: folder)
        let body = try Self.stream(form.makeBody(threshold: 0, trailers: ["X-Sum": "1"]))
        #expect(body.isRepeatable && !body.isUsed)
        for _ in 0..<2 {
            let drained = await DrainedBody.of(body, count: count)
            #expect(drained.data == (try form.encode()) && drained.error == nil && drained.trailers["X-Sum"] == "1")
            #expect(drained.pieces.allSatisfy { (1...count).contains($0.count) })
        }
        #expect(body.isUsed && body.failure == nil)
    }

    @Test("A form of many small parts is sent in few pieces")
    func joined() async throws {
        let form = MultipartFormData()
        for number in 0..<5_000 { form.append(Data("\(number)".utf8), withName: "n") }
        let drained = await DrainedBody.of(try Self.stream(form.makeBody(threshold: 0)), count: 131_072)
        #expect(drained.data == (try form.encode()) && UInt64(drained.data.count) == form.contentLength)
        #expect(drained.pieces.count < drained.data.count / 60_000 + 2)
    }

    @Test("What is added to a form does not change the body that was made of it before")
    func snapshot() async throws {
        let form = MultipartFormData()
        form.append(Data("x".utf8), withName: "a")
        let before = try form.encode()
        let body = try Self.stream(form.makeBody(threshold: 0))
        form.append(Data("y".utf8), withName: "b")
        form.append(URL(fileURLWithPath: "/dev/null"), withName: "c")
        #expect(await DrainedBody.of(body).data == before && body.length == Int64(before.count))
    }

    @Test("A form with a stream can be sent once, and says so when it would have to be sent again")
    func once() async throws {
        let form = MultipartFormData(boundary: "b")
        Self.addStream(Data("flow".utf8), to: form)
        let body = try Self.stream(form.makeBody(threshold: 0))
        let other = try Self.stream(form.makeBody(threshold: 0))
        #expect(!body.isRepeatable)
        #expect(String(decoding: await DrainedBody.of(body).data, as: UTF8.self).contains("\r\n\r\nflow\r\n--b--"))
        // Before a byte is sent.
        let again = await DrainedBody.of(body)
        #expect(again.pieces.isEmpty && again.error != nil && body.failure?.kind == .uploadBodyFailed(.notRepeatable))
        #expect(await DrainedBody.of(other).error != nil && other.failure?.kind == .uploadBodyFailed(.notRepeatable))
        // In memory it can be repeated.
        let second = MultipartFormData(boundary: "b")
        Self.addStream(Data("flow".utf8), to: second)
        #expect(try second.makeBody(threshold: 10_000).isRepeatable)
    }

    @Test("A file or stream of another length is an error, whether the form is in memory or not", arguments: [0, UInt64.max])
    func wrongLengths(threshold: UInt64) async throws {
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "content")
        var cases: [(MultipartFormData, FirewheelError.MultipartEncodingFailureReason)] = []
        for length in [0, 3, 5] {
            let form = MultipartFormData()
            Self.addStream(Data("flow".utf8), length: length, to: form)
            cases.append((form, .unexpectedInputStreamLength))
        }
        let form = MultipartFormData()
        form.append(file, withName: "file")
        _ = try folder.file("a", holding: "content and more")
        cases.append((form, .bodyPartFileChanged(at: file)))
        let failing = MultipartFormData()
        let missing = try #require(InputStream(url: folder.file("missing")))
        failing.append(missing, withLength: 4, name: "a", fileName: "b", mimeType: "c/d")
        cases.append((failing, .inputStreamReadFailed))
        for (form, reason) in cases {
            var kind: FirewheelError.Kind?
            do {
                let body = try Self.stream(form.makeBody(threshold: threshold))
                #expect(await DrainedBody.of(body).error != nil)
                kind = body.failure?.kind
            } catch let error as FirewheelError {
                kind = error.kind
            }
            #expect(kind == .multipartEncodingFailed(reason))
        }
    }

    @Test("A form can be closed at any moment, and closes its file")
    func closed() async throws {
        let folder = try DownloadTests.Folder()
        let body = try Self.stream(try Self.form(in: folder).makeBody(threshold: 0))
        for asks in 0..<12 {
            let reader = body.makeReader()
            for _ in 0..<asks { _ = await reader.piece(upTo: 40_000) }
            reader.close()
            #expect(await reader.piece().isEnd)
        }
        #expect(body.failure == nil)
    }

    @Test("Random forms are what a parser makes of them, in memory and read from their parts")
    func random() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(state: seed)
        let folder = try DownloadTests.Folder()
        for _ in 0..<100 {
            let random = try RandomForm(in: folder, using: &generator)
            let data =
                if Bool.random(using: &generator) {
                    try random.form.encode()
                } else {
                    await DrainedBody.of(
                        try Self.stream(random.form.makeBody(threshold: 0)), count: .random(in: 50...5_000, using: &generator)
                    ).data
                }
            let parts = try MultipartReader.parts(of: data, boundary: random.form.boundary)
            guard parts == random.parts, UInt64(data.count) == random.form.contentLength else {
                Issue.record("seed \(seed): \(parts) is not \(random.parts)")
                break
            }
        }
    }
}
