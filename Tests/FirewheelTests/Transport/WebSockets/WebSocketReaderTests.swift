import Foundation
import Testing

@testable import Firewheel

@Suite struct WebSocketReaderTests {
    private static let hello: [UInt8] = Array("Hello".utf8)

    /// The examples of RFC 6455 section 5.7.
    @Test func examples() {
        #expect(Reading([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) { client() }.events == [.text("Hello")])
        #expect(Reading([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) { server() }.events == [.text("Hello")])
        #expect(Reading([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]) { client() }.events == [.text("Hello")])
        #expect(Reading([0x89, 0x05] + Self.hello) { client() }.events == [.ping(Data(Self.hello))])
        #expect(
            Reading([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) { server() }.events == [.pong(Data(Self.hello))])
        let bytes = [UInt8](repeating: 7, count: 256)
        #expect(Reading([0x82, 0x7E, 0x01, 0x00] + bytes) { client() }.events == [.data(bytes)])
        let many = [UInt8](repeating: 9, count: 65_536)
        #expect(Reading([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + many) { client() }.events == [.data(many)])
    }

    /// Streams whose events must be the same wherever the bytes are cut.
    private static let streams: [(name: String, bytes: [UInt8], events: [WebSocketReader.Event])] = [
        ("empty messages", frame(0x81, []) + frame(0x82, []), [.text(""), .data([])]),
        ("empty fragments", frame(0x01, []) + frame(0x00, []) + frame(0x80, []), [.text("")]),
        (
            "control frames between fragments",
            frame(0x01, hello) + frame(0x89, [1]) + frame(0x00, []) + frame(0x8A, []) + frame(0x80, hello) + frame(0x89, []),
            [.ping(Data([1])), .pong(Data()), .text("HelloHello"), .ping(Data())]
        ),
        (
            "lengths around the forms",
            [125, 126, 127, 65_535, 65_536].flatMap { frame(0x82, [UInt8](repeating: 1, count: $0)) },
            [125, 126, 127, 65_535, 65_536].map { .data([UInt8](repeating: 1, count: $0)) }
        ),
        ("a character over fragments", frame(0x01, [0xF0, 0x9F]) + frame(0x00, [0x98]) + frame(0x80, [0x80]), [.text("😀")]),
        ("a byte order mark", frame(0x81, [0xEF, 0xBB, 0xBF, 0x61]), [.text("\u{FEFF}a")]),
        ("any bytes in data", frame(0x82, [0xFF, 0xFE, 0xED, 0xA0, 0x80]), [.data([0xFF, 0xFE, 0xED, 0xA0, 0x80])]),
        ("close without a code", frame(0x88, []), [.close(nil, reason: "")]),
        ("close with a code", closeFrame(1001), [.close(.goingAway, reason: "")]),
        ("close with a reason", closeFrame(4000, Array("día".utf8)), [.close(WebSocketCloseCode(rawValue: 4000), reason: "día")]),
        (
            "what follows a close frame",
            frame(0x81, hello) + closeFrame(1000) + closeFrame(1002) + frame(0x81, hello) + [0xFF, 0xFF],
            [.text("Hello"), .close(.normalClosure, reason: "")]
        ),
        ("close within a message", frame(0x01, hello) + closeFrame(1000), [.close(.normalClosure, reason: "")]),
        (
            "a reason of the largest size", closeFrame(1000, [UInt8](repeating: 0x61, count: 123)),
            [.close(.normalClosure, reason: String(repeating: "a", count: 123))]
        ),
    ]

    @Test(arguments: streams.indices) func cutAnywhere(_ index: Int) {
        let (name, bytes, events) = Self.streams[index]
        #expect(Reading(bytes) { client() }.events == events, "\(name)")
        // Of the long ones, only some places.
        for place in stride(from: 1, to: bytes.count, by: max(1, bytes.count / 500)) {
            #expect(Reading(bytes, pieces: [place]) { client() }.events == events, "\(name), cut at \(place)")
        }
        if bytes.count < 2_000 { #expect(Reading.bytewise(bytes) { client() }.events == events, "\(name), byte by byte") }
    }

    /// What is refused, with which code, and after how many bytes at the latest.
    private static let violations: [(name: String, bytes: [UInt8], after: Int, event: WebSocketReader.Event)] = [
        ("RSV1", [0xC1], 1, reserved), ("RSV2", [0xA1], 1, reserved), ("RSV3", [0x91], 1, reserved), ("RSV1 to 3", [0xF1], 1, reserved),
        ("RSV1 on a ping", [0xC9], 1, reserved),
        ("opcode 3", [0x83], 1, unknown(3)), ("opcode 4", [0x84], 1, unknown(4)), ("opcode 5", [0x05], 1, unknown(5)),
        ("opcode 6", [0x86], 1, unknown(6)), ("opcode 7", [0x87], 1, unknown(7)), ("opcode 11", [0x8B], 1, unknown(11)),
        ("opcode 12", [0x8C], 1, unknown(12)), ("opcode 13", [0x8D], 1, unknown(13)), ("opcode 14", [0x8E], 1, unknown(14)),
        ("opcode 15", [0x0F], 1, unknown(15)),
        ("a ping in fragments", [0x09], 1, .refused(.protocolError, "a control frame in fragments")),
        ("a close in fragments", [0x08], 1, .refused(.protocolError, "a control frame in fragments")),
        ("a pong of 126 bytes", [0x8A, 126], 2, long), ("a ping of 2^16 bytes", [0x89, 127], 2, long),
        ("a close of 126 bytes", [0x88, 126], 2, long),
        ("nothing to continue", [0x80], 1, .refused(.protocolError, "a continuation frame without a message to continue")),
        (
            "nothing to continue behind a message", frame(0x81, hello) + [0x00], 8,
            .refused(.protocolError, "a continuation frame without a message to continue")
        ),
        (
            "a message within one", frame(0x01, hello) + [0x81], 8,
            .refused(.protocolError, "a new message before the end of the last one")
        ),
        ("a mask", [0x81, 0x85], 2, .refused(.protocolError, "a frame with a mask, which only clients use")),
        ("2 bytes for 125", frame(0x82, [], lengthBytes: 2, declared: 125), 4, form),
        ("8 bytes for 125", frame(0x82, [], lengthBytes: 8, declared: 125), 10, form),
        ("8 bytes for 65,535", frame(0x82, [], lengthBytes: 8, declared: 65_535), 10, form),
        (
            "a length of 64 bits", frame(0x82, [], lengthBytes: 8, declared: 1 << 63), 3,
            .refused(.protocolError, "a frame with a length of more than 63 bits")
        ),
        ("half a code", [0x88, 0x01], 2, .refused(.protocolError, "a close frame with half a code")),
        ("code 0", closeFrame(0), 4, code(0)), ("code 999", closeFrame(999), 4, code(999)), ("code 1004", closeFrame(1004), 4, code(1004)),
        ("code 1005", closeFrame(1005), 4, code(1005)), ("code 1006", closeFrame(1006), 4, code(1006)),
        ("code 1015", closeFrame(1015), 4, code(1015)), ("code 1016", closeFrame(1016), 4, code(1016)),
        ("code 2999", closeFrame(2999), 4, code(2999)), ("code 5000", closeFrame(5000), 4, code(5000)),
        ("code 65535", closeFrame(65_535), 4, code(65_535)),
        ("a code with a reason to come", Array(closeFrame(1005, hello).prefix(4)), 4, code(1005)),
        ("a reason that is not UTF-8", closeFrame(1000, [0x61, 0xFF, 0x61]), 6, reason),
        ("a reason cut within a character", closeFrame(1000, [0x61, 0xC3]), 6, reason),
        ("a byte that is never UTF-8", frame(0x81, [0x61, 0xFF, 0x61, 0x61]), 4, text),
        ("a surrogate", frame(0x81, [0xED, 0xA0, 0x80]), 4, text),
        ("an overlong form", frame(0x81, [0xC0, 0xAF]), 3, text),
        ("a number above U+10FFFF", frame(0x81, [0xF4, 0x90, 0x80, 0x80]), 4, text),
        ("a character cut at the end", frame(0x81, [0x61, 0xC3]), 4, text),
        ("a character cut by a fragment", frame(0x01, [0xC3]) + frame(0x80, [0x61]), 6, text),
        ("a character cut by the last fragment", frame(0x01, [0x61]) + frame(0x80, [0xE2, 0x82]), 7, text),
        (
            "half of a large frame", Array(frame(0x81, [0x61, 0x61, 0xFF], declared: 60_000)), 7, text
        ),
    ]
    private static let reserved = WebSocketReader.Event.refused(
        .protocolError, "a frame with a reserved bit set that no extension defines")
    private static let long = WebSocketReader.Event.refused(.protocolError, "a control frame of more than 125 bytes")
    private static let form = WebSocketReader.Event.refused(.protocolError, "a frame whose length is not in its shortest form")
    private static let text = WebSocketReader.Event.refused(.invalidFramePayloadData, "text that is not UTF-8")
    private static let reason = WebSocketReader.Event.refused(
        .invalidFramePayloadData, "a close frame with a reason that is not UTF-8")

    private static func unknown(_ opcode: UInt8) -> WebSocketReader.Event {
        .refused(.protocolError, "a frame with the unknown opcode \(opcode)")
    }

    private static func code(_ code: UInt16) -> WebSocketReader.Event {
        .refused(.protocolError, "a close frame with the invalid code \(code)")
    }

    @Test(arguments: violations.indices) func refusesAtOnce(_ index: Int) {
        let (name, bytes, after, event) = Self.violations[index]
        #expect(Reading(bytes) { client() }.events.last == event, "\(name)")
        let slow = Reading.bytewise(bytes) { client() }
        #expect(slow.events.last == event, "\(name), byte by byte")
        #expect(slow.failedAfter == after, "\(name) is refused after \(slow.failedAfter ?? -1) bytes")
        for place in 1..<max(2, bytes.count) where place < bytes.count {
            #expect(Reading(bytes, pieces: [place]) { client() }.events.last == event, "\(name), cut at \(place)")
        }
    }

    @Test func refusesFurtherBytes() {
        let reader = client()
        let bytes: [UInt8] = [0x83, 0x00] + frame(0x81, Self.hello)
        let first = bytes.withUnsafeBytes { reader.read($0) }
        let second = bytes.withUnsafeBytes { reader.read($0) }
        #expect(first.event == Self.unknown(3))
        #expect(second.event == Self.unknown(3))
        #expect(second.consumed == 0)
    }

    @Test func serverNeedsMasks() {
        let expected = WebSocketReader.Event.refused(.protocolError, "a frame without the mask that clients must use")
        #expect(Reading(frame(0x81, Self.hello)) { server() }.events == [expected])
        let masked = frame(0x81, Self.hello, mask: [1, 2, 3, 4]) + frame(0x89, Self.hello, mask: [255, 0, 128, 7])
        let events: [WebSocketReader.Event] = [.text("Hello"), .ping(Data(Self.hello))]
        #expect(Reading(masked) { server() }.events == events)
        #expect(Reading.bytewise(masked) { server() }.events == events)
    }

    /// Many fragments of a message take time that is linear in their number, and a message ends in the right place.
    @Test func manyFragments() {
        let reader = client(message: 1 << 24)
        let piece = [UInt8](repeating: 1, count: 100)
        var (events, sent): ([WebSocketReader.Event], Int) = ([], 0)
        func read(_ bytes: some Sequence<UInt8>) {
            var rest = Array(bytes)[...]
            while true {
                let (consumed, event) = rest.withUnsafeBytes { reader.read($0) }
                rest = rest.dropFirst(consumed)
                if case .needsMore = event { return }
                events.append(event)
            }
        }
        for number in 0..<10_000 {
            let bytes = frame(number == 0 ? 0x02 : number == 9_999 ? 0x80 : 0x00, piece)
            read(bytes.prefix(50))
            #expect(reader.isWithinMessage)
            read(bytes.dropFirst(50))
            sent += piece.count
        }
        #expect(events == [.message(.data(Data(repeating: 1, count: sent)))])
        #expect(!reader.isWithinMessage)
    }

    @Test func limits() {
        let tooLarge = WebSocketReader.Event.refused(.messageTooBig, "a message of more than 10 bytes")
        let ten = [UInt8](repeating: 0x61, count: 10)
        #expect(Reading(frame(0x82, ten)) { client(message: 10) }.events == [.data(ten)])
        #expect(Reading(frame(0x02, ten) + frame(0x80, [])) { client(message: 10) }.events == [.data(ten)])
        // The declared length is enough to refuse it.
        #expect(Reading([0x82, 11]) { client(message: 10) }.events == [tooLarge])
        #expect(Reading(frame(0x02, ten) + [0x00, 1]) { client(message: 10) }.events == [tooLarge])
        #expect(Reading(Array(frame(0x82, [], declared: 1 << 40).prefix(10))) { client(message: 10) }.events == [tooLarge])
        #expect(Reading(Array(frame(0x82, [], declared: .max >> 1).prefix(10))) { client(message: .max) }.events == [])
        // A control frame is no part of it.
        let between = frame(0x02, ten) + frame(0x89, ten + ten) + frame(0x80, [])
        #expect(Reading(between) { client(message: 10) }.events == [.ping(Data(ten + ten)), .data(ten)])

        let frameTooLarge = WebSocketReader.Event.refused(.messageTooBig, "a frame of more than 4 bytes")
        #expect(Reading([0x82, 5]) { client(frame: 4) }.events == [frameTooLarge])
        let fragments = frame(0x02, ten.prefix(4)) + frame(0x00, ten.prefix(4)) + frame(0x80, ten.prefix(2))
        #expect(Reading(fragments) { client(frame: 4) }.events == [.data(ten)])
        #expect(Reading(frame(0x89, ten)) { client(frame: 4) }.events == [.ping(Data(ten))])
    }
}
