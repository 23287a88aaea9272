#if os(Linux)
    import Foundation

    /// A response's head or trailer section in the course of being received, with the rules that HTTP/1's has (``FieldSection``). The
    /// library has decoded it and checked what RFC 9113 section 8.3 says about pseudo-header fields.
    struct HTTP2ResponseSection {
        /// The fields as lines of HTTP/1, which is what received fields are kept as. The memory is used again.
        private var lines: [UInt8] = []
        private var noted: ReceivedFields.Noted = []
        private(set) var statusCode = 0
        private(set) var lengths = ContentLengths()
        /// The bytes of the section as far as they count.
        private(set) var bytes = 0

        mutating func begin() {
            lines.removeAll(keepingCapacity: true)
            noted = []
            statusCode = 0
            lengths = ContentLengths()
            bytes = 0
        }

        /// Adds a field.
        ///
        /// - Parameters:
        ///   - limit: The most bytes that the section may have.
        ///   - isSuspect: Whether the library does not allow the field. As in HTTP/1, control characters and white space around the value
        ///     are allowed here, because the field stays one field.
        mutating func add(
            _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, limit: Int, isTrailer: Bool, isSuspect: Bool
        ) throws(ResponseLines.Problem) {
            bytes += name.count + value.count + 4
            guard bytes <= limit else { throw isTrailer ? .trailersTooLarge : .headTooLarge }
            if name.first == UInt8(ascii: ":") { return try readStatus(name, value) }
            if isSuspect {
                guard !name.isEmpty, name.allSatisfy({ $0.isHTTPTokenByte && $0 == $0.asciiLowercased }) else { throw .invalidName }
            }
            for byte: UInt8 in [0, 0x0A, 0x0D] where value.firstOffset(of: byte) != nil { throw .brokenValue }
            if name.count == 14, name.spells("Content-Length") { lengths.add(value) }
            noted.formUnion(ReceivedFields.Noted(name: name))
            lines.append(contentsOf: name)
            lines.append(": ")
            lines.append(contentsOf: value)
            lines.append("\r\n")
        }

        /// The library lets only `:status` pass, with three digits, and once.
        private mutating func readStatus(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(ResponseLines.Problem) {
            guard name.spells(":status"), value.count == 3, value.allSatisfy(\.isASCIIDigit) else { throw .invalidStatusCode }
            statusCode = value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard statusCode >= 100 else { throw .statusTooLow }
        }

        /// The fields of the complete section.
        var fields: HTTPHeaders {
            guard !lines.isEmpty else { return HTTPHeaders() }
            return HTTPHeaders(received: lines.withUnsafeBytes { ReceivedFields(copying: $0, noted: noted) })
        }

        /// Gives back the memory of a large section.
        mutating func end() {
            if lines.capacity > 65_536 { lines = [] }
        }
    }
#endif
