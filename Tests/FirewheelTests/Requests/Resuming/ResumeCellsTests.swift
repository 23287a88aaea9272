import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Every response to a resumed download over a connection: the server's bytes, or an error whose resume data is still good. Never the
/// beginning of one file and the end of another.
@Suite("Resumed downloads: 18 responses and 4 validators", .timeLimit(.minutes(5)))
struct ResumeCellsTests {
    enum Row: String, CaseIterable, Sendable {
        case right, wrongStart, wrongTotal, otherValidator, withoutRange, multipart, short, gzip, whole, wholeOfSameSize, rangeOfHave,
            rangeOfOther, bareRange, missing, gone, unauthorized, redirect, unavailable

        /// Whether the server has another version by now.
        var isOther: Bool {
            [.wrongTotal, .otherValidator, .whole, .wholeOfSameSize, .rangeOfOther, .multipart].contains(self)
        }

        /// The error; nil if the download ends with the server's file.
        var failure: FirewheelError.Kind? {
            switch self {
            case .short: .transportFailed(.networkConnectionLost)
            case .missing: .downloadResumptionRefused(404)
            case .gone: .downloadResumptionRefused(410)
            case .unauthorized: .downloadResumptionRefused(401)
            case .unavailable: .downloadResumptionRefused(503)
            default: nil
            }
        }

        /// The file as it is when the download is resumed.
        func changed(_ file: ServedFile) -> ServedFile {
            guard isOther else { return file }
            var file = file
            file.body = ServedFile.bytes(file.body.count + (self == .wholeOfSameSize || self == .otherValidator ? 0 : 777), seed: 2)
            file.version = 2
            return file
        }

        /// Answers a request for the range from `start`.
        func answer(_ exchange: MockExchange, _ file: ServedFile, start: Int, elsewhere: String) throws {
            let (rest, size) = (file.body.dropFirst(start), file.body.count)
            let length = "Content-Length: \(rest.count)"
            let range = "Content-Range: bytes \(start)-\(size - 1)/\(size)"
            func send(_ status: Int, _ fields: [String], _ body: Data, validator: Bool = true) throws {
                try ServedFile.send(status, fields + (validator ? file.fields : []), to: exchange)
                try exchange.sendBytes(body)
            }
            func refuse(_ status: Int, _ fields: [String] = []) throws {
                try send(status, fields + ["Content-Length: 5"], Data("sorry".utf8))
            }
            var same = file
            same.version = 1
            switch self {
            case .right: try send(206, [range, length], rest)
            case .wrongStart:
                let rest = file.body.dropFirst(start + 1)
                try send(206, ["Content-Range: bytes \(start + 1)-\(size - 1)/\(size)", "Content-Length: \(rest.count)"], rest)
            // A server that ignores If-Range, and forgot to change the validator.
            case .wrongTotal: try send(206, [range, length] + same.fields, rest, validator: false)
            case .otherValidator: try send(206, [range, length], rest)
            case .withoutRange: try send(206, [length], rest)
            case .multipart:
                let part = Data("--x\r\n\(range)\r\n\r\n".utf8) + rest + Data("\r\n--x--\r\n".utf8)
                let fields = ["Content-Type: multipart/byteranges; boundary=x", range, "Content-Length: \(part.count)"] + same.fields
                try send(206, fields, part, validator: false)
            case .short:
                let part = rest.prefix(1000)
                try send(206, ["Content-Range: bytes \(start)-\(start + 999)/\(size)", "Content-Length: \(part.count)"], part)
            case .gzip: try send(206, [range, length, "Content-Encoding: gzip"], rest)
            case .whole, .wholeOfSameSize: try file.answer(exchange)
            case .rangeOfHave: try refuse(416, ["Content-Range: bytes */\(start + 1)"])
            case .rangeOfOther: try refuse(416, ["Content-Range: bytes */7"])
            case .bareRange: try refuse(416)
            case .missing: try refuse(404)
            case .gone: try refuse(410)
            case .unauthorized: try refuse(401, ["WWW-Authenticate: Bearer"])
            case .redirect: try refuse(307, ["Location: \(elsewhere)"])
            case .unavailable: try refuse(503)
            }
        }
    }

    @Test("The server's bytes, or an error that keeps the data", arguments: Row.allCases, ServedFile.Validator.allCases)
    func cell(_ row: Row, _ validator: ServedFile.Validator) async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(20_000), validator: validator))
        bench.thenLose(after: 8_000)
        let first = await bench.download().end
        _ = try bench.takeRequest()
        #expect(first.kind == .transportFailed(.networkConnectionLost))
        guard validator.isStrong else {
            // Another request could only guess whether the file is the same.
            #expect(first.resumeData == nil && (first.error as? FirewheelError)?.resumeData == nil)
            try await bench.expectNothingLeft()
            return try await beginsAgain(bench, row)
        }
        let data = try #require(first.resumeData)
        #expect(data.resumeCount == 8_000 && (first.error as? FirewheelError)?.resumeData == data)
        try await bench.expectNothingLeft(partials: 1)

        bench.served = row.changed(bench.served)
        let other = try MockServer()
        defer { other.shutdown() }
        other.exchange("/elsewhere") { [file = bench.served] in try file.answer($0) }
        let elsewhere = other.url("/elsewhere")
        bench.then { exchange, file in
            let start = try #require(ServedFile.start(exchange.request))
            try row.answer(exchange, file, start: start, elsewhere: elsewhere)
        }
        let second = await bench.resume(data).end
        let request = try bench.takeRequest()
        #expect(request.header("Range") == "bytes=7999-" && request.header("Accept-Encoding") == "identity")
        #expect(request.header("If-Range") == (validator == .strongTag ? "\"v1\"" : "Sun, 06 Nov 1994 08:49:11 GMT"))
        if row == .redirect { #expect(try await other.takeRequest().header("If-Range") == request.header("If-Range")) }
        guard let failure = row.failure else {
            #expect(second.error == nil)
            return try await bench.expectFile(second)
        }
        #expect(second.kind == failure)
        let kept = try #require(second.resumeData)
        #expect(kept.resumeCount == (row == .short ? 8_999 : 8_000))
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: kept)
        #expect(try bench.takeRequest().header("Range") == "bytes=\((kept.resumeCount ?? 0) - 1)-")
    }

    /// Without a strong validator a retry asks for the whole file, and gets that or nothing.
    private func beginsAgain(_ bench: ResumeBench, _ row: Row) async throws {
        let other = try MockServer()
        defer { other.shutdown() }
        bench.thenLose(after: 8_000)
        bench.then { [weak bench] exchange, file in
            let changed = row.changed(file)
            bench?.served = changed
            other.exchange("/elsewhere") { try changed.answer($0) }
            try row.answer(exchange, changed, start: 7_999, elsewhere: other.url("/elsewhere"))
        }
        let response = await bench.download().retry { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }.end
        let requests = try bench.takeRequests(2)
        #expect(requests.allSatisfy { $0.header("Range") == nil && $0.header("If-Range") == nil })
        switch row {
        // A part that nobody asked for.
        case .right, .wrongStart, .wrongTotal, .otherValidator, .withoutRange, .multipart, .short, .gzip:
            #expect(response.kind == .transportFailed(.badServerResponse) && response.resumeData == nil)
            try await bench.expectNothingLeft()
            #expect(!FileManager.default.fileExists(atPath: bench.target.path))
        case .whole, .wholeOfSameSize, .redirect: try await bench.expectFile(response)
        // Nobody validates, so these are what was asked for.
        case .rangeOfHave, .rangeOfOther, .bareRange, .missing, .gone, .unauthorized, .unavailable:
            #expect(response.error == nil)
            #expect(try Data(contentsOf: bench.target) == Data("sorry".utf8))
            try await bench.expectNothingLeft()
        }
    }

    @Test("A retry after a refusal goes on with what there is", arguments: [Row.unavailable, .missing, .short, .multipart])
    func retried(_ row: Row) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then { exchange, file in try row.answer(exchange, file, start: 39_999, elsewhere: "") }
        let request = bench.resume(data).retry { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }
        try await bench.expectFile(await request.end)
        #expect(request.retryCount == (row == .multipart ? 0 : 1))
        let ranges = try bench.takeRequests(2).map { $0.header("Range") ?? "" }
        #expect(ranges == ["bytes=39999-", row == .short ? "bytes=40998-" : row == .multipart ? "" : "bytes=39999-"])
    }

    @Test(
        "A part that cannot be used does not cost what there is, if the whole file does not come either", arguments: [503, 206, 202, 204])
    func uselessTwice(status: Int) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then { exchange, file in try Row.withoutRange.answer(exchange, file, start: 39_999, elsewhere: "") }
        bench.then { exchange, _ in try ServedFile.send(status, status == 204 ? [] : ["Content-Length: 0"], to: exchange) }
        let response = await bench.resume(data).end
        #expect(response.kind == .downloadResumptionRefused(status))
        let kept = try #require(response.resumeData)
        #expect(kept == data)
        _ = try bench.takeRequests(2)
        try await bench.expectFile(resuming: kept)
        #expect(try bench.takeRequest().header("Range") == "bytes=39999-")
    }

    @Test("The rest of a part that cannot be used is not awaited")
    func uselessRest() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        let hasEnded = DispatchSemaphore(value: 0)
        bench.then { exchange, file in
            // Also if the connection is closed while the bytes are sent.
            defer { hasEnded.signal() }
            try ServedFile.send(206, file.fields + ["Content-Length: 1000000000"], to: exchange)
            try exchange.sendBytes(file.body)
            exchange.waitForDisconnection()
        }
        try await bench.expectFile(resuming: data)
        hasEnded.wait()
    }

    @Test("A redirect that is not followed keeps the data")
    func unfollowed() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then { exchange, _ in try ServedFile.send(302, ["Location: /new", "Content-Length: 0"], to: exchange) }
        let response = await bench.resume(data).redirect(using: .doNotFollow).end
        #expect(response.kind == .downloadResumptionRefused(302) && response.resumeData == data)
        try await bench.expectFile(resuming: data)
    }
}
