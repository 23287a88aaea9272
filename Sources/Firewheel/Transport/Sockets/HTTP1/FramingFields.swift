/// What a response's fields say about its framing and its connection (RFC 9112 sections 6 and 9.3).
struct FramingFields {
    enum Field {
        case contentLength
        case transferEncoding
        case connection

        /// nil for all other names.
        init?(name: UnsafeRawBufferPointer) {
            switch name.count {
            case 10 where name.spells("Connection"): self = .connection
            case 14 where name.spells("Content-Length"): self = .contentLength
            case 17 where name.spells("Transfer-Encoding"): self = .transferEncoding
            default: return nil
            }
        }
    }

    /// The transfer codings of all `Transfer-Encoding` fields together.
    enum Coding {
        /// There is no field.
        case none
        /// Only `identity`, which is no coding.
        case identity
        case chunked
        /// Another coding, or chunked not at the end. None was asked for (RFC 9110 section 10.1.4).
        case unsupported
    }

    private(set) var lengths = ContentLengths()
    private(set) var coding = Coding.none
    /// Whether `Connection` has the option `close`.
    private(set) var closes = false
    /// Whether `Connection` has the option `keep-alive`, which counts for HTTP/1.0.
    private(set) var keepsAlive = false

    /// Adds a field's value, which may be folded.
    mutating func add(_ field: Field, _ value: UnsafeRawBufferPointer) {
        switch field {
        case .contentLength:
            lengths.add(value)
        case .transferEncoding:
            // A field without a coding is not the same as no field.
            if value.trimmed.isEmpty { coding = .unsupported }
            Self.eachElement(of: value) { addCoding($0) }
        case .connection:
            Self.eachElement(of: value) { option in
                if option.spells("close") { closes = true }
                if option.spells("keep-alive") { keepsAlive = true }
            }
        }
    }

    private mutating func addCoding(_ name: UnsafeRawBufferPointer) {
        switch coding {
        case .none, .identity:
            coding = name.spells("chunked") ? .chunked : name.spells("identity") ? .identity : .unsupported
        case .chunked:
            // Some servers name it twice and apply it once.
            if !name.spells("chunked") { coding = .unsupported }
        case .unsupported: break
        }
    }

    /// Calls the closure for each element of a list (RFC 9110 section 5.6.1); empty ones are skipped.
    private static func eachElement(of list: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var rest = list
        while true {
            let comma = rest.firstOffset(of: UInt8(ascii: ","))
            let element = UnsafeRawBufferPointer(start: rest.baseAddress, count: comma ?? rest.count).trimmed
            if !element.isEmpty { body(element) }
            guard let comma else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
        }
    }
}
