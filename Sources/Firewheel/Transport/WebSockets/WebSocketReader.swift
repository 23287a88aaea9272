import Foundation

/// Reads the frames of a WebSocket (RFC 6455 section 5): bytes in, messages and control frames out.
///
/// Call ``read(_:)`` with what was received, drop the consumed bytes, and repeat with the rest until the event is `needsMore` or `failed`.
/// Events do not depend on how the bytes are cut. A violation is reported as soon as the byte, the length or the code is there that shows
/// it, also in the middle of a frame. The time is linear, and the memory is at most a few times the limit of a message.
final class WebSocketReader {
    enum Event: Equatable {
        /// All bytes were consumed.
        case needsMore
        case message(WebSocketMessage)
        case ping(Data)
        case pong(Data)
        /// The peer closes the connection. What follows is ignored.
        case close(WebSocketCloseCode?, reason: String)
        /// The peer has broken the protocol, or exceeded a limit. Nothing more is read.
        case failed(WebSocketViolation)
    }

    struct Limits {
        /// The most bytes of a message, decompressed.
        var message: Int
        /// The most bytes of a data frame as it is sent; nil for no other limit than that of the message.
        var frame: Int?
    }

    /// The side of the connection that reads.
    enum Role {
        case client
        case server
    }

    private enum State {
        case header
        /// Within a frame's payload.
        case payload(WebSocketFrameHeader, received: UInt64)
        case closed
        case failed(WebSocketViolation)
    }

    private enum Header {
        case incomplete
        case complete(WebSocketFrameHeader, size: Int)
        case refused(WebSocketViolation)
    }

    /// The message that is being received.
    private struct Message {
        let isText: Bool
        let isCompressed: Bool
        var count = 0
        var utf8 = UTF8Checker()
    }

    private let role: Role
    private let limits: Limits
    private let inflater: MessageInflater?
    private var state = State.header
    /// The bytes of a header that is incomplete; empty if headers come whole.
    private var held: [UInt8] = []
    private var message: Message?
    private var body = ReceivedBody()
    /// The payload of a control frame, which may come between the frames of a message.
    private var control = Data()

    /// - Parameter inflater: Decompresses messages; nil if permessage-deflate was not negotiated.
    init(_ role: Role, limits: Limits, inflater: MessageInflater? = nil) {
        self.role = role
        self.limits = limits
        self.inflater = inflater
    }

    deinit { body.free() }

    /// Whether a message has begun and not ended.
    var isWithinMessage: Bool {
        message != nil
    }

    /// Reads up to the next event.
    ///
    /// - Returns: How many bytes were consumed, and the event.
    func read(_ input: UnsafeRawBufferPointer) -> (consumed: Int, event: Event) {
        var position = 0
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: input[position...])
            switch state {
            case .header:
                guard !rest.isEmpty else { return (position, .needsMore) }
                let (consumed, parsed) = readHeader(rest)
                position += consumed
                switch parsed {
                case .incomplete: return (position, .needsMore)
                case .refused(let violation): return (position, fail(violation))
                case .complete(let header, _):
                    let payload = UnsafeRawBufferPointer(rebasing: input[position...])
                    if let message = wholeMessage(header, payload) { return (position + Int(header.length), message) }
                    begin(header)
                }
            case .payload(let header, let received):
                let count = Int(min(UInt64(rest.count), header.length - received))
                position += count
                if let event = take(UnsafeRawBufferPointer(rebasing: rest[..<count]), of: header, received) { return (position, event) }
                if received + UInt64(count) < header.length { return (position, .needsMore) }
            case .closed: return (input.count, .needsMore)
            case .failed(let violation): return (position, .failed(violation))
            }
        }
    }

    private func fail(_ violation: WebSocketViolation) -> Event {
        end(.failed(violation))
        return .failed(violation)
    }

    /// Releases what was received and will not be handed over.
    private func end(_ last: State) {
        state = last
        body.free()
        (held, message, control) = ([], nil, Data())
    }

    // MARK: Headers

    private func readHeader(_ input: UnsafeRawBufferPointer) -> (consumed: Int, Header) {
        if held.isEmpty {
            let header = parse(input)
            switch header {
            case .complete(_, let size): return (size, header)
            case .incomplete:
                held = Array(input)
                return (input.count, header)
            case .refused: return (0, header)
            }
        }
        let old = held.count
        held.append(contentsOf: input.prefix(WebSocketFrameHeader.mostBytes - old))
        let header = held.withUnsafeBytes { parse($0) }
        switch header {
        case .complete(_, let size):
            held = []
            return (size - old, header)
        case .incomplete: return (held.count - old, header)
        case .refused: return (0, header)
        }
    }

    /// Judges the bytes of a header one by one, so that a violation shows before the rest has come.
    private func parse(_ bytes: UnsafeRawBufferPointer) -> Header {
        let first = bytes[0]
        guard first & 0x30 == 0 else { return .refused(.reservedBits) }
        guard let opcode = WebSocketFrameHeader.Opcode(rawValue: first & 0x0F) else { return .refused(.unknownOpcode(first & 0x0F)) }
        var header = WebSocketFrameHeader(opcode: opcode, isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, length: 0)
        if header.isCompressed, inflater == nil || !opcode.startsMessage { return .refused(.reservedBits) }
        if opcode.isControl, !header.isFinal { return .refused(.fragmentedControl) }
        if opcode == .continuation, message == nil { return .refused(.nothingToContinue) }
        if opcode.startsMessage, message != nil { return .refused(.unfinishedMessage) }

        guard bytes.count > 1 else { return .incomplete }
        let isMasked = bytes[1] & 0x80 != 0
        guard isMasked == (role == .server) else { return .refused(.masking(isMasked: isMasked)) }
        let short = bytes[1] & 0x7F
        if opcode.isControl, short > WebSocketFrameHeader.mostOfControl { return .refused(.longControl) }
        if opcode == .close, short == 1 { return .refused(.shortClose) }

        let sizeOfLength = short == 127 ? 8 : short == 126 ? 2 : 0
        // The top bit of a length of 64 bits must be 0.
        if sizeOfLength == 8, bytes.count > 2, bytes[2] & 0x80 != 0 { return .refused(.impossibleLength) }
        guard bytes.count >= 2 + sizeOfLength else { return .incomplete }
        header.length = sizeOfLength == 0 ? UInt64(short) : bytes[2..<(2 + sizeOfLength)].reduce(0) { $0 << 8 | UInt64($1) }
        if sizeOfLength == 2, header.length < 126 { return .refused(.longForm) }
        if sizeOfLength == 8, header.length <= 0xFFFF { return .refused(.longForm) }
        if let violation = excess(of: header) { return .refused(violation) }

        let size = 2 + sizeOfLength + (isMasked ? 4 : 0)
        guard bytes.count >= size else { return .incomplete }
        if isMasked { header.mask = bytes.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self) }
        return .complete(header, size: size)
    }

    /// Which limit a frame's declared length exceeds.
    private func excess(of header: WebSocketFrameHeader) -> WebSocketViolation? {
        guard !header.opcode.isControl else { return nil }
        if let limit = limits.frame, header.length > UInt64(max(0, limit)) { return .frameTooLarge(limit: limit) }
        // How large a compressed message is shows only when it is decompressed.
        if header.isCompressed || message?.isCompressed == true { return nil }
        let room = limits.message - (message?.count ?? 0)
        return header.length > UInt64(max(0, room)) ? .messageTooLarge(limit: limits.message) : nil
    }

    // MARK: Payloads

    /// A message in one frame of which all bytes are there, without a buffer in between; nil for other frames.
    private func wholeMessage(_ header: WebSocketFrameHeader, _ payload: UnsafeRawBufferPointer) -> Event? {
        guard header.isFinal, header.opcode.startsMessage, !header.isCompressed, header.mask == nil, header.length <= UInt64(payload.count)
        else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: payload[..<Int(header.length)])
        guard header.opcode == .text else { return .message(.data(Data(bytes))) }
        var utf8 = UTF8Checker()
        guard utf8.accepts(bytes), utf8.isComplete else { return fail(.notUTF8) }
        return .message(.text(String(decoding: bytes, as: UTF8.self)))
    }

    private func begin(_ header: WebSocketFrameHeader) {
        if header.opcode.startsMessage {
            message = Message(isText: header.opcode == .text, isCompressed: header.isCompressed)
        }
        state = .payload(header, received: 0)
    }

    /// Handles the next bytes of a frame's payload, and the frame's end.
    private func take(_ bytes: UnsafeRawBufferPointer, of header: WebSocketFrameHeader, _ received: UInt64) -> Event? {
        if let mask = header.mask, !bytes.isEmpty {
            var plain = Array(bytes)
            return plain.withUnsafeMutableBytes {
                WebSocketMask.apply(mask, to: $0, offset: received)
                return takePlain(UnsafeRawBufferPointer($0), of: header, received)
            }
        }
        return takePlain(bytes, of: header, received)
    }

    private func takePlain(_ bytes: UnsafeRawBufferPointer, of header: WebSocketFrameHeader, _ received: UInt64) -> Event? {
        let total = received + UInt64(bytes.count)
        let isEnd = total == header.length
        state = isEnd ? .header : .payload(header, received: total)
        if header.opcode.isControl {
            control.append(contentsOf: bytes)
            return isEnd ? endControl(header.opcode) : judgeClose(header.opcode)
        }
        // The length of a fragment says nothing of the message's, by which memory grows.
        let isRest = header.isFinal && message?.count == 0
        if let violation = append(bytes, following: isRest ? header.length - total : 0) { return fail(violation) }
        return isEnd && header.isFinal ? endMessage() : nil
    }

    /// Appends bytes to the message.
    private func append(_ bytes: UnsafeRawBufferPointer, following: UInt64) -> WebSocketViolation? {
        guard message?.isCompressed == true else { return appendPlain(bytes, following: Int64(clamping: following)) }
        return inflater?.inflate(bytes) { appendPlain($0, following: 0) }
    }

    private func appendPlain(_ bytes: UnsafeRawBufferPointer, following: Int64) -> WebSocketViolation? {
        guard !bytes.isEmpty, message != nil else { return nil }
        let room = max(0, limits.message - (message?.count ?? 0))
        // Of text, the first byte that is wrong in either way counts.
        let fitting = UnsafeRawBufferPointer(rebasing: bytes.prefix(room))
        if message?.isText == true, message?.utf8.accepts(fitting) == false { return .notUTF8 }
        guard bytes.count <= room else { return .messageTooLarge(limit: limits.message) }
        message?.count += bytes.count
        return body.append(bytes, following: following) ? nil : .outOfMemory
    }

    private func endMessage() -> Event? {
        if message?.isCompressed == true, let violation = inflater?.endMessage() { return fail(violation) }
        guard let ended = message.take() else { return nil }
        let bytes = body.take() ?? Data()
        guard ended.isText else { return .message(.data(bytes)) }
        guard ended.utf8.isComplete else { return fail(.notUTF8) }
        return .message(.text(String(decoding: bytes, as: UTF8.self)))
    }

    // MARK: Control frames

    private func endControl(_ opcode: WebSocketFrameHeader.Opcode) -> Event? {
        if let refused = judgeClose(opcode) { return refused }
        let payload = control
        control = Data()
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default: return endClose(payload)
        }
    }

    /// Refuses a close frame as soon as its code, or what has come of its reason, shows that it is invalid.
    private func judgeClose(_ opcode: WebSocketFrameHeader.Opcode) -> Event? {
        guard opcode == .close, control.count >= 2 else { return nil }
        let code = Self.code(of: control)
        guard WebSocketCloseCode(rawValue: code).isSendable else { return fail(.invalidCode(code)) }
        var utf8 = UTF8Checker()
        let isValid = control.dropFirst(2).withUnsafeBytes { utf8.accepts($0) }
        return isValid ? nil : fail(.reasonNotUTF8)
    }

    private func endClose(_ payload: Data) -> Event {
        guard payload.count >= 2 else {
            end(.closed)
            return .close(nil, reason: "")
        }
        let reason = payload.dropFirst(2)
        var utf8 = UTF8Checker()
        let isWhole = reason.withUnsafeBytes { utf8.accepts($0) } && utf8.isComplete
        guard isWhole else { return fail(.reasonNotUTF8) }
        end(.closed)
        return .close(WebSocketCloseCode(rawValue: Self.code(of: payload)), reason: String(decoding: reason, as: UTF8.self))
    }

    private static func code(of payload: Data) -> UInt16 {
        let start = payload.startIndex
        return UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
    }
}
