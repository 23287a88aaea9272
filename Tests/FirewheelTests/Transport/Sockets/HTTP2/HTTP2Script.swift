#if os(Linux)
    import Foundation

    /// The commands for a `FrameScriptServer`, sent as the request's body.
    struct HTTP2Script: Sendable {
        enum Close: UInt8, CaseIterable, Sendable {
            case never, properly, withoutTLS, byReset
        }

        /// RFC 9113 section 6.
        enum Kind: UInt8, CaseIterable {
            case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
        }

        /// RFC 9113 section 7.
        enum ErrorCode: UInt8 {
            case noError = 0
            case protocolError = 1
            case internalError = 2
            case refusedStream = 7
            case cancel = 8
            case http11Required = 13
        }

        var frames: [UInt8]
        var close: Close

        var body: Data { Data([close.rawValue] + frames) }

        /// The server continues once the client has received what came before.
        static let moment: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 0, 0]

        static func frame(_ kind: Kind, flags: UInt8 = 0, stream: UInt8 = 1, _ payload: [UInt8]) -> [UInt8] {
            let size = payload.count
            return [UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255), kind.rawValue, flags, 0, 0, 0, stream] + payload
        }

        /// Status 200 (an indexed field of RFC 7541), and the length of the body.
        static func head(length: Int? = nil) -> [UInt8] {
            frame(.headers, flags: 4, [0x88] + (length.map { field("content-length", String($0)) } ?? []))
        }

        /// A field with name and value below 127 bytes each (RFC 7541 section 6.2.2), valid or not.
        static func field(_ name: String, _ value: String) -> [UInt8] {
            [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }

        /// A field of at least 4,000 bytes that is put into the table (RFC 7541 section 6.2.1) and then repeated by reference. The table
        /// takes no more than 4,096 bytes.
        static func bomb(size: Int = 4000, times: Int) -> [UInt8] {
            // An integer with a prefix of seven bits (section 5.1): what exceeds 127, in groups of seven.
            var (length, rest): ([UInt8], Int) = ([0x7f], size - 127)
            while rest > 127 {
                length.append(UInt8(rest & 127 | 128))
                rest >>= 7
            }
            length.append(UInt8(rest))
            let value = Array(repeating: UInt8(ascii: "b"), count: size)
            return [0x40, 1, UInt8(ascii: "a")] + length + value + Array(repeating: 0xbe, count: times)
        }

        static func data(_ content: [UInt8], isLast: Bool = false) -> [UInt8] { frame(.data, flags: isLast ? 1 : 0, content) }

        static func reset(_ code: ErrorCode) -> [UInt8] { frame(.reset, [0, 0, 0, code.rawValue]) }

        static func goAway(_ code: ErrorCode, lastStream: UInt8) -> [UInt8] {
            frame(.goAway, stream: 0, [0, 0, 0, lastStream, 0, 0, 0, code.rawValue])
        }
    }
#endif
