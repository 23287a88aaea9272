import Foundation

/// Writes the frames of a WebSocket (RFC 6455 section 5): messages and control frames in, bytes out. Messages keep their order, and are not
/// mixed. Control frames go ahead of waiting messages, between two frames.
///
/// Large messages are written in fragments, so that none holds up a control frame, and their masked copies take little memory.
struct WebSocketWriter {
    /// The largest payload of a data frame. Some gateways refuse larger ones: AWS API Gateway has this limit.
    static let mostOfFrame = 32_768
    /// Smaller messages are sent uncompressed: there is little to gain, and zlib writes nothing for an empty one behind another message.
    static let leastCompressed = 32
    /// The most bytes of a message that one call compresses: they may become a few bytes only.
    static let mostCompressed = 1 << 20
    /// The most pongs that wait. A peer that pings and does not read gets the last ones, as section 5.5.3 allows.
    static let mostPongs = 16

    /// A message that is to be written.
    private struct Outgoing {
        let ticket: Int
        let content: WebSocketMessage
        let count: Int

        init(_ content: WebSocketMessage, _ ticket: Int) {
            self.ticket = ticket
            switch content {
            case .data(let data):
                self.content = content
                count = data.count
            case .text(var text):
                text.makeContiguousUTF8()
                self.content = .text(text)
                count = text.utf8.count
            }
        }

        var opcode: WebSocketFrameHeader.Opcode { if case .text = content { .text } else { .binary } }

        func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            switch content {
            case .data(let data):
                return data.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
            case .text(let text):
                let result = text.utf8.withContiguousStorageIfAvailable {
                    body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[range]))
                }
                return result ?? Array(text.utf8)[range].withUnsafeBytes(body)
            }
        }
    }

    /// The message whose frames are being written.
    private struct Current {
        let message: Outgoing
        let isCompressed: Bool
        /// How many of its bytes were written, or passed to the compressor.
        var taken = 0
        /// Whether a frame of it was written.
        var hasBegun = false
        /// Compressed bytes that were not written yet.
        var compressed: [UInt8] = []
    }

    private let role: WebSocketReader.Role
    private let makeDeflater: (@Sendable () -> MessageDeflater?)?
    private var deflater: MessageDeflater?
    private var compresses: Bool
    private var keys = WebSocketMaskingKeys()
    private var controls: [(opcode: WebSocketFrameHeader.Opcode, payload: Data)] = []
    private var waiting = Fifo<Outgoing>()
    private var current: Current?
    /// The payload of the close frame, which follows the waiting messages.
    private var closing: Data?
    /// Whether the close frame was written: nothing may follow (section 5.5.1).
    private(set) var isClosed = false
    /// How many bytes were written since the beginning.
    private(set) var written: UInt64 = 0
    /// The messages that were written and not sent yet, with the number of bytes up to their ends.
    private var ends = Fifo<(ticket: Int, end: UInt64)>()
    /// How many bytes of messages were written or compressed since the beginning.
    private(set) var taken: UInt64 = 0

    /// - Parameter makeDeflater: Makes the compressor, for the first message that is compressed; nil if permessage-deflate was not
    ///   negotiated.
    init(_ role: WebSocketReader.Role, makeDeflater: (@Sendable () -> MessageDeflater?)? = nil) {
        self.role = role
        self.makeDeflater = makeDeflater
        compresses = makeDeflater != nil
    }

    // MARK: In

    /// Whether there is nothing to write.
    var isEmpty: Bool { isClosed || (controls.isEmpty && current == nil && waiting.isEmpty && closing == nil) }

    /// Adds a message behind those that wait. Ignored once the connection is closing.
    ///
    /// - Parameter ticket: A number that ``takeSent(upTo:)`` returns when the message was sent.
    mutating func add(_ message: WebSocketMessage, ticket: Int) {
        guard closing == nil else { return }
        waiting.append(Outgoing(message, ticket))
    }

    /// - Parameter payload: At most 125 bytes.
    mutating func addPing(_ payload: Data) {
        guard !isClosed else { return }
        controls.append((.ping, payload))
    }

    /// - Parameter payload: That of the ping, at most 125 bytes.
    mutating func addPong(_ payload: Data) {
        guard !isClosed else { return }
        controls.append((.pong, payload))
        guard controls.count(where: { $0.opcode == .pong }) > Self.mostPongs else { return }
        if let oldest = controls.firstIndex(where: { $0.opcode == .pong }) { controls.remove(at: oldest) }
    }

    /// The payload of a close frame; nil if the code must not be sent, or the reason has more than 123 bytes as UTF-8.
    ///
    /// - Parameter code: nil for none; then there is no reason either.
    static func closePayload(_ code: WebSocketCloseCode?, _ reason: String) -> Data? {
        guard let code else { return reason.isEmpty ? Data() : nil }
        guard code.isSendable, reason.utf8.count <= WebSocketFrameHeader.mostOfControl - 2 else { return nil }
        return Data([UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]) + Data(reason.utf8)
    }

    /// Adds the close frame. Only the first one counts.
    ///
    /// - Parameters:
    ///   - payload: From ``closePayload(_:_:)``.
    ///   - isUrgent: Whether it goes ahead of everything, also between the fragments of a message. Then no message is written any more.
    mutating func close(_ payload: Data, isUrgent: Bool) {
        guard closing == nil || isUrgent, !isClosed else { return }
        closing = closing ?? payload
        guard isUrgent else { return }
        controls = []
        (waiting, current) = (Fifo(), nil)
    }

    // MARK: Out

    /// Appends frames until the output has at least `target` bytes, everything was written, or compressing has taken long. Then there may
    /// be no output yet, although the writer is not empty.
    ///
    /// - Returns: Whether the compressor works. After false the connection is unusable.
    mutating func write(to output: inout [UInt8], target: Int) -> Bool {
        while output.count < target, !isClosed {
            if !controls.isEmpty {
                for (opcode, payload) in controls {
                    payload.withUnsafeBytes { writeFrame(opcode, $0, to: &output) }
                }
                controls = []
            }
            if current == nil, let next = waiting.popFirst() { begin(next) }
            if current != nil {
                let before = written
                guard writeFragment(to: &output) else { return false }
                if written == before { break }
            } else if let closing {
                closing.withUnsafeBytes { writeFrame(.close, $0, to: &output) }
                isClosed = true
            } else {
                break
            }
        }
        return true
    }

    /// The tickets of the messages that end within the first bytes of all that were written, each once.
    ///
    /// - Parameter sent: How many of the written bytes were sent since the beginning.
    mutating func takeSent(upTo sent: UInt64) -> [Int] {
        var tickets: [Int] = []
        while let first = ends.first, first.end <= sent {
            _ = ends.popFirst()
            tickets.append(first.ticket)
        }
        return tickets
    }

    private mutating func begin(_ message: Outgoing) {
        if compresses, deflater == nil, message.count >= Self.leastCompressed {
            deflater = makeDeflater?()
            // Without memory for it, messages go uncompressed, which is always allowed (RFC 7692 section 6).
            compresses = deflater != nil
        }
        current = Current(message: message, isCompressed: compresses && message.count >= Self.leastCompressed)
    }

    /// Writes the next frame of the current message, and forgets the message behind its last one. Of a message that is compressed well
    /// there may be no frame yet.
    private mutating func writeFragment(to output: inout [UInt8]) -> Bool {
        guard var piece = current.take() else { return true }
        let isFirst = !piece.hasBegun
        let opcode = isFirst ? piece.message.opcode : .continuation
        let isFinal: Bool
        if piece.isCompressed {
            guard compress(&piece) else { return false }
            if piece.compressed.count < Self.mostOfFrame + 4, piece.taken < piece.message.count {
                current = piece
                return true
            }
            piece.hasBegun = true
            // The last four bytes of all are not sent (RFC 7692 section 7.2.1), so they stay until it is known which they are.
            let count = min(piece.compressed.count - 4, Self.mostOfFrame)
            isFinal = piece.taken == piece.message.count && count == piece.compressed.count - 4
            piece.compressed[..<count].withUnsafeBytes {
                writeFrame(opcode, $0, to: &output, isFinal: isFinal, isCompressed: isFirst)
            }
            piece.compressed.removeFirst(count)
        } else {
            piece.hasBegun = true
            let range = piece.taken..<min(piece.taken + Self.mostOfFrame, piece.message.count)
            isFinal = range.upperBound == piece.message.count
            piece.message.withBytes(range) { writeFrame(opcode, $0, to: &output, isFinal: isFinal) }
            note(range.count, in: &piece)
        }
        if isFinal {
            ends.append((piece.message.ticket, written))
        } else {
            current = piece
        }
        return true
    }

    private mutating func note(_ count: Int, in piece: inout Current) {
        piece.taken += count
        taken += UInt64(count)
    }

    /// Compresses until there is enough for a frame, the message ends, or that takes long.
    private mutating func compress(_ piece: inout Current) -> Bool {
        let most = piece.taken + Self.mostCompressed
        while piece.taken < most, piece.compressed.count < Self.mostOfFrame + 4, piece.taken < piece.message.count {
            let range = piece.taken..<min(piece.taken + Self.mostOfFrame, piece.message.count)
            let isLast = range.upperBound == piece.message.count
            let isDone = piece.message.withBytes(range) { deflater?.compress($0, isLast: isLast, to: &piece.compressed) == true }
            guard isDone else { return false }
            note(range.count, in: &piece)
        }
        return true
    }

    private mutating func writeFrame(
        _ opcode: WebSocketFrameHeader.Opcode, _ payload: UnsafeRawBufferPointer, to output: inout [UInt8], isFinal: Bool = true,
        isCompressed: Bool = false
    ) {
        let start = output.count
        let mask = role == .client ? keys.next() : nil
        let header = WebSocketFrameHeader(
            opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, length: UInt64(payload.count), mask: mask)
        header.write(to: &output)
        let payloadStart = output.count
        output.append(contentsOf: payload)
        if let mask {
            output.withUnsafeMutableBytes { WebSocketMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[payloadStart...])) }
        }
        written += UInt64(output.count - start)
    }
}
