// Used on Apple's systems; in debug builds of others, tests compare it with OpenSSL.
#if canImport(Security) || DEBUG
    import Foundation

    /// Reads the fields of a certificate (RFC 5280 section 4.1) from DER.
    struct CertificateReader {
        let subject: String
        let issuer: String
        let notBefore: Date
        let notAfter: Date
        /// Host names, and addresses as text (subjectAltName).
        let alternativeNames: [(text: String, isAddress: Bool)]
        let serial: [UInt8]
        let isSerialNegative: Bool
        /// The SubjectPublicKeyInfo in DER.
        let publicKey: [UInt8]

        init?(der: [UInt8]) {
            var outer = DERReader(der[...])
            guard var certificate = outer.enter(.sequence), outer.isAtEnd, var body = certificate.enter(.sequence) else { return nil }
            _ = body.enter(.explicit(0))
            guard let number = body.read(.integer), body.read(.sequence) != nil,
                let issuer = body.enter(.sequence).flatMap(DistinguishedName.text),
                var validity = body.enter(.sequence), let notBefore = validity.readTime(), let notAfter = validity.readTime(),
                let subject = body.enter(.sequence).flatMap(DistinguishedName.text), let key = body.element(.sequence)
            else { return nil }
            guard let names = Self.names(&body) else { return nil }
            self.subject = subject
            self.issuer = issuer
            self.notBefore = notBefore
            self.notAfter = notAfter
            alternativeNames = names
            (serial, isSerialNegative) = Self.magnitude(number)
            publicKey = Array(key)
        }

        var names: [String] { alternativeNames.map(\.text) }

        /// The absolute value of an integer in two's complement.
        private static func magnitude(_ bytes: ArraySlice<UInt8>) -> ([UInt8], isNegative: Bool) {
            guard let first = bytes.first, first & 0x80 != 0 else {
                let digits = bytes.drop { $0 == 0 }
                return (digits.isEmpty ? [0] : Array(digits), false)
            }
            var carry = true
            let inverted = bytes.reversed().map { byte in
                let (sum, overflow) = (~byte).addingReportingOverflow(carry ? 1 : 0)
                carry = overflow
                return sum
            }
            return (Array(inverted.reversed().drop { $0 == 0 }), true)
        }

        /// The names of the extension subjectAltName, 2.5.29.17. nil if it is malformed, or there are several.
        private static func names(_ body: inout DERReader) -> [(text: String, isAddress: Bool)]? {
            _ = body.read(.implicit(1))
            _ = body.read(.implicit(2))
            guard var tagged = body.enter(.explicit(3)) else { return [] }
            guard var extensions = tagged.enter(.sequence) else { return nil }
            var found: [(text: String, isAddress: Bool)]?
            while var one = extensions.enter(.sequence) {
                guard let identifier = one.read(.objectIdentifier) else { return nil }
                _ = one.read(.boolean)
                guard Array(identifier) == [0x55, 0x1D, 0x11] else { continue }
                guard found == nil, let value = one.read(.octetString) else { return nil }
                var outer = DERReader(value)
                guard var list = outer.enter(.sequence) else { return nil }
                var names: [(text: String, isAddress: Bool)] = []
                while let (tag, bytes) = list.next() {
                    let isAddress = tag == .implicit(7)
                    guard isAddress || tag == .implicit(2) else { continue }
                    names.append((CertificateFacts.name(Array(bytes), isAddress: isAddress), isAddress))
                }
                guard list.isAtEnd else { return nil }
                found = names
            }
            return found ?? []
        }
    }

    extension CertificateFacts {
        convenience init(_ reader: CertificateReader) throws(CertificateProblem) {
            try self.init(
                subject: reader.subject, issuer: reader.issuer, notBefore: reader.notBefore, notAfter: reader.notAfter, names: reader.names,
                serial: reader.serial, isSerialNegative: reader.isSerialNegative, publicKey: reader.publicKey)
        }
    }

    /// Walks through elements in DER (ITU-T X.690).
    struct DERReader {
        /// An identifier octet.
        struct Tag: Equatable {
            let octet: UInt8

            static let boolean = Tag(octet: 0x01)
            static let integer = Tag(octet: 0x02)
            static let octetString = Tag(octet: 0x04)
            static let objectIdentifier = Tag(octet: 0x06)
            static let utcTime = Tag(octet: 0x17)
            static let generalizedTime = Tag(octet: 0x18)
            static let sequence = Tag(octet: 0x30)
            static let set = Tag(octet: 0x31)

            static func explicit(_ number: UInt8) -> Tag { Tag(octet: 0xA0 | number) }
            static func implicit(_ number: UInt8) -> Tag { Tag(octet: 0x80 | number) }
        }

        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        var isAtEnd: Bool { rest.isEmpty }

        /// The next element, whole. nil, and nothing read, if it has another tag or is malformed.
        mutating func element(_ tag: Tag) -> ArraySlice<UInt8>? {
            guard let (found, content) = Self.head(of: rest), found == tag else { return nil }
            defer { rest = rest[content.endIndex...] }
            return rest[..<content.endIndex]
        }

        /// The content of the next element.
        mutating func read(_ tag: Tag) -> ArraySlice<UInt8>? {
            guard let (found, content) = Self.head(of: rest), found == tag else { return nil }
            rest = rest[content.endIndex...]
            return content
        }

        /// The elements within the next element.
        mutating func enter(_ tag: Tag) -> DERReader? { read(tag).map(DERReader.init) }

        /// The next element, whatever it is. nil at the end, and if it is malformed.
        mutating func next() -> (tag: Tag, content: ArraySlice<UInt8>)? {
            guard let (tag, content) = Self.head(of: rest) else { return nil }
            rest = rest[content.endIndex...]
            return (tag, content)
        }

        /// Seconds since 1970 of a UTCTime or a GeneralizedTime as RFC 5280 section 4.1.2.5 has them.
        mutating func readTime() -> Date? {
            guard let (tag, content) = next(), content.last == UInt8(ascii: "Z") else { return nil }
            let digits = content.dropLast().compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
            guard digits.count == content.count - 1 else { return nil }
            let pairs = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
            let (year, others): (Int, ArraySlice<Int>)
            switch (tag, digits.count) {
            case (.utcTime, 12): (year, others) = (pairs[0] + (pairs[0] < 50 ? 2000 : 1900), pairs[1...])
            case (.generalizedTime, 14): (year, others) = (pairs[0] * 100 + pairs[1], pairs[2...])
            default: return nil
            }
            let parts = Array(others)
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
            let components = DateComponents(
                year: year, month: parts[0], day: parts[1], hour: parts[2], minute: parts[3], second: parts[4])
            guard components.isValidDate(in: calendar) else { return nil }
            return calendar.date(from: components)
        }

        /// The tag and the content of the first element.
        private static func head(of bytes: ArraySlice<UInt8>) -> (Tag, ArraySlice<UInt8>)? {
            var rest = bytes
            guard let octet = rest.popFirst(), octet & 0x1F != 0x1F, let first = rest.popFirst() else { return nil }
            var size = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count), rest.count >= count else { return nil }
                size = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= size else { return nil }
            return (Tag(octet: octet), rest.prefix(size))
        }
    }

    /// The text of a name of X.500 (RFC 2253), as OpenSSL writes it.
    enum DistinguishedName {
        /// By the bytes of their identifiers, the names that OpenSSL has for the common types.
        private static let types: [[UInt8]: String] = [
            [0x55, 4, 3]: "CN", [0x55, 4, 4]: "SN", [0x55, 4, 5]: "serialNumber", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST",
            [0x55, 4, 9]: "street", [0x55, 4, 10]: "O", [0x55, 4, 11]: "OU", [0x55, 4, 12]: "title", [0x55, 4, 13]: "description",
            [0x55, 4, 15]: "businessCategory", [0x55, 4, 17]: "postalCode", [0x55, 4, 42]: "GN", [0x55, 4, 43]: "initials",
            [0x55, 4, 46]: "dnQualifier", [0x55, 4, 65]: "pseudonym", [0x55, 4, 97]: "organizationIdentifier",
            [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "emailAddress",
            [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25]: "DC", [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1]: "UID",
        ]

        /// - Parameter name: The elements of an RDNSequence.
        static func text(_ name: DERReader) -> String? {
            var (name, parts) = (name, [String]())
            while var set = name.enter(.set) {
                var attributes: [String] = []
                while var attribute = set.enter(.sequence) {
                    guard let type = attribute.read(.objectIdentifier), let value = attribute.next() else { return nil }
                    let known = types[Array(type)]
                    let whole = Array(value.content)
                    let text = known == nil ? nil : string(value.tag, whole)
                    attributes.append("\(known ?? identifier(type))=\(text.map(escaped) ?? dump(value.tag, whole))")
                }
                guard set.isAtEnd else { return nil }
                parts.append(attributes.joined(separator: "+"))
            }
            return name.isAtEnd ? parts.reversed().joined(separator: ",") : nil
        }

        private static func string(_ tag: DERReader.Tag, _ bytes: [UInt8]) -> String? {
            switch tag.octet {
            case 0x0C: String(validating: bytes, as: UTF8.self)
            // PrintableString, T61String (read as Latin-1), IA5String and the like.
            case 0x12, 0x13, 0x14, 0x16, 0x1A: String(String.UnicodeScalarView(bytes.map(Unicode.Scalar.init)))
            case 0x1E where bytes.count % 2 == 0: String(bytes: bytes, encoding: .utf16BigEndian)
            case 0x1C where bytes.count % 4 == 0: String(bytes: bytes, encoding: .utf32BigEndian)
            default: nil
            }
        }

        private static func escaped(_ text: String) -> String {
            var result = ""
            let scalars = Array(text.unicodeScalars)
            for (index, scalar) in scalars.enumerated() {
                switch scalar {
                case ",", "+", "\"", "\\", "<", ">", ";": result += "\\\(scalar)"
                case "#" where index == 0, " " where index == 0 || index == scalars.count - 1: result += "\\\(scalar)"
                case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                    result += "\\" + String(decoding: HashAlgorithm.hexadecimal([UInt8(scalar.value)]), as: UTF8.self).uppercased()
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result
        }

        /// The element in hexadecimal (RFC 2253 section 2.4).
        private static func dump(_ tag: DERReader.Tag, _ bytes: [UInt8]) -> String {
            let digits = withUnsafeBytes(of: bytes.count.bigEndian) { Array($0.drop { $0 == 0 }) }
            let size = bytes.count < 0x80 ? [UInt8(bytes.count)] : [0x80 | UInt8(digits.count)] + digits
            return "#" + String(decoding: HashAlgorithm.hexadecimal([tag.octet] + size + bytes), as: UTF8.self).uppercased()
        }

        /// `1.3.6.1.4.1.311.60.2.1.3`
        private static func identifier(_ bytes: ArraySlice<UInt8>) -> String {
            var (numbers, number) = ([UInt64](), UInt64(0))
            for byte in bytes {
                number = number << 7 | UInt64(byte & 0x7F)
                if byte & 0x80 == 0 {
                    numbers.append(number)
                    number = 0
                }
            }
            guard let first = numbers.first else { return "" }
            let top = min(first / 40, 2)
            return ([top, first - top * 40] + numbers.dropFirst()).map { "\($0)" }.joined(separator: ".")
        }
    }
#endif
