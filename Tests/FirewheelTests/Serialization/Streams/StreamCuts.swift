import Foundation

@testable import Firewheel

/// Ways to cut a stream into pieces, and what the library makes of the pieces.
enum StreamCuts {
    /// The whole, every single cut, pieces of one byte, and pieces of two bytes.
    static func all(_ stream: [UInt8]) -> [[[UInt8]]] {
        let cuts = stream.indices.map { [Array(stream[..<$0]), Array(stream[$0...])] }
        return [[stream], pieces(stream, of: 1), pieces(stream, of: 2)] + cuts
    }

    static func pieces(_ stream: [UInt8], of length: Int) -> [[UInt8]] {
        stride(from: 0, to: stream.count, by: length).map { Array(stream[$0..<min($0 + length, stream.count)]) }
    }

    /// Pieces of random lengths, also empty ones.
    static func random(_ stream: [UInt8], using generator: inout SeededGenerator) -> [[UInt8]] {
        var (rest, pieces) = (stream[...], [[UInt8]]())
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...7, using: &generator))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// Data as a slice of a longer one, whose indices do not begin at 0.
    static func slice(_ piece: [UInt8]) -> Data {
        (Data("before".utf8) + piece + Data("after".utf8)).dropFirst(6).dropLast(5)
    }

    static func text(_ pieces: [[UInt8]]) -> [UInt8] {
        var splitter = UTF8Splitter()
        let text = pieces.map { splitter.text(of: slice($0)) }.joined() + splitter.finish()
        return Array(text.utf8)
    }

    static func lines(_ pieces: [[UInt8]], maximumLength: Int = .max) throws -> ReferenceLines {
        var splitter = LineSplitter(maximumLength: maximumLength)
        var lines = ReferenceLines([])
        for piece in pieces {
            splitter.append(slice(piece))
            while let line = try splitter.next({ Array($0) }) { lines.complete.append(line) }
        }
        while let line = try splitter.finish({ Array($0) }) { lines.last = line }
        return lines
    }

    static func events(_ pieces: [[UInt8]], lastEventID: String? = nil) throws -> (events: [ServerSentEvent], parser: EventStreamParser) {
        var parser = EventStreamParser(lastEventID: lastEventID)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.append(slice(piece))
            while let event = try parser.next() { events.append(event) }
        }
        return (events, parser)
    }
}

extension ServerSentEvent {
    /// The event with texts as bytes, because Swift strings compare by canonical equivalence.
    var bytes: [[UInt8]?] {
        [id.map { Array($0.utf8) }, event.map { Array($0.utf8) }, Array(data.utf8), retry.map { Array("\($0)".utf8) }]
    }
}

extension ReferenceEvent {
    var asEvent: ServerSentEvent {
        ServerSentEvent(id: id, event: event, data: data, retry: retryMilliseconds.map { .milliseconds($0) })
    }
}
