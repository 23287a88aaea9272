import Foundation

/// What `Tests/Servers/frames.py` is to send: the body of the request for it.
struct HTTP2Script: Sendable {
    enum Close: UInt8, Sendable {
        case never, properly, withoutTLS, byReset
    }

    /// RFC 9113 section 6.
    enum Kind: UInt8, CaseIterable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// RFC 9113 section 7.
    enum ErrorCode: UInt8 {
        case noError = 0
        case internalError = 2
        case refusedStream = 7
        case cancel = 8
    }

    var frames: [UInt8]
    var close: Close

    var body: Data { Data([close.rawValue] + frames) }

    /// Fifty milliseconds without anything.
    static let moment: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 0, 0]

    static func frame(_ kind: Kind, flags: UInt8 = 0, stream: UInt8 = 1, _ payload: [UInt8]) -> [UInt8] {
        let size = payload.count
        return [UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255), kind.rawValue, flags, 0, 0, 0, stream] + payload
    }

    /// Status 200, and how long the body is (RFC 7541: an indexed field, and a literal one with an indexed name).
    static func head(length: Int? = nil) -> [UInt8] {
        var block: [UInt8] = [0x88]
        if let length {
            let digits = Array(String(length).utf8)
            block += [0x0f, 0x0d, UInt8(digits.count)] + digits
        }
        return frame(.headers, flags: 4, block)
    }

    static func data(_ content: [UInt8], isLast: Bool = false) -> [UInt8] { frame(.data, flags: isLast ? 1 : 0, content) }

    static func reset(_ code: ErrorCode) -> [UInt8] { frame(.reset, [0, 0, 0, code.rawValue]) }

    static func goAway(_ code: ErrorCode, lastStream: UInt8) -> [UInt8] {
        frame(.goAway, stream: 0, [0, 0, 0, lastStream, 0, 0, 0, code.rawValue])
    }
}
