/// What a request's head consists of, as bytes.
extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(decimal number: UInt64) {
        // Small numbers are small strings, which need no memory.
        append(contentsOf: String(number).utf8)
    }

    mutating func append(hexadecimal number: UInt64) {
        append(contentsOf: String(number, radix: 16).utf8)
    }

    /// Appends host and port as `Host` has them (RFC 9110 section 7.2): without a default port, and without an IPv6 zone, which has a
    /// meaning on this machine only (RFC 6874 section 4).
    mutating func appendAuthority(of origin: TargetURI.Origin) {
        if origin.isIPv6 {
            append(UInt8(ascii: "["))
            append(contentsOf: origin.host.utf8.prefix { $0 != UInt8(ascii: "%") })
            append(UInt8(ascii: "]"))
        } else {
            append(contentsOf: origin.host.utf8)
        }
        guard !origin.hasDefaultPort else { return }
        append(UInt8(ascii: ":"))
        append(decimal: UInt64(clamping: origin.port))
    }

    /// Appends host and port as CONNECT has them (RFC 9112 section 3.2.3): with the port in any case.
    mutating func appendConnectTarget(_ origin: TargetURI.Origin) {
        appendAuthority(of: origin)
        guard origin.hasDefaultPort else { return }
        append(UInt8(ascii: ":"))
        append(decimal: UInt64(clamping: origin.port))
    }

    /// Appends path and query, the target in origin form (RFC 9112 section 3.2.1). They are URL characters only.
    mutating func appendPathAndQuery(of target: TargetURI) {
        let start = target.origin.urlLength
        let isDone: Void? = target.string.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0[Swift.min(start, $0.count)...]) }
        if isDone == nil { append(contentsOf: target.string.utf8.dropFirst(start)) }
    }

    /// Appends the whole URI of an http request, the target in absolute form (RFC 9112 section 3.2.2).
    mutating func appendAbsoluteTarget(_ target: TargetURI) {
        append(target.origin.isSecure ? "https://" : "http://")
        appendAuthority(of: target.origin)
        appendPathAndQuery(of: target)
    }

    /// Appends a field line. The value is checked as it is sent, because obs-text is not sent as the bytes of its string.
    mutating func append(field: HTTPHeader) throws(RequestWriter.Problem) {
        guard field.name.isHTTPToken else { throw .invalidField }
        append(contentsOf: field.name.utf8)
        append(UInt8(ascii: ":"))
        let start = count
        // A value of white space is an empty one (RFC 9110 section 5.5).
        if !field.value.utf8.allSatisfy(\.startsFold) {
            append(UInt8(ascii: " "))
            if field.isObsText {
                append(contentsOf: field.value.unicodeScalars.lazy.map { UInt8(truncatingIfNeeded: $0.value) })
            } else {
                append(contentsOf: field.value.utf8)
            }
        }
        let isSafe = withUnsafeBytes { bytes in
            let value = UnsafeRawBufferPointer(rebasing: bytes[start...])
            return value.firstOffset(of: 0x0A) == nil && value.firstOffset(of: 0x0D) == nil && value.firstOffset(of: 0) == nil
        }
        guard isSafe else { throw .invalidField }
        append("\r\n")
    }
}

extension TargetURI.Origin {
    /// The number of bytes before the path in a canonical URL.
    fileprivate var urlLength: Int {
        let digits = port < 10 ? 1 : port < 100 ? 2 : port < 1_000 ? 3 : port < 10_000 ? 4 : 5
        return (isSecure ? 8 : 7) + host.utf8.count + (isIPv6 ? 2 : 0) + (hasDefaultPort ? 0 : 1 + digits)
    }

    fileprivate var isIPv6: Bool {
        let colon = UInt8(ascii: ":")
        return isAddress && host.utf8.withContiguousStorageIfAvailable { $0.contains(colon) } ?? host.utf8.contains(colon)
    }

    fileprivate var hasDefaultPort: Bool { port == (isSecure ? 443 : 80) }
}
