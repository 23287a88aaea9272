import Foundation
import Testing

@testable import Firewheel

/// Runs a reader over an input in pieces, and writes down its events so that they do not depend on the pieces.
struct ReaderBench {
    /// What follows the bytes on the connection.
    enum Ending {
        case stays
        /// The peer has closed its side.
        case closed
        /// The connection is lost.
        case lost
    }

    var method = HTTPMethod.get
    var wantsInterim = false
    var isLast = false
    var ending = Ending.stays

    private(set) var events: [String] = []
    private(set) var heads: [ResponseHead] = []
    private(set) var body: [UInt8] = []
    private(set) var trailers: HTTPHeaders?
    private(set) var error: TransportError?

    /// The events in one line: `200`, `"body"`, `end`, and `kept` or `closes`.
    var story: String { events.joined(separator: " ") }

    init(_ method: HTTPMethod = .get, wantsInterim: Bool = false, isLast: Bool = false, ending: Ending = .stays) {
        self.method = method
        self.wantsInterim = wantsInterim
        self.isLast = isLast
        self.ending = ending
    }

    /// The bench after the input in the given pieces.
    func run(_ pieces: [ArraySlice<UInt8>], sourceLocation: SourceLocation = #_sourceLocation) -> ReaderBench {
        var bench = self
        var reader = ResponseReader(for: method, wantsInterim: wantsInterim, isLast: isLast)
        var open: [UInt8] = []
        var isKept: Bool?
        /// Writes an event down. False after the last one.
        func note(_ event: ResponseReader.Event, _ input: ArraySlice<UInt8>) -> Bool {
            if case .body(let range) = event {
                open += input.dropFirst(range.lowerBound).prefix(range.count)
                return true
            }
            if case .needsMore = event { return false }
            if !open.isEmpty {
                bench.body += open
                bench.events.append("\"\(String(decoding: open, as: UTF8.self))\"")
                open = []
            }
            switch event {
            case .needsMore, .body: return false
            case .interim(let head), .head(let head), .upgraded(let head):
                bench.heads.append(head)
                bench.events.append("\(head.statusCode)")
                return true
            case .end(let end):
                bench.trailers = end.trailers
                isKept = end.connectionStays
                return true
            case .excess:
                isKept = false
                return false
            case .failed(let error):
                bench.error = error
                guard case .failed(let code, let reason) = error else { return false }
                bench.events.append("\(code == .networkConnectionLost ? "lost" : "refused"): \(reason)")
                return false
            }
        }
        pieces: for piece in pieces {
            var rest = piece
            while true {
                let (consumed, event) = rest.withUnsafeBytes { reader.read($0) }
                #expect(consumed >= 0 && consumed <= rest.count, sourceLocation: sourceLocation)
                if case .body(let range) = event { #expect(range.upperBound == consumed && !range.isEmpty, sourceLocation: sourceLocation) }
                if case .needsMore = event { #expect(consumed == rest.count, sourceLocation: sourceLocation) }
                let goesOn = note(event, rest)
                if bench.error != nil { break pieces }
                rest = rest.dropFirst(consumed)
                guard goesOn else { break }
            }
        }
        if ending != .stays, bench.error == nil, isKept == nil { _ = note(reader.connectionEnded(isClean: ending == .closed), []) }
        // What is left open has no end.
        bench.body += open
        if !open.isEmpty { bench.events.append("\"\(String(decoding: open, as: UTF8.self))\"…") }
        if let isKept { bench.events.append(isKept ? "end kept" : "end closes") }
        return bench
    }

    /// The bench after the whole input. Every way to cut the input has to give the same events.
    func run(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> ReaderBench {
        run(bytes: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, sourceLocation: sourceLocation)
    }

    func run(bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> ReaderBench {
        let whole = run([bytes[...]], sourceLocation: sourceLocation)
        var cuts = (1..<max(2, bytes.count)).map { [bytes.prefix($0), bytes.dropFirst($0)] }
        cuts.append(bytes.indices.map { bytes[$0...$0] })
        var generator = SeededGenerator(state: UInt64(bytes.count))
        for _ in 0..<10 { cuts.append(Self.pieces(of: bytes, longest: 1 + bytes.count / 4, using: &generator)) }
        for cut in cuts {
            let other = run(cut, sourceLocation: sourceLocation)
            guard other.story == whole.story, other.heads == whole.heads, other.trailers == whole.trailers else {
                Issue.record("cut after \(cut.map(\.endIndex).dropLast()): \(other.story)", sourceLocation: sourceLocation)
                break
            }
        }
        return whole
    }

    static func pieces(of bytes: [UInt8], longest: Int, using generator: inout SeededGenerator) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...longest, using: &generator))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

/// A response and what is read of it. `|` stands for CRLF.
struct ReaderCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let input: String
    let story: String
    var method = HTTPMethod.get
    var ending = ReaderBench.Ending.stays

    init(_ title: String, _ input: String, _ story: String, _ method: HTTPMethod = .get, _ ending: ReaderBench.Ending = .stays) {
        testDescription = title
        self.input = input.replacingOccurrences(of: "|", with: "\r\n")
        self.story = story
        self.method = method
        self.ending = ending
    }

    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let bench = ReaderBench(method, ending: ending).run(input, sourceLocation: sourceLocation)
        #expect(bench.story == story, sourceLocation: sourceLocation)
    }
}
