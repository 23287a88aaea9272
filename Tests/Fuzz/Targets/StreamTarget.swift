import Foundation

// Streams of text in pieces are read like the plain reference reads the whole.

/// The lines are those of the whole, and a limit refuses a line exactly if it is longer. Lines may be taken one by one or several at once.
func fuzzLines(_ input: [UInt8]) {
    var source = Source(input)
    let (cut, limit) = (source.word(), Int(source.byte()))
    let several = Int(cut >> 24 & 0xF)
    let stream = source.rest()
    let reference = ReferenceLines(stream)
    for length in [stream.count, 1, 2] + lengths(cut) {
        let expected = reference.complete + (reference.last.isEmpty ? [] : [reference.last])
        let isAllowed = expected.allSatisfy { $0.count <= limit }
        for most in [0, several] {
            let lines = readLines(LineSplitter(maximumLength: .max), pieces(stream, of: length), upTo: most) ?? []
            check(lines == expected, "other lines in pieces of \(length), \(most) at once")
            let limited = readLines(LineSplitter(maximumLength: limit), pieces(stream, of: length), upTo: most)
            check((limited != nil) == isAllowed, "another limit in pieces of \(length), \(most) at once")
        }
    }
}

/// The text is that of the whole.
func fuzzUTF8(_ input: [UInt8]) {
    var source = Source(input)
    let cut = source.word()
    let stream = source.rest()
    let whole = String(decoding: withoutByteOrderMark(stream), as: UTF8.self)
    for length in [stream.count, 1, 2, 3] + lengths(cut) {
        var splitter = UTF8Splitter()
        let text = pieces(stream, of: length).map { splitter.text(of: $0) }.joined() + splitter.finish()
        check(text.utf8.elementsEqual(whole.utf8), "another text in pieces of \(length)")
    }
}

/// The events are those of the whole, and a limit bounds what an event has.
func fuzzEvents(_ input: [UInt8]) {
    var source = Source(input)
    let (cut, limit) = (source.word(), Int(source.byte()))
    let stream = source.rest()
    let reference = ReferenceEvents(stream)
    for length in [stream.count, 1, 2] + lengths(cut) {
        var parser = EventStreamParser()
        let events = readEvents(&parser, pieces(stream, of: length)) ?? []
        check(events.count == reference.events.count, "\(events.count) events in pieces of \(length)")
        for (event, expected) in zip(events, reference.events) {
            check(same(event.id, expected.id) && same(event.event, expected.event) && same(event.data, expected.data), "another event")
            check(event.retry == expected.retryMilliseconds.map { .milliseconds($0) }, "another reconnection time")
        }
        check(same(parser.lastEventID ?? "", reference.lastEventID), "another last event ID")
        check(parser.retry == reference.retryMilliseconds.map { .milliseconds($0) }, "another last reconnection time")
        var limited = EventStreamParser(maximumEventSize: limit)
        for event in readEvents(&limited, pieces(stream, of: length)) ?? [] {
            // Each invalid byte has become three.
            check(event.data.utf8.count + (event.event ?? "").utf8.count <= 3 * limit, "an event above the limit")
        }
    }
}

/// Lengths of pieces, from 1 to 65,536.
private func lengths(_ word: UInt64) -> [Int] {
    [Int(word & 0xFF) + 1, Int(word >> 8 & 0xFFFF) + 1]
}

private func pieces(_ stream: [UInt8], of length: Int) -> [Data] {
    // Pieces of a byte would take too long with a large input.
    let length = max(length, stream.count / 10_000, 1)
    return stride(from: 0, to: stream.count, by: length).map { Data(stream[$0..<min($0 + length, stream.count)]) }
}

/// nil if a line is too long.
///
/// - Parameter most: How many lines are taken at once as long as they lie within one piece, as `LineFraming` does; 0 for none.
private func readLines(_ splitter: LineSplitter, _ pieces: [Data], upTo most: Int) -> [[UInt8]]? {
    var (splitter, lines): (LineSplitter, [[UInt8]]) = (splitter, [])
    do {
        for piece in pieces {
            splitter.append(piece)
            while true {
                splitter.takeWhole(upTo: most) { lines.append(Array($0)) }
                guard let line = try splitter.next({ Array($0) }) else { break }
                lines.append(line)
            }
        }
        while let line = try splitter.finish({ Array($0) }) { lines.append(line) }
        return lines
    } catch {
        check(error is LineSplitter.LineTooLong, "another error")
        return nil
    }
}

/// nil if an event is too large.
private func readEvents(_ parser: inout EventStreamParser, _ pieces: [Data]) -> [ServerSentEvent]? {
    var events: [ServerSentEvent] = []
    for piece in pieces {
        parser.append(piece)
        do {
            while let event = try parser.next() { events.append(event) }
        } catch {
            return nil
        }
    }
    return events
}

private func same(_ left: String?, _ right: String?) -> Bool {
    left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
}
