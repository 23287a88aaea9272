import Foundation

/// A body in a content coding decodes the same whether it comes whole or in pieces and whatever room there is, and the limit is kept.
///
/// The first eight bytes of the input say where it is cut, the next one how much room there is.
func fuzzCoding(_ coding: String) -> @Sendable ([UInt8]) -> Void {
    { input in
        var source = Source(input)
        let cuts = source.word()
        let room = Int(source.byte()) + 1
        let body = source.rest()
        let whole = decode([body[...]], coding, room: 1 << 16)
        let cut = decode(cutting(body, at: cuts), coding, room: room * 64)
        check(whole.isComplete == cut.isComplete, "whole: \(whole.end), cut: \(cut.end)")
        if whole.isComplete { check(whole.content == cut.content, "cut, it has another content") }
        check(whole.content.count <= codingLimit && cut.content.count <= codingLimit, "the limit is exceeded")
        if !body.isEmpty, whole.isComplete {
            let twice = decode([body[...], body[...]], coding, room: 1 << 16)
            // Members and frames are one content; the other codings end once.
            let isJoined = coding == "gzip" || coding == "zstd"
            check(
                !twice.isComplete || (isJoined && twice.content == whole.content + whole.content) || body.count <= 4, "twice: \(twice.end)")
        }
    }
}

private let codingLimit = 1 << 20

private struct DecodedBody {
    var content = Data()
    var end = "complete"
    var isComplete: Bool { end == "complete" }
}

private func decode(_ pieces: [ArraySlice<UInt8>], _ coding: String, room: Int) -> DecodedBody {
    var decoded = DecodedBody()
    guard let decoder = ContentDecoder(contentEncoding: [coding], limit: codingLimit) else { fatalError("\(coding) is no coding") }
    do {
        for piece in pieces {
            var rest = piece
            var isDrained = false
            while !isDrained {
                let progress = try rest.withUnsafeBytes { bytes throws(TransportError) in
                    try decoder.decode(bytes, room: room) { decoded.content += $0 }
                }
                check(progress.isDrained || progress.consumed > 0 || progress.written > 0, "no progress")
                check(!progress.isDrained || progress.consumed == rest.count, "drained with input left")
                rest = rest.dropFirst(progress.consumed)
                isDrained = progress.isDrained
            }
        }
        try decoder.finish()
    } catch {
        decoded.end = "\(error)"
    }
    return decoded
}

/// The bytes, cut where the number has a bit.
private func cutting(_ bytes: [UInt8], at cuts: UInt64) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    for index in bytes.indices where cuts >> UInt64(index % 64) & 1 == 1 {
        pieces.append(bytes[start..<index])
        start = index
    }
    return pieces + [bytes[start...]]
}
