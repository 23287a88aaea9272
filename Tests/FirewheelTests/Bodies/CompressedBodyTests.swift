#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A streamed body that is compressed. ``ConformanceStream`` also checks how the reader inside is used (`BodyReader`).
    @Suite("Bodies that are compressed while they are sent", .timeLimit(.minutes(5)))
    struct CompressedBodyTests {
        typealias Coding = DeflateRequestCompressor.Coding

        private struct Sent {
            var pieces: [Data] = []
            var trailers = HTTPHeaders()
            var error: TransportError?

            func decoded(_ coding: Coding) -> Decoded { Decoded.decode(pieces, coding.rawValue) }
        }

        private static func ask(_ reader: any BodyReader, upTo count: Int = 65_536) async -> BodyPiece {
            await withCheckedContinuation { continuation in
                reader.read(upTo: count) { continuation.resume(returning: $0) }
            }
        }

        private func send(_ body: CompressedBody, upTo count: () -> Int = { 65_536 }) async -> Sent {
            let reader = body.makeReader()
            defer { reader.close() }
            var sent = Sent()
            while true {
                let count = count()
                switch await Self.ask(reader, upTo: count) {
                case .data(let data):
                    #expect(!data.isEmpty && data.count <= count)
                    sent.pieces.append(data)
                case .end(let trailers):
                    sent.trailers = trailers
                    return sent
                case .failed(let error):
                    sent.error = error
                    return sent
                }
            }
        }

        private func random(_ count: Int, _ range: ClosedRange<UInt8>, _ generator: inout SeededGenerator) -> Data {
            Data((0..<count).map { _ in UInt8.random(in: range, using: &generator) })
        }

        // MARK: Content

        @Test("A stream arrives as it was, with its trailers", arguments: Coding.allCases, ConformanceStream.Manner.allCases)
        func stream(coding: Coding, manner: ConformanceStream.Manner) async {
            let body = ConformanceData.pattern(300_000)
            let stream = ConformanceStream(body, length: 300_000, manner, trailers: ["X-Sum": "1"], isRepeatable: true)
            let compressed = CompressedBody(source: .stream(stream), coding: coding)
            #expect(compressed.length == nil && compressed.isRepeatable)
            for _ in 0..<2 {
                let sent = await send(compressed)
                #expect(sent.error == nil && sent.trailers == ["X-Sum": "1"])
                #expect(sent.decoded(coding).error == nil && sent.decoded(coding).content == body)
            }
            #expect(stream.problem(within: 60) == nil && stream.readerCount == 2)
        }

        @Test("Random bodies in random pieces arrive as they were, whatever the transport asks for")
        func randomPieces() async {
            var generator = SeededGenerator(state: 5)
            for round in 0..<60 {
                let range: ClosedRange<UInt8> = round % 2 == 0 ? 0...255 : 97...98
                let body = random(Int.random(in: 0...20_000, using: &generator), range, &generator)
                let coding = Coding.allCases[round / 2 % 2]
                let stream = ConformanceStream(body, length: nil, pieces: Int.random(in: 1...5_000, using: &generator))
                let sent = await send(CompressedBody(source: .stream(stream), coding: coding)) {
                    Int.random(in: 1...2_000, using: &generator)
                }
                #expect(sent.decoded(coding).error == nil && sent.decoded(coding).content == body, "round \(round)")
                #expect(stream.problem(within: 60) == nil)
            }
        }

        @Test("A transport that asks for single bytes gets them", arguments: Coding.allCases)
        func singleBytes(coding: Coding) async throws {
            let body = Data(CodingFixtures.plain)
            let sent = await send(CompressedBody(source: .data(body), coding: coding)) { 1 }
            #expect(Data(sent.pieces.joined()) == (try BodyCompressor.compress(body, coding)))
        }

        @Test("A stream without bytes compresses to a body that is whole", arguments: Coding.allCases)
        func empty(coding: Coding) async {
            let stream = ConformanceStream(Data(), length: nil)
            #expect(!CompressedBody(source: .stream(stream), coding: coding).isRepeatable)
            let sent = await send(CompressedBody(source: .stream(stream), coding: coding))
            #expect(sent.pieces.count == 1 && sent.decoded(coding).error == nil && sent.decoded(coding).content.isEmpty)
            #expect(stream.problem(within: 60) == nil)
        }

        @Test("Empty pieces, and pieces that compress to nothing yet, are not passed on")
        func emptyPieces() async {
            let stream = ConformanceStream(length: nil) { ask in
                if ask.number % 2 == 0 { return .data(Data()) }
                return ask.number < 2_000 ? .data(Data("again and ".utf8)) : .end()
            }
            let sent = await send(CompressedBody(source: .stream(stream), coding: .gzip))
            #expect(sent.decoded(.gzip).content == Data(String(repeating: "again and ", count: 1_000).utf8))
            #expect(sent.pieces.count < 10)
            #expect(stream.problem(within: 60) == nil)
        }

        @Test("A part of a file arrives as it was")
        func file() async throws {
            let folder = try DownloadTests.Folder()
            let body = ConformanceData.pattern(200_000)
            try body.write(to: folder.file("body"))
            let sent = await send(CompressedBody(source: .file(folder.file("body"), offset: 1_000, length: 150_000), coding: .deflate))
            #expect(sent.decoded(.deflate).content == body.dropFirst(1_000).prefix(150_000))
            let missing = await send(CompressedBody(source: .file(folder.file("nothing"), length: 5), coding: .deflate))
            guard case .failed(.requestBodyStreamExhausted, let text) = missing.error else {
                Issue.record("\(missing)")
                return
            }
            #expect(text.contains("nothing"))
        }

        @Test("100 MB take less than 16 MB of memory")
        func memory() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let total = 100_000_000
                let block = ConformanceData.pattern(1_000)
                let piece = Data(repeatElement(block, count: 65).joined())
                let stream = ConformanceStream(length: Int64(total)) { ask in
                    ask.offset < total ? .data(piece.prefix(min(ask.count, total - ask.offset))) : .end()
                }
                let decoder = try #require(ContentDecoder(contentEncoding: ["deflate"]))
                let reader = CompressedBody(source: .stream(stream), coding: .deflate).makeReader()
                let before = try #require(ProcessFacts.peakMemory)
                while case .data(let data) = await Self.ask(reader) {
                    var used = 0
                    var isDrained = false
                    while !isDrained {
                        let progress = try decoder.decode(Array(data)[used...], room: 1 << 20) { _ in }
                        used += progress.consumed
                        isDrained = progress.isDrained
                    }
                }
                reader.close()
                try decoder.finish()
                #expect(decoder.decodedCount == total)
                let used = try #require(ProcessFacts.peakMemory) - before
                #expect(used < 16 << 20, "\(used) bytes")
            }
        }

        // MARK: Failures

        @Test("The failure of the body inside is passed on")
        func failure() async {
            let failure = TransportError.failed(.requestBodyStreamExhausted, "the tape tore")
            let stream = ConformanceStream(length: nil) { ask in
                ask.number == 0 ? .data(ConformanceData.pattern(ask.count)) : .failed(failure)
            }
            let sent = await send(CompressedBody(source: .stream(stream), coding: .gzip))
            #expect(sent.error == failure)
            #expect(stream.problem(within: 60) == nil)
        }

        @Test("A body with more or fewer bytes than its length is an error (BodyStream.length)", arguments: [-1, 0, 99, 101])
        func wrongLength(length: Int64) async {
            let stream = ConformanceStream(Data(repeating: 1, count: 100), length: length, pieces: 30)
            let sent = await send(CompressedBody(source: .stream(stream), coding: .deflate))
            #expect(
                sent.error
                    == .failed(
                        .requestBodyStreamExhausted, "the body of the request does not have the \(length) bytes that it should have"))
            #expect(stream.problem(within: 60) == nil)
        }

        @Test("A second answer to the same question is ignored")
        func secondAnswer() async {
            let sent = await send(CompressedBody(source: .stream(StutteringStream()), coding: .deflate))
            #expect(sent.decoded(.deflate).content == Data("0123456789".utf8))
        }

        // MARK: Closing

        @Test("A reader that is closed before its first read asks for nothing")
        func closedAtFirst() {
            let stream = ConformanceStream(Data([1]), length: 1)
            CompressedBody(source: .stream(stream), coding: .deflate).makeReader().close()
            #expect(stream.problem(within: 60) == nil && stream.given == 0)
        }

        @Test("A reader that is closed while it waits for the body inside closes that, and its read ends")
        func closedInRead() async throws {
            let stream = ConformanceStream(length: nil) { _ in nil }
            let reader = CompressedBody(source: .stream(stream), coding: .deflate).makeReader()
            let pieces = Journal<BodyPiece>()
            reader.read(upTo: 10) { pieces.add($0) }
            #expect(stream.waitForRead(seconds: 60))
            reader.close()
            guard case .end(let trailers) = try await pieces.wait(for: 1)[0], trailers.isEmpty else {
                Issue.record("the read did not end")
                return
            }
            #expect(stream.problem(within: 60) == nil)
            // The late answer has no effect.
            stream.give(.data(Data([1])), within: 60)
            guard case .end = await Self.ask(reader) else {
                Issue.record("the closed reader goes on")
                return
            }
            #expect(stream.problem(within: 60) == nil)
        }

        @Test("A reader is closed once between two reads, after the end and after a failure")
        func closedLater() async {
            let ends: [BodyPiece] = [.end(), .failed(.failed(.requestBodyStreamExhausted, "broken"))]
            for (reads, end) in [(1, ends[0]), (100, ends[0]), (100, ends[1])] {
                let stream = ConformanceStream(length: nil) { ask in
                    ask.number < 3 ? .data(ConformanceData.pattern(ask.count)) : end
                }
                let reader = CompressedBody(source: .stream(stream), coding: .gzip).makeReader()
                for _ in 0..<reads {
                    guard case .data = await Self.ask(reader) else { break }
                }
                reader.close()
                // Only the first one counts.
                reader.close()
                #expect(stream.problem(within: 60) == nil)
                _ = await Self.ask(reader)
                #expect(stream.problem(within: 60) == nil)
            }
        }

        @Test("A closed reader is released, although the one inside never answers")
        func released() async throws {
            weak var reader: (any BodyReader)?
            do {
                // It keeps what waits for its answer.
                let stream = ConformanceStream(length: nil) { _ in nil }
                let made = CompressedBody(source: .stream(stream), coding: .deflate).makeReader()
                reader = made
                made.read(upTo: 10) { _ in }
                #expect(stream.waitForRead(seconds: 60))
                made.close()
            }
            try await waitUntil("the release of the reader") { [weak reader] in reader == nil }
        }

        @Test("A reader that is closed at any moment closes the one inside once, and asks it for nothing afterwards")
        func closedAnywhere() async {
            for round in 0..<100 {
                let manner: ConformanceStream.Manner = round % 2 == 0 ? .atOnce : .onAnotherThread
                let stream = ConformanceStream(ConformanceData.pattern(200_000), length: nil, pieces: 3_000, manner)
                let reader = CompressedBody(source: .stream(stream), coding: .deflate).makeReader()
                async let reading: Void = {
                    while case .data = await Self.ask(reader, upTo: 1_000) {}
                }()
                for _ in 0..<round { await Task.yield() }
                reader.close()
                await reading
                #expect(stream.problem(within: 60) == nil)
            }
        }
    }

    /// Answers each question twice.
    private struct StutteringStream: BodyStream {
        let length: Int64? = 10
        let isRepeatable = true

        func makeReader() -> any BodyReader { Reader() }

        private final class Reader: BodyReader {
            private let rest = Locked(Data("0123456789".utf8))

            func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
                let piece = rest.withLock { rest in
                    defer { rest = rest.dropFirst(3) }
                    return rest.prefix(3)
                }
                for _ in 0..<2 { answer(piece.isEmpty ? .end() : .data(piece)) }
            }

            func close() {}
        }
    }
#endif
