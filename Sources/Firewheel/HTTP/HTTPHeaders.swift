import Foundation

/// An ordered list of header fields whose names are case-insensitive (RFC 9110 section 5).
///
/// Setting a field replaces all fields of that name, so that a request has each field once. A response has the fields as sent by the
/// server, with order, case and repetition; ``values(for:)`` returns repeated ones individually.
public struct HTTPHeaders: Sendable {
    private enum Storage: Sendable {
        case fields([HTTPHeader])
        case received(ReceivedFields)
    }

    private var storage: Storage

    private var fields: [HTTPHeader] {
        get {
            switch storage {
            case .fields(let fields): fields
            case .received(let received): received.fields
            }
        }
        _modify {
            var fields = fields
            // Otherwise a second reference would make each change copy the fields.
            storage = .fields([])
            defer { storage = .fields(fields) }
            yield &fields
        }
    }

    /// No header fields.
    public init() {
        storage = .fields([])
    }

    /// Header fields from an array. Of several with the same name the last wins, at the position of the first.
    public init(_ headers: [HTTPHeader]) {
        self.init()
        guard headers.count > Self.fewFields else {
            for header in headers { update(header) }
            return
        }
        // With an index, because a server decides how many fields a response has.
        var (fields, positions): ([HTTPHeader], [[UInt8]: Int]) = ([], [:])
        for header in headers {
            let name = header.name.utf8.map(\.asciiLowercased)
            if let position = positions[name] {
                fields[position] = header
            } else {
                positions[name] = fields.count
                fields.append(header)
            }
        }
        storage = .fields(fields)
    }

    /// How many fields are compared with each other faster than they are looked up.
    private static let fewFields = 32

    /// Header fields from a dictionary, sorted by name, because a dictionary has no order.
    public init(_ dictionary: [String: String]) {
        self.init()
        let sorted = dictionary.sorted { $0.key < $1.key }
        guard sorted.count > Self.fewFields else {
            for (name, value) in sorted { update(name: name, value: value) }
            return
        }
        self.init(sorted.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// Header fields exactly as received, including repeated ones.
    public init(received fields: [HTTPHeader]) {
        storage = .fields(fields)
    }

    init(received fields: ReceivedFields) {
        storage = .received(fields)
    }

    /// Sets a field: the same as ``update(name:value:)``. The name is Alamofire's.
    public mutating func add(name: String, value: String) {
        update(name: name, value: value)
    }

    /// Sets a field: the same as ``update(_:)``.
    public mutating func add(_ header: HTTPHeader) {
        update(header)
    }

    /// Sets a field, at the position of the first one of that name, or at the end if there is none.
    public mutating func update(name: String, value: String) {
        update(HTTPHeader(name: name, value: value))
    }

    /// Sets a field, at the position of the first one of that name, or at the end if there is none.
    public mutating func update(_ header: HTTPHeader) {
        guard let first = firstIndex(of: header.name) else {
            fields.append(header)
            return
        }
        fields[first] = header
        var index = fields.count - 1
        while index > first {
            if fields[index].name.equalsIgnoringASCIICase(header.name) { fields.remove(at: index) }
            index -= 1
        }
    }

    /// Removes all fields of a name.
    public mutating func remove(name: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// Sorts the fields by name, case-insensitively.
    public mutating func sort() {
        fields.sort { $0.name.lowercased() < $1.name.lowercased() }
    }

    /// The fields sorted by name, case-insensitively.
    public func sorted() -> HTTPHeaders {
        var copy = self
        copy.sort()
        return copy
    }

    /// The value of a field; repeated ones are joined by `", "`, as RFC 9110 section 5.3 allows. nil if there is none.
    public func value(for name: String) -> String? {
        guard let first = firstIndex(of: name) else { return nil }
        var value = fields[first].value
        for field in fields[(first + 1)...] where field.name.equalsIgnoringASCIICase(name) {
            value += ", " + field.value
        }
        return value
    }

    /// The values of all fields of a name, in order. `Set-Cookie` and `WWW-Authenticate` cannot be read otherwise.
    public func values(for name: String) -> [String] {
        fields.lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The value of a received field as text: as ``value(for:)``, with each field's ``HTTPHeader/decodedValue``. For fields that a server
    /// sends in UTF-8. nil if there is none.
    public func decodedValue(for name: String) -> String? {
        let values = fields.lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.decodedValue)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Whether there is a field of this name.
    func contains(name: String) -> Bool {
        firstIndex(of: name) != nil
    }

    /// Whether a field that policies look for may be present. For received fields this needs no strings.
    func mayContain(_ field: ReceivedFields.Noted) -> Bool {
        switch storage {
        case .fields(let fields): !fields.isEmpty
        case .received(let received): !received.noted.isDisjoint(with: field)
        }
    }

    /// Reads like ``value(for:)`` and sets like ``update(name:value:)``; nil removes the field.
    public subscript(_ name: String) -> String? {
        get { value(for: name) }
        set {
            if let newValue {
                update(name: name, value: newValue)
            } else {
                remove(name: name)
            }
        }
    }

    /// The fields as a dictionary, with the spelling of each name's first field. Repeated ones are joined by `", "`.
    public var dictionary: [String: String] {
        // Grouped before joining, because a server may repeat a name very often.
        var groups: [String: (name: String, values: [String])] = [:]
        for field in fields { groups[field.name.lowercased(), default: (field.name, [])].values.append(field.value) }
        return groups.values.reduce(into: [:]) { $0[$1.name] = $1.values.joined(separator: ", ") }
    }

    /// These fields, overridden by those of `other`.
    func merging(_ other: HTTPHeaders) -> HTTPHeaders {
        if fields.isEmpty { return other }
        var merged = self
        for field in other.fields { merged.update(field) }
        return merged
    }

    private func firstIndex(of name: String) -> Int? {
        fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }
    }
}

extension HTTPHeaders: Hashable {
    /// Whether both have the same fields in the same order. The case of names matters here.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool { left.fields == right.fields }

    /// Hashes the fields in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Creates fields from name and value pairs. If a name is repeated, in any case, its last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }

    /// Creates fields in the given order. If a name is repeated, in any case, its last value counts.
    public init(arrayLiteral elements: HTTPHeader...) {
        self.init(elements)
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field: 0.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field: the number of fields.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position, from 0 to ``count`` - 1.
    public subscript(position: Int) -> HTTPHeader { fields[position] }
    /// The number of fields. Each field with a repeated name counts.
    public var count: Int { fields.count }
    /// Iterates over the fields in their order.
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> { fields.makeIterator() }
}

extension HTTPHeaders {
    /// Whether both are sent as the same bytes, if all fields are valid. Equal values may differ, because Swift strings compare by
    /// canonical equivalence.
    func hasSameBytes(as other: HTTPHeaders) -> Bool {
        let (fields, others) = (fields, other.fields)
        guard fields.count == others.count else { return false }
        // Names are tokens and therefore ASCII: equal ones have the same bytes.
        for index in fields.indices {
            guard fields[index].name == others[index].name, fields[index].isObsText == others[index].isObsText,
                fields[index].value.hasSameBytes(as: others[index].value)
            else { return false }
        }
        return true
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One line per field, with credentials redacted.
    public var description: String {
        fields.map(\.description).joined(separator: "\n")
    }
}

extension String {
    /// Whether both have the same UTF-8 bytes.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let areSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard bytes.count == others.count, let start = bytes.baseAddress, let other = others.baseAddress else {
                    return bytes.isEmpty && others.isEmpty
                }
                return memcmp(start, other, bytes.count) == 0
            }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Bytewise equality, ignoring the case of ASCII letters: the comparison for field names, schemes and hosts.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        let left = utf8
        let right = other.utf8
        guard left.count == right.count else { return false }
        var index = right.startIndex
        for byte in left {
            let other = right[index]
            if byte != other, byte.asciiLowercased != other.asciiLowercased { return false }
            index = right.index(after: index)
        }
        return true
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}
