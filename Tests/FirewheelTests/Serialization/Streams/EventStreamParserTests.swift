import Foundation
import Testing

@testable import Firewheel

/// Event streams are parsed by the HTML standard, section 9.2.6, however they are cut.
struct EventStreamParserTests {
    @Test(
        arguments: EventStreamCase.webPlatformTests + EventStreamCase.basicParsing + EventStreamCase.byteOrderMarks
            + EventStreamCase.comments
            + EventStreamCase.lineFeeds)
    func eachCutOfACaseGivesItsEvents(of example: EventStreamCase) throws {
        // Each cut of a long stream would take seconds.
        let isLong = example.stream.count > 1_000
        let cuts = isLong ? [1, 2, 3, 1_000].map { StreamCuts.pieces(example.stream, of: $0) } : StreamCuts.all(example.stream)
        for pieces in cuts {
            let (events, parser) = try StreamCuts.events(pieces)
            #expect(events.map(\.bytes) == example.events.map(\.bytes), "\(pieces)")
            #expect(parser.lastEventID == example.lastEventID && parser.retry == example.retry, "\(pieces)")
        }
    }

    @Test func theTablesAreTheWholeOfTheSuites() {
        #expect(EventStreamCase.webPlatformTests.count == 22)
        // With the two large messages, the default type, the pieces of one byte and the cuts, which are tests of their own.
        #expect(EventStreamCase.basicParsing.count == 18 && EventStreamCase.byteOrderMarks.count == 9)
        #expect(EventStreamCase.comments.count == 4 && EventStreamCase.lineFeeds.count == 18)
    }

    /// The case "CRLF where CR is end of 1 chunk" of sse-contract-tests: each event comes as soon as its line has an end.
    @Test func aCarriageReturnAtTheEndOfAPieceCompletesAnEventAtOnce() throws {
        var parser = EventStreamParser()
        let counts = try ["data: Hello\r", "\ndata: World\r", "\n\r", "\ndata: OK\r", "\n", "\r", "\n"].map { piece in
            parser.append(Data(piece.utf8))
            return try parser.next().map(\.data)
        }
        #expect(counts == [nil, nil, "Hello\nWorld", nil, nil, "OK", nil])
    }

    @Test func randomStreamsGiveTheEventsOfTheReference() throws {
        var generator = SeededGenerator(state: 2)
        let words: [[UInt8]] =
            [
                "data", "data:", "data: ", "id", "id:", "event:", "event: ", "retry:", "12", "99999999999999999999", ":", " ", "\n", "\r",
                "\r\n", "\n\n", "\0",
                "é", "\u{FEFF}",
            ].map { Array($0.utf8) } + [[0xE2, 0x82], [0xFF]]
        for _ in 0..<3_000 {
            let stream = (0..<Int.random(in: 0...24, using: &generator)).flatMap { _ in words.randomElement(using: &generator) ?? [] }
            let before = Bool.random(using: &generator) ? "before" : nil
            let reference = ReferenceEvents(stream, lastEventID: before ?? "")
            let (events, parser) = try StreamCuts.events(StreamCuts.random(stream, using: &generator), lastEventID: before)
            #expect(events.map(\.bytes) == reference.events.map(\.asEvent.bytes), "\(stream)")
            #expect(Array((parser.lastEventID ?? "").utf8) == Array(reference.lastEventID.utf8), "\(stream)")
            #expect(parser.retry == reference.retryMilliseconds.map { .milliseconds($0) }, "\(stream)")
        }
    }

    // MARK: Fields

    /// The standard sets no bound. A larger number never means a shorter wait.
    @Test(
        arguments: [
            ("0", .zero), ("1", .milliseconds(1)), ("86400000", .seconds(86_400)), ("86400001", .seconds(86_400)),
            ("9223372036854775808", .seconds(86_400)), ("99999999999999999999", .seconds(86_400)),
            (String(repeating: "0", count: 50), .zero),
            ("-1", nil), ("+1", nil), ("1.5", nil), ("0x10", nil), ("1 ", nil), ("  1", nil), ("١", nil), ("", nil),
        ] as [(String, Duration?)])
    func theReconnectionTimeIsDigitsAndAtMostADay(value: String, time: Duration?) throws {
        let (events, parser) = try StreamCuts.events([Array("retry: \(value)\ndata\n\n".utf8)])
        #expect(parser.retry == time && events.map(\.retry) == [time])
    }

    /// The reconnection time counts from its line on; an ID only from the blank line on.
    @Test func anIncompleteEventIsDroppedWithItsID() throws {
        var parser = EventStreamParser(lastEventID: "1")
        parser.append(Data("data: lost\nevent: lost\nid: 2\nretry: 5\n".utf8))
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == "1" && parser.retry == .milliseconds(5))
        parser.reset()
        parser.append(Data("\u{FEFF}data: next\n\n".utf8))
        #expect(try parser.next() == ServerSentEvent(id: "1", data: "next"))
        #expect(parser.lastEventID == "1" && parser.retry == .milliseconds(5))
    }

    @Test func anIDWithoutDataIsTaken() throws {
        let (events, parser) = try StreamCuts.events([Array("id: 7\nevent: lost\n\ndata: x\n\n".utf8)])
        #expect(events == [ServerSentEvent(id: "7", data: "x")] && parser.lastEventID == "7")
    }

    @Test func invalidBytesAreReplaced() throws {
        let stream = Array("id: ".utf8) + [0xFF] + Array("\ndata: a".utf8) + [0xE2, 0x82] + Array("\ndata: b\n\n".utf8)
        for pieces in StreamCuts.all(stream) {
            #expect(try StreamCuts.events(pieces).events == [ServerSentEvent(id: "\u{FFFD}", data: "a\u{FFFD}\nb")])
        }
    }

    // MARK: Limit

    @Test(arguments: [
        ("data: 12345678\n\n", true), ("data: 123456789\n\n", false), ("data: 1234\ndata: 678\n\n", true),
        ("data: 1234\ndata: 6789\n\n", false),
        ("data: 123\nid: 456\nevent: 7\n\n", true), ("data: 123\nid: 456\nevent: 78\n\n", false),
        ("event: 12\nid: 456\ndata: 789\n\n", true),
        ("event: 12\nid: 456\ndata: 7890\n\n", false), ("event: 12345678\nevent: 12345678\ndata\n\n", true),
        ("id: 12345678\n\ndata: 12345678\n\n", true),
        ("event: 123456789\n\n", false), ("id: 123456789\n\n", false), ("event: 12345678\n\n", true), (":345678901234567\n", false),
        ("unknown: 9012345\n", false), ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", true),
        ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", false),
    ])
    func dataNameAndIDTogetherHaveALimit(stream: String, isAllowed: Bool) throws {
        for pieces in StreamCuts.all(Array((stream + "data: z\n\n").utf8)) {
            var parser = EventStreamParser(maximumEventSize: 8)
            var (events, errors) = ([String](), 0)
            for piece in pieces {
                parser.append(Data(piece))
                do {
                    while let event = try parser.next() { events.append(event.data) }
                } catch {
                    #expect(error == .init(limit: 8))
                    errors += 1
                }
            }
            #expect(errors == (isAllowed ? 0 : 1) && (events.last == "z") == isAllowed, "\(pieces)")
            parser.reset()
            parser.append(Data("data\n\n".utf8))
            #expect(try parser.next()?.data == "")
        }
    }

    /// The cases "large message" of sse-contract-tests, of 7 and 14 MB.
    @Test func largeEventsArriveWhole() throws {
        let line = [UInt8](repeating: 0x61, count: 6_990_508)
        for (pieces, count) in [([line], line.count), ([line, line], 2 * line.count)] {
            let (events, _) = try StreamCuts.events([Array("data: ".utf8)] + pieces + [[0x0A, 0x0A]])
            #expect(events.map(\.data.utf8.count) == [count])
        }
    }

    @Test func dataOfManyLinesIsOneEvent() throws {
        var parser = EventStreamParser()
        let piece = Data(String(repeating: "data: 1234567\n", count: 1_000).utf8)
        for _ in 0..<200 {
            parser.append(piece)
            #expect(try parser.next() == nil)
        }
        parser.append(Data("\n".utf8))
        #expect(try parser.next()?.data.utf8.count == 200_000 * 8 - 1)
    }

    /// What a parser holds after many events is what it holds after one.
    @Test func aLongStreamLeavesNothingBehind() throws {
        var parser = EventStreamParser()
        let piece = Data((0..<1_000).map { "id: \($0)\nevent: name\ndata: some data\n\n" }.joined().utf8)
        var count = 0
        for _ in 0..<TestDepth.choose(100, deep: 1_000) {
            parser.append(piece)
            while try parser.next() != nil { count += 1 }
        }
        #expect(count == TestDepth.choose(100_000, deep: 1_000_000))
        #expect(Self.heldBytes(parser) < 4_096)
    }

    /// 1 GB in lines, without a blank line, of which no more than the limit is kept.
    @Test func anEndlessEventIsRefusedEarly() {
        var parser = EventStreamParser(maximumEventSize: 1_000_000)
        let piece = Data(String(repeating: "data: 1234567\n", count: 4_000).utf8)
        var taken = 0
        #expect(throws: EventStreamParser.EventTooLarge(limit: 1_000_000)) {
            while taken < 1_000_000_000 {
                parser.append(piece)
                _ = try parser.next()
                taken += piece.count
            }
        }
        #expect(taken < 2_000_000)
    }

    /// The capacity of the arrays and the bytes of the data in a value.
    private static func heldBytes(_ value: Any) -> Int {
        switch value {
        case let bytes as [UInt8]: bytes.capacity
        case let data as Data: data.count
        default: Mirror(reflecting: value).children.map { heldBytes($0.value) }.reduce(0, +)
        }
    }
}
