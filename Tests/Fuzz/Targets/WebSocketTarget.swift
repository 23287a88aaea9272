import Foundation

/// A peer's bytes give the same events however they are cut, within the limits, and text is the UTF-8 that was sent.
func fuzzWebSocket(_ input: [UInt8]) {
    var source = Source(input)
    let (options, message, frame, seed) = (source.byte(), Int(source.byte()), Int(source.byte()), source.word())
    let isServer = options & 1 != 0
    let isCompressed = options & 2 != 0
    // The largest are above the 65,535 bytes from which on a length takes eight bytes.
    let limits = WebSocketReader.Limits(message: 2 * message * message, frame: options & 8 == 0 ? nil : 2 * frame * frame)
    // Either the bytes of the connection, or frames whose lengths are right.
    var bytes = options & 16 == 0 ? source.rest() : frames(from: &source, mask: isServer ? seed : nil)
    // A compressed byte can be a thousand, and half a million empty messages take too long.
    bytes = Array(bytes.prefix(isCompressed ? 1 << 13 : 1 << 18))
    let makeReader = { reader(isServer, limits, isCompressed: isCompressed, keepsContext: options & 4 != 0) }
    let whole = events([bytes[...]], makeReader())
    check(whole == events(single(bytes), makeReader()), "byte by byte it reads as other events")
    check(whole == events(pieces(of: bytes, seed: seed), makeReader()), "in pieces it reads as other events")
    check(isCompressed || whole.reduce(0) { $0 + $1.bytes.count } <= bytes.count, "events that are larger than the input")
    for event in whole where event.isMessage {
        check(event.bytes.count <= limits.message, "a message of \(event.bytes.count) bytes, the limit is \(limits.message)")
    }
    checkText(whole, events([withoutText(bytes)[...]], makeReader()))
}

/// What a writer was given is what a reader of the other side reports, and a message is sent exactly when the reader has it.
func fuzzWebSocketMessages(_ input: [UInt8]) {
    var source = Source(input)
    let (options, seed) = (source.byte(), source.word())
    var sent = SentMessages(options: options, seed: seed)
    sent.run(&source)
    sent.finish()
    let most = sent.messages.map(\.bytes.count).max() ?? 0
    let limits = WebSocketReader.Limits(message: most, frame: WebSocketWriter.mostOfFrame)
    let makeReader = {
        reader(sent.isClient, limits, isCompressed: sent.isCompressed, keepsContext: sent.keepsContext)
    }
    let output = sent.output
    let received = events([output[...]], makeReader())
    if output.count <= 20_000 { check(received == events(single(output), makeReader()), "byte by byte it reads as other events") }
    check(received == events(pieces(of: output, seed: seed), makeReader()), "in pieces it reads as other events")

    let messages = received.filter(\.isMessage)
    check(Array(sent.messages.prefix(messages.count)) == messages, "other messages")
    check(sent.isUrgent || messages.count == sent.messages.count, "\(messages.count) messages of \(sent.messages.count)")
    check(received.filter(\.isControl) == sent.controls, "other pings and pongs")
    check(received.last { !$0.isMessage && !$0.isControl } == sent.closing, "another close")
    check(sent.closing == nil || received.last == sent.closing, "something behind the close")

    let part = Int(seed % UInt64(output.count + 1))
    let early = sent.takeSent(upTo: part)
    check(early == events([output[..<part]], makeReader()).count(where: \.isMessage), "\(early) messages within \(part) bytes")
    check(sent.takeSent(upTo: output.count) == messages.count, "a message was sent and is not known to be, or the reverse")
}

/// What a server accepts is something that can be done, reads the same when it is written again, and a refusal is one line.
func fuzzWebSocketExtensions(_ input: [UInt8]) {
    let values = latin1(input).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let accepted = extensions(values)
    // Fields of the same name are one list (RFC 9110 section 5.3), unless a quoted string begins in one of them and ends in another.
    if !input.contains(UInt8(ascii: "\"")) {
        check(accepted == extensions([values.joined(separator: ",")]), "other extensions of one field")
    }
    switch accepted {
    case .failure(let refusal):
        check(refusal.reason == refusal.reason.onOneLine && refusal.reason.count < 1000, "the reason \(refusal.reason.debugDescription)")
        check(extensions(values, isOffered: false) != .success(nil), "what is refused is nothing if it is not offered")
    case .success(nil):
        check(extensions(values, isOffered: false) == .success(nil), "nothing is refused if it is not offered")
    case .success(let deflate?):
        check((8...15).contains(deflate.serverWindowBits) && (8...15).contains(deflate.clientWindowBits), "\(deflate)")
        if case .success = extensions(values, isOffered: false) { check(false, "accepted, and not offered") }
        var parts = ["permessage-deflate"]
        if !deflate.serverKeepsContext { parts.append("server_no_context_takeover") }
        if !deflate.clientKeepsContext { parts.append("client_no_context_takeover") }
        parts += ["server_max_window_bits=\(deflate.serverWindowBits)", "client_max_window_bits=\(deflate.clientWindowBits)"]
        check(extensions([parts.joined(separator: "; ")]) == accepted, "\(deflate) is not read again")
    }
}

private func extensions(_ values: [String], isOffered: Bool = true) -> Result<PermessageDeflate?, PermessageDeflate.Refusal> {
    Result { () throws(PermessageDeflate.Refusal) in try PermessageDeflate.accepted(values, isOffered: isOffered) }
}

// MARK: Reading

/// An event by its bytes: strings are equal also if their normal forms are.
private struct Seen: Equatable {
    enum Kind: Equatable {
        case text
        case data
        case ping
        case pong
        case close(WebSocketCloseCode?)
        case failed(WebSocketViolation)
    }

    var kind: Kind
    var bytes = Data()

    var isMessage: Bool { kind == .text || kind == .data }
    var isControl: Bool { kind == .ping || kind == .pong }
}

private func reader(_ isServer: Bool, _ limits: WebSocketReader.Limits, isCompressed: Bool, keepsContext: Bool) -> WebSocketReader {
    WebSocketReader(
        isServer ? .server : .client, limits: limits, inflater: isCompressed ? MessageInflater(zlib(), keepsContext: keepsContext) : nil)
}

private func zlib() -> SystemLibraryTable {
    guard case .success(let library) = CodingLibraries.system.zlib else { fatalError("zlib is missing") }
    return library
}

/// The events of pieces. Nothing may be lost before the last event, and nothing may follow it.
private func events(_ pieces: [ArraySlice<UInt8>], _ reader: WebSocketReader) -> [Seen] {
    var events: [Seen] = []
    for piece in pieces {
        var rest = piece
        reading: while true {
            let (consumed, event) = rest.withUnsafeBytes { reader.read($0) }
            check(consumed >= 0 && consumed <= rest.count, "\(consumed) bytes consumed of \(rest.count)")
            rest = rest.dropFirst(consumed)
            switch events.last?.kind {
            case .close:
                check(event == .needsMore && rest.isEmpty && !reader.isWithinMessage, "something behind the close")
                break reading
            case .failed(let violation):
                check(event == .failed(violation) && consumed == 0 && !reader.isWithinMessage, "something behind the failure")
                break reading
            default: break
            }
            switch event {
            case .needsMore:
                check(rest.isEmpty, "\(rest.count) bytes were lost")
                break reading
            case .failed(let violation): events.append(Seen(kind: .failed(violation)))
            case .message(.text(let text)): events.append(Seen(kind: .text, bytes: Data(text.utf8)))
            case .message(.data(let data)): events.append(Seen(kind: .data, bytes: data))
            case .ping(let payload): events.append(Seen(kind: .ping, bytes: payload))
            case .pong(let payload): events.append(Seen(kind: .pong, bytes: payload))
            case .close(let code, let reason): events.append(Seen(kind: .close(code), bytes: Data(reason.utf8)))
            }
            let last = events[events.count - 1]
            check(consumed > 0 || last.kind == .failed(.outOfMemory) || !last.isMessage && !last.isControl, "an event of no bytes")
            check(!last.isControl || last.bytes.count <= 125, "a control frame of \(last.bytes.count) bytes")
        }
    }
    return events
}

/// The events of the same frames with data instead of text have its bytes, as long as they are UTF-8.
private func checkText(_ events: [Seen], _ data: [Seen]) {
    for (index, event) in events.enumerated() {
        if event.kind == .failed(.notUTF8) {
            // A ping may come first, and the message may have no end.
            guard let message = data.dropFirst(index).first(where: \.isMessage) else { return }
            check(!isUTF8(message.bytes), "text is refused, and it is UTF-8")
            return
        }
        check(event.kind != .text || isUTF8(event.bytes), "text that is not UTF-8")
        let expected = event.kind == .text ? Seen(kind: .data, bytes: event.bytes) : event
        check(index < data.count && data[index] == expected, "text that was not sent")
    }
    check(events.count == data.count, "other events without text")
}

private func isUTF8(_ bytes: Data) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
}

/// The frames with the opcode of data instead of that of text.
private func withoutText(_ bytes: [UInt8]) -> [UInt8] {
    var (bytes, start) = (bytes, 0)
    while start + 1 < bytes.count {
        let (first, second) = (bytes[start], bytes[start + 1])
        if first & 0xF == 1 { bytes[start] = first & 0xF0 | 2 }
        let size = second & 0x7F == 127 ? 8 : second & 0x7F == 126 ? 2 : 0
        let length = bytes[(start + 2)...].prefix(size).reduce(size == 0 ? UInt64(second & 0x7F) : 0) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(bytes.count) else { break }
        start += 2 + size + (second & 0x80 == 0 ? 0 : 4) + Int(length)
    }
    return bytes
}

/// Frames of a first byte and a length of one byte, with a mask that the number gives.
private func frames(from source: inout Source, mask: UInt64?) -> [UInt8] {
    var bytes: [UInt8] = []
    while !source.isEmpty {
        let (first, count) = (source.byte(), source.byte())
        bytes += [first, mask == nil ? 0 : 0x80]
        if count <= 125 { bytes[bytes.count - 1] |= count } else { bytes += [0, count] }
        if count > 125 { bytes[bytes.count - 3] |= 126 }
        let key = (0..<4).map { UInt8(truncatingIfNeeded: (mask ?? 0) >> UInt64(8 * $0)) }
        if mask != nil { bytes += key }
        for index in 0..<Int(count) { bytes.append(source.byte() ^ key[index % 4]) }
    }
    return bytes
}

/// Pieces of a byte, or longer ones of a large input, with which they would take too long.
private func single(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let length = max(1, bytes.count / 10_000)
    return stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
}

/// Pieces of lengths that the number gives: up to 32 bytes, or up to 4 KiB.
private func pieces(of bytes: [UInt8], seed: UInt64) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var (rest, state) = (bytes[...], seed)
    while !rest.isEmpty {
        let piece = rest.prefix((1 + Int(state & 31)) << Int(seed >> 61))
        state = state >> 5 | state << 59
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return pieces
}

// MARK: Writing

extension Source {
    fileprivate mutating func data(_ count: Int) -> Data {
        Data((0..<count).map { _ in byte() })
    }
}

/// What a writer was given, and what must come out.
private struct SentMessages {
    private static let mostSteps = 500
    private static let mostBytes = 150_000

    let isClient: Bool
    let isCompressed: Bool
    let keepsContext: Bool
    private(set) var output: [UInt8] = []
    private(set) var messages: [Seen] = []
    /// The pings and pongs that were written.
    private(set) var controls: [Seen] = []
    private(set) var closing: Seen?
    private(set) var isUrgent = false

    private var writer: WebSocketWriter
    private var waiting: [Seen] = []
    private var size = 0
    private var noise: UInt64
    private var taken = 0

    init(options: UInt8, seed: UInt64) {
        isClient = options & 1 != 0
        isCompressed = options & 2 != 0
        keepsContext = options & 4 != 0
        noise = seed | 1
        let role = isClient ? WebSocketReader.Role.client : .server
        // Without memory for the deflater, messages are not compressed.
        let (bits, keeps, fails) = (8 + Int(options >> 3 & 7), keepsContext, options & 0xC0 == 0xC0)
        writer =
            isCompressed
            ? WebSocketWriter(role) { fails ? nil : MessageDeflater(zlib(), windowBits: bits, keepsContext: keeps) }
            : WebSocketWriter(role)
    }

    mutating func run(_ source: inout Source) {
        for _ in 0..<Self.mostSteps where !source.isEmpty {
            let (step, count) = (source.byte() & 7, source.byte())
            switch step {
            case 0: addControl(Seen(kind: .ping, bytes: source.data(Int(count) % 126)))
            case 1: addControl(Seen(kind: .pong, bytes: source.data(Int(count) % 126)))
            case 2: add(Seen(kind: .text, bytes: Data(source.text().utf8)))
            case 3: add(Seen(kind: .data, bytes: source.data(Int(count))))
            case 4: add(Seen(kind: .text, bytes: Data(String(repeating: source.text(), count: Int(count)).utf8)))
            case 5: add(Seen(kind: .data, bytes: bytesOfNoise(Int(count) << 8 | Int(source.byte()))))
            case 6: write(target: output.count + (Int(count) << 8 | Int(source.byte())))
            default:
                let codes: [WebSocketCloseCode?] = [nil, .normalClosure, .goingAway, WebSocketCloseCode(rawValue: 4999)]
                if count < 64 { close(codes[Int(count & 3)], source.text(), count & 4 != 0) }
            }
        }
    }

    mutating func finish() {
        write(target: .max)
        check(writer.isEmpty, "the writer has something left")
        check(writer.written == UInt64(output.count), "\(writer.written) bytes written of \(output.count)")
        check(writer.isClosed == (closing != nil), "the writer is closed without a close frame, or the reverse")
        let count = output.count
        write(target: .max)
        check(output.count == count, "something is written again")
    }

    /// How many messages were sent with the first bytes.
    mutating func takeSent(upTo count: Int) -> Int {
        for ticket in writer.takeSent(upTo: UInt64(count)) {
            check(ticket == taken, "the ticket \(ticket) instead of \(taken)")
            taken += 1
        }
        return taken
    }

    private mutating func add(_ message: Seen) {
        guard size + message.bytes.count <= Self.mostBytes else { return }
        size += message.bytes.count
        let content = message.kind == .text ? WebSocketMessage.text(String(decoding: message.bytes, as: UTF8.self)) : .data(message.bytes)
        writer.add(content, ticket: messages.count)
        if closing == nil { messages.append(message) }
    }

    private mutating func addControl(_ frame: Seen) {
        // Nothing is to follow an urgent close.
        guard !isUrgent else { return }
        if frame.kind == .ping { writer.addPing(frame.bytes) } else { writer.addPong(frame.bytes) }
        guard !writer.isClosed else { return }
        waiting.append(frame)
        guard waiting.count(where: { $0.kind == .pong }) > WebSocketWriter.mostPongs else { return }
        if let oldest = waiting.firstIndex(where: { $0.kind == .pong }) { waiting.remove(at: oldest) }
    }

    private mutating func close(_ code: WebSocketCloseCode?, _ reason: String, _ urgent: Bool) {
        guard let payload = WebSocketWriter.closePayload(code, reason) else { return }
        check(payload.count <= 125, "a close frame of \(payload.count) bytes")
        writer.close(payload, isUrgent: urgent)
        guard !writer.isClosed else { return }
        closing = closing ?? Seen(kind: .close(code), bytes: Data(reason.utf8))
        guard urgent else { return }
        (isUrgent, waiting) = (true, [])
    }

    private mutating func write(target: Int) {
        if output.count < target, !writer.isClosed {
            controls += waiting
            waiting = []
        }
        check(writer.write(to: &output, target: target), "the deflater has failed")
        check(output.count >= target || writer.isEmpty, "\(output.count) bytes of \(target)")
    }

    /// Bytes that do not compress.
    private mutating func bytesOfNoise(_ count: Int) -> Data {
        Data(
            (0..<count).map { _ in
                noise ^= noise << 13
                noise ^= noise >> 7
                noise ^= noise << 17
                return UInt8(truncatingIfNeeded: noise)
            })
    }
}
