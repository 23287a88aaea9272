/// A media type is written and read as itself, and matches itself.
func fuzzMediaType(_ input: [UInt8]) {
    for text in [latin1(input), String(decoding: input, as: UTF8.self)] {
        guard let media = MediaType(text) else { continue }
        check(MediaType("\(media.type)/\(media.subtype)") == media, "\(media) reads as another")
        check(MediaType(" \(media.type.uppercased())/\(media.subtype)\t; a=b") == media, "\(media) reads as another beside parameters")
        check(media.matches(media) && MediaType("*/*").map { $0.matches(media) } == true, "\(media) is in no range")
        check((media.type + media.subtype).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/;,".utf8.contains($0) }, "\(media)")
    }
}
