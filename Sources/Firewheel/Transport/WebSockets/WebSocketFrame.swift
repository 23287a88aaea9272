/// The header of a frame (RFC 6455 section 5.2).
struct WebSocketFrameHeader: Equatable {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
        var startsMessage: Bool { self == .text || self == .binary }
    }

    /// The largest payload of a control frame (section 5.5).
    static let mostOfControl = 125
    /// The size of the largest header.
    static let mostBytes = 14

    var opcode: Opcode
    /// Whether it is the last frame of its message.
    var isFinal = true
    /// The first of the reserved bits, by which permessage-deflate marks compressed messages (RFC 7692 section 6).
    var isCompressed = false
    var length: UInt64
    /// The masking key as it is stored in memory; nil for a server's frame, which is not masked.
    var mask: UInt32?

    /// Appends the bytes of the header.
    func write(to output: inout [UInt8]) {
        output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ...125: output.append(maskBit | UInt8(length))
        case ...0xFFFF:
            output.append(maskBit | 126)
            output.append(UInt8(truncatingIfNeeded: length >> 8))
            output.append(UInt8(truncatingIfNeeded: length))
        default:
            output.append(maskBit | 127)
            for shift in stride(from: UInt64(56), through: 0, by: -8) { output.append(UInt8(truncatingIfNeeded: length >> shift)) }
        }
        if let mask { withUnsafeBytes(of: mask) { output.append(contentsOf: $0) } }
    }
}
