#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// The fields of one request, or its trailer fields, as HTTP/2 has them (RFC 9113 section 8): names in lower case, pseudo-header fields
    /// first. May be used again for the next request.
    struct HTTP2FieldList {
        /// The most bytes of the fields. Servers accept far less.
        static let maximumBytes = 8 << 20

        private struct Place {
            var name: Int
            var value: Int
            var end: Int
            var isSensitive: Bool
        }

        /// Names and values, one behind the other.
        private var bytes: [UInt8] = []
        private var places: [Place] = []

        var isEmpty: Bool { places.isEmpty }

        /// The size of the fields as lines of HTTP/1.
        var lineBytes: Int { bytes.count + 4 * places.count }

        /// Calls the closure with the fields.
        func withFields<R>(_ body: (UnsafeBufferPointer<fwhttp2_field>) -> R) -> R {
            bytes.withUnsafeBufferPointer { bytes in
                withUnsafeTemporaryAllocation(of: fwhttp2_field.self, capacity: places.count) { fields in
                    for (index, place) in places.enumerated() {
                        let (name, value) = (bytes.baseAddress.map { $0 + place.name }, bytes.baseAddress.map { $0 + place.value })
                        fields.initializeElement(
                            at: index,
                            to: fwhttp2_field(
                                name: name, value: value, name_count: place.value - place.name, value_count: place.end - place.value,
                                flags: place.isSensitive ? UInt8(FWHTTP2_NEVER_INDEXED) : 0))
                    }
                    return body(UnsafeBufferPointer(fields))
                }
            }
        }

        /// Writes a request's fields, in place of those before.
        ///
        /// The caller's `Host` becomes `:authority`, if there is one. `Accept: */*` is added if there is no `Accept`. `Content-Length`
        /// follows from the body. Fields of the connection are left out (RFC 9113 section 8.2.2).
        mutating func write(
            method: HTTPMethod, target: TargetURI, headers: HTTPHeaders, body: RequestWriter.BodyLength, expectsContinue: Bool,
            names: inout HTTP2SensitiveNames
        ) throws(RequestWriter.Problem) {
            removeAll()
            guard method.rawValue.isHTTPToken else { throw .invalidMethod }
            append(":method", method.rawValue)
            // RFC 9113 section 8.5.
            if method != .connect { append(":scheme", target.origin.isSecure ? "https" : "http") }
            try appendAuthority(of: target.origin, headers)
            if method != .connect {
                begin(":path")
                bytes.appendPathAndQuery(of: target)
                end()
            }
            var (accepts, expects) = (false, !expectsContinue || body == .none || body == .known(0))
            for header in headers {
                switch HTTP2RequestField(name: header.name) {
                case .dropped: continue
                case .te where !header.value.equalsIgnoringASCIICase("trailers"): continue
                case .accept: accepts = true
                case .expect: expects = true
                case .te, .other: break
                }
                try append(header, isSensitive: names.contain(header.name))
            }
            if !accepts { append("accept", "*/*") }
            if !expects { append("expect", "100-continue") }
            appendLength(method, body)
            guard bytes.count <= Self.maximumBytes else { throw .invalidField }
        }

        /// Writes trailer fields, without those that trailers may not have.
        mutating func write(trailers: HTTPHeaders) throws(RequestWriter.Problem) {
            removeAll()
            for trailer in trailers where TrailerNames.isAllowed(trailer.name) {
                try append(trailer, isSensitive: Redaction.isCredential(fieldName: trailer.name))
            }
            guard bytes.count <= Self.maximumBytes else { throw .invalidField }
        }

        private mutating func removeAll() {
            bytes.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
        }

        private mutating func appendAuthority(of origin: TargetURI.Origin, _ headers: HTTPHeaders) throws(RequestWriter.Problem) {
            begin(":authority")
            if let host = headers.first(where: { $0.name.equalsIgnoringASCIICase("Host") }) {
                try appendValue(of: host)
            } else {
                bytes.appendAuthority(of: origin)
            }
            end()
        }

        /// RFC 9110 section 8.6.
        private mutating func appendLength(_ method: HTTPMethod, _ body: RequestWriter.BodyLength) {
            switch body {
            case .none: if method.anticipatesBody { append("content-length", "0") }
            case .known(0) where method == .head: break
            case .known(let length):
                begin("content-length")
                bytes.append(decimal: length)
                end()
            case .unknown: break
            }
        }

        // MARK: Single fields

        private mutating func append(_ name: StaticString, _ value: String) {
            begin(name)
            bytes.append(contentsOf: value.utf8)
            end()
        }

        private mutating func append(_ field: HTTPHeader, isSensitive: Bool) throws(RequestWriter.Problem) {
            guard field.name.isHTTPToken else { throw .invalidField }
            let start = bytes.count
            bytes.append(contentsOf: field.name.utf8)
            for index in start..<bytes.count { bytes[index] = bytes[index].asciiLowercased }
            places.append(Place(name: start, value: bytes.count, end: bytes.count, isSensitive: isSensitive))
            try appendValue(of: field)
            end()
        }

        private mutating func begin(_ name: StaticString) {
            let start = bytes.count
            bytes.append(name)
            places.append(Place(name: start, value: bytes.count, end: bytes.count, isSensitive: false))
        }

        private mutating func end() { places[places.count - 1].end = bytes.count }

        /// The value is checked as it is sent, because obs-text is not sent as the bytes of its string. White space at both ends is not
        /// allowed (RFC 9113 section 8.2.1).
        private mutating func appendValue(of field: HTTPHeader) throws(RequestWriter.Problem) {
            let start = bytes.count
            if field.isObsText {
                bytes.append(contentsOf: field.value.unicodeScalars.lazy.map { UInt8(truncatingIfNeeded: $0.value) })
            } else {
                bytes.append(contentsOf: field.value.utf8)
            }
            while bytes.count > start, bytes[bytes.count - 1].startsFold { bytes.removeLast() }
            let spaces = bytes[start...].prefix(while: \.startsFold).count
            if spaces > 0 { bytes.removeSubrange(start..<(start + spaces)) }
            let isSafe = bytes.withUnsafeBytes { bytes in
                let value = UnsafeRawBufferPointer(rebasing: bytes[start...])
                return value.firstOffset(of: 0x0A) == nil && value.firstOffset(of: 0x0D) == nil && value.firstOffset(of: 0) == nil
            }
            guard isSafe else { throw .invalidField }
        }
    }

    /// The fields of a request that HTTP/2 treats in a way of its own.
    private enum HTTP2RequestField {
        /// It belongs to a connection of HTTP/1.1, or is written from other sources.
        case dropped
        case te
        case accept
        case expect
        case other

        init(name: String) {
            self =
                switch name.utf8.count {
                case 2 where name.equalsIgnoringASCIICase("TE"): .te
                case 4 where name.equalsIgnoringASCIICase("Host"): .dropped
                case 6 where name.equalsIgnoringASCIICase("Accept"): .accept
                case 6 where name.equalsIgnoringASCIICase("Expect"): .expect
                case 7 where name.equalsIgnoringASCIICase("Upgrade"): .dropped
                case 10 where name.equalsIgnoringASCIICase("Connection"): .dropped
                case 10 where name.equalsIgnoringASCIICase("Keep-Alive"): .dropped
                case 14 where name.equalsIgnoringASCIICase("Content-Length"): .dropped
                case 16 where name.equalsIgnoringASCIICase("Proxy-Connection"): .dropped
                case 19 where name.equalsIgnoringASCIICase("Proxy-Authorization"): .dropped
                case 17 where name.equalsIgnoringASCIICase("Transfer-Encoding"): .dropped
                default: .other
                }
        }
    }

    /// Which fields carry credentials, for the names that a connection's requests have. Such fields are not put into compression tables
    /// (RFC 7541 section 7.1).
    struct HTTP2SensitiveNames {
        /// Requests repeat few names, which are found by comparing them; looking at one closely takes longer.
        private static let most = 24
        private var known: [(name: String, isSensitive: Bool)] = []

        mutating func contain(_ name: String) -> Bool {
            for entry in known where entry.name == name { return entry.isSensitive }
            let isSensitive = Redaction.isCredential(fieldName: name)
            if known.count < Self.most { known.append((name, isSensitive)) }
            return isSensitive
        }
    }
#endif
