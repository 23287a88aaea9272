import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Late events for an unknown id are ignored.
@Suite("Late transport events", .timeLimit(.minutes(5)))
struct LateEventTests {
    @Test("Transport events after a cancel are ignored")
    func afterCancel() async throws {
        let bench = EngineBench()
        let journal = Journal<(FirewheelError.Kind?, Int?, Data?)>()
        let request = bench.session.request("http://stub.test/").responseData(queue: bench.handlers) { response in
            journal.add((kind(response.error), response.statusCode, response.data))
        }
        let id = bench.id(request)
        try await bench.started(request)
        request.cancel()
        bench.transport.deliver((id, .head()), (id, .chunk(Data([1]))), (id, .end(body: "late")))
        let entries = try await journal.wait(for: 1)
        bench.transport.deliver((id, .head()), (id, .end(body: "later")), (id, .failure(.bodyTooLarge)))
        await bench.settle()
        #expect(journal.count == 1)
        #expect(entries[0].0 == .explicitlyCancelled && entries[0].2 == nil)
    }

    @Test("A second end of a transfer is ignored, in the same batch or a later one")
    func finishedTwice() async throws {
        let bench = EngineBench()
        let journal = Journal<String?>()
        let request = bench.session.request("http://stub.test/").responseString(queue: bench.handlers) { journal.add($0.value) }
        let id = bench.id(request)
        bench.transport.deliver((id, .end(body: "one")), (id, .end(body: "two")), (id, .failure(.bodyTooLarge)))
        #expect(try await journal.wait(for: 1) == ["one"])
        bench.transport.deliver((id, .end(body: "three")))
        await bench.settle()
        #expect(journal.entries == ["one"])
        #expect(request.data == Data("one".utf8) && request.error == nil)
    }

    @Test("Transport events for unknown ids are ignored, and the rest of the batch is handled")
    func unknown() async throws {
        let bench = EngineBench()
        let journal = Journal<String?>()
        let request = bench.session.request("http://stub.test/").responseString(queue: bench.handlers) { journal.add($0.value) }
        let unknown = TransportTaskID(request: .max)
        let future = bench.id(request, 1)
        bench.transport.deliver(
            (unknown, .head()), (unknown, .chunk(Data())), (unknown, .end(body: "x")), (future, .end(500, body: "y")),
            (bench.id(request), .end(body: "mine")))
        #expect(try await journal.wait(for: 1) == ["mine"])
    }

    @Test("Transport events of an earlier hop are ignored")
    func earlierHop() async throws {
        let bench = EngineBench()
        let journal = Journal<String?>()
        let request = bench.session.request("http://stub.test/").responseString(queue: bench.handlers) { journal.add($0.value) }
        bench.transport.deliver((bench.id(request), .end(302, ["Location": "/next"])))
        try await bench.started(request, 1)
        bench.transport.deliver((bench.id(request), .end(500, body: "first hop again")))
        await bench.settle()
        #expect(journal.entries.isEmpty)
        bench.transport.deliver((bench.id(request, 1), .end(body: "second hop")))
        #expect(try await journal.wait(for: 1) == ["second hop"])
    }

    @Test("Every chunk of a download is acknowledged, including those of a redirect's body")
    func acknowledged() async throws {
        let bench = EngineBench()
        let journal = Journal<Data?>()
        let request = bench.session.download("http://stub.test/").responseData(queue: bench.handlers) { response in
            journal.add(response.value)
            response.fileURL.map { try? FileManager.default.removeItem(at: $0) }
        }
        let first = bench.id(request)
        try await bench.started(request)
        #expect(bench.transport.requests.map(\.delivery) == [.chunks])
        let redirect: HTTPHeaders = ["Location": "/file"]
        bench.transport.deliver((first, .head(302, redirect)), (first, .chunk(Data(count: 7))), (first, .chunk(Data(count: 5))))
        bench.transport.deliver((first, .end(302, redirect)))
        try await bench.started(request, 1)
        let second = bench.id(request, 1)
        bench.transport.deliver((second, .head()))
        for index in 1...50 { bench.transport.deliver((second, .chunk(Data(repeating: UInt8(index), count: index)))) }
        let acknowledged: @Sendable (TransportTaskID) -> Int = { id in
            bench.transport.calls.reduce(0) { sum, call in
                if case .acknowledge(id, let bytes) = call { return sum + bytes }
                return sum
            }
        }
        try await waitUntil("the acknowledgements") { acknowledged(first) == 12 && acknowledged(second) == 1275 }
        bench.transport.deliver((second, .end()))
        let expected = (1...50).reduce(into: Data()) { $0.append(Data(repeating: UInt8($1), count: $1)) }
        #expect(try await journal.wait(for: 1) == [expected])
    }

    @Test("A transport's failure becomes an error with its code and message")
    func failures() async throws {
        let bench = EngineBench()
        let errors = Journal<FirewheelError?>()
        func fail(with error: TransportError) async throws -> FirewheelError {
            let count = errors.count
            let request = bench.session.request("http://stub.test/")
            request.responseData(queue: bench.handlers) { errors.add($0.error as? FirewheelError) }
            bench.transport.deliver((bench.id(request), .failure(error)))
            return try #require(try await errors.wait(for: count + 1).last ?? nil)
        }
        for code in [URLError.Code.timedOut, .cannotFindHost, .networkConnectionLost, .secureConnectionFailed] {
            let error = try await fail(with: .failed(code, "words of \(code.rawValue)"))
            #expect(error.kind == .transportFailed(code) && error.urlErrorCode == code)
            let cause = try #require(error.underlyingError as? URLError)
            #expect(cause.code == code && cause.localizedDescription == "words of \(code.rawValue)")
            #expect(cause.userInfo[NSUnderlyingErrorKey] as? TransportFailure == TransportFailure("words of \(code.rawValue)"))
            #expect(error.description == "GET http://stub.test/: words of \(code.rawValue)")
            #expect(error.isTimeout == (code == .timedOut))
            #expect(error.isConnectivity == (code == .cannotFindHost || code == .networkConnectionLost))
            #expect(error.request?.url?.absoluteString == "http://stub.test/" && error.response == nil)
        }
        #expect(try await fail(with: .bodyTooLarge).kind == .responseBodyTooLarge)
    }
}
