import Foundation

@testable import Firewheel

// Frames as tests write them, apart from the library's own writer.

/// A frame of a server, or with a mask of a client. Every field may be wrong.
func frame(
    _ first: UInt8, _ payload: some Collection<UInt8>, mask: [UInt8]? = nil, lengthBytes: Int? = nil, declared: UInt64? = nil
) -> [UInt8] {
    let length = declared ?? UInt64(payload.count)
    let size = lengthBytes ?? (length < 126 ? 0 : length <= 0xFFFF ? 2 : 8)
    var bytes = [first]
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    switch size {
    case 0: bytes.append(maskBit | UInt8(length))
    case 2: bytes += [maskBit | 126, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    default: bytes += [maskBit | 127] + (0..<8).map { UInt8(length >> UInt64(56 - $0 * 8) & 0xFF) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
}

func closeFrame(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
}

/// What a reader makes of bytes that arrive in pieces.
struct Reading: Equatable {
    var events: [WebSocketReader.Event] = []
    /// How many bytes had been passed when the reader failed; nil if it did not.
    var failedAfter: Int?

    init(_ bytes: [UInt8], pieces: [Int]? = nil, _ makeReader: () -> WebSocketReader) {
        let reader = makeReader()
        var start = 0
        for end in (pieces ?? []) + [bytes.count] {
            var rest = bytes[start..<end]
            start = end
            reading: while true {
                let (consumed, event) = rest.withUnsafeBytes { reader.read($0) }
                rest = rest.dropFirst(consumed)
                switch event {
                case .needsMore:
                    // Otherwise bytes would be lost.
                    if !rest.isEmpty { events.append(.needsMore) }
                    break reading
                case .failed:
                    events.append(event)
                    failedAfter = end
                    return
                default: events.append(event)
                }
            }
        }
    }

    /// Byte by byte.
    static func bytewise(_ bytes: [UInt8], _ makeReader: () -> WebSocketReader) -> Reading {
        Reading(bytes, pieces: Array(0..<bytes.count).dropFirst().map { $0 }, makeReader)
    }
}

func client(message: Int = 1 << 20, frame: Int? = nil, inflater: MessageInflater? = nil) -> WebSocketReader {
    WebSocketReader(.client, limits: .init(message: message, frame: frame), inflater: inflater)
}

func server(message: Int = 1 << 24, inflater: MessageInflater? = nil) -> WebSocketReader {
    WebSocketReader(.server, limits: .init(message: message, frame: nil), inflater: inflater)
}

extension WebSocketReader.Event {
    static func text(_ text: String) -> Self { .message(.text(text)) }
    static func data(_ bytes: [UInt8]) -> Self { .message(.data(Data(bytes))) }
    static func refused(_ code: WebSocketCloseCode, _ reason: String) -> Self { .failed(WebSocketViolation(code, reason)) }
}
