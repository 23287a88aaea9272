import Foundation
import Testing

@testable import Firewheel

/// Streams of responses from nginx, which are handed over as they arrive.
@Suite("nginx: streams of bodies", .needs(.tls), .timeLimit(.minutes(5)))
struct NginxBodyStreamTests {
    @Test("The lines of 8 MiB, over each protocol and from a compressed body", arguments: TestServer.everyProtocol)
    func lines(server: TestServer) async throws {
        let session = try server.session()
        for path in ["/lines", "/gzip/lines"] {
            var content = Data(capacity: linesContent.count)
            let task = session.streamRequest(try server.url(path)).validate().streamTask()
            for try await line in task.streamingLines() {
                content += Data(line.utf8)
                content.append(UInt8(ascii: "\n"))
            }
            let isSame = content == linesContent
            #expect(isSame, "\(path)")
            #expect(task.request.isFinished)
        }
    }

    @Test("A large body, with another reader that is slower", arguments: TestServer.everyProtocol)
    func large(server: TestServer) async throws {
        let session = try server.session()
        let request = session.streamRequest(try server.url("/lines")).suspend()
        let (first, second) = (request.streamTask().streamingData(), request.streamTask().streamingStrings())
        request.resume()
        async let quick = first.reduce(Data(), +)
        async let slow = {
            var (text, count) = ("", 0)
            for try await piece in second {
                count += 1
                if count < 20 { try await Task.sleep(for: .milliseconds(2)) }
                text += piece
            }
            return text
        }()
        let isSame = (try await quick == linesContent, try await Data(slow.utf8) == linesContent)
        #expect(isSame.0)
        #expect(isSame.1)
    }

    @Test("A loop that is left, and one that waits, do not disturb other streams of the connection")
    func shared() async throws {
        let session = try TestServer.tls.session()
        var waiting = session.streamRequest(try TestServer.tls.url("/big")).streamTask().streamingData().makeAsyncIterator()
        #expect(try await waiting.next() != nil)
        for _ in 0..<5 {
            for try await _ in session.streamRequest(try TestServer.tls.url("/big")).streamTask().streamingData() { break }
            let content = try await session.streamRequest(try TestServer.tls.url("/lines")).streamTask().streamingData().reduce(Data(), +)
            let isSame = content == linesContent
            #expect(isSame)
        }
        #expect(try await waiting.next() != nil)
    }

    @Test("A body that nginx cuts off: the loop gets what came, and then the error", arguments: TestServer.everyProtocol)
    func broken(server: TestServer) async throws {
        let session = try server.session()
        var content = Data()
        let error = await #expect(throws: FirewheelError.self) {
            for try await piece in session.streamRequest(try server.url("/broken/lines")).streamTask().streamingData() { content += piece }
        }
        #expect(error?.urlErrorCode == .networkConnectionLost)
        #expect(!content.isEmpty)
        let isBeginning = linesContent.starts(with: content)
        #expect(isBeginning)
    }
}
