import Foundation

/// Header fields in their order, with names compared without regard to case (RFC 9110 section 5).
///
/// Setting a field replaces every field of that name, so that a request says each thing once. The headers of a response are as the server
/// sent them: order, case and repeated fields, which ``values(for:)`` gives one by one.
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
            // Else it would be held twice, and copied by each change.
            storage = .fields([])
            defer { storage = .fields(fields) }
            yield &fields
        }
    }

    /// No header fields.
    public init() {
        storage = .fields([])
    }

    /// Header fields from an array. Of several with one name the last wins, in the place of the first.
    public init(_ headers: [HTTPHeader]) {
        self.init()
        for header in headers { update(header) }
    }

    /// Header fields from a dictionary, in the alphabetical order of their names, since a dictionary has none.
    public init(_ dictionary: [String: String]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { update(name: name, value: value) }
    }

    /// Header fields exactly as received, repeated ones included.
    public init(received fields: [HTTPHeader]) {
        storage = .fields(fields)
    }

    init(received fields: ReceivedFields) {
        storage = .received(fields)
    }

    /// Sets a field: the same as ``update(name:value:)``, under the name that Alamofire gives it too.
    public mutating func add(name: String, value: String) {
        update(name: name, value: value)
    }

    /// Sets a field: the same as ``update(_:)``.
    public mutating func add(_ header: HTTPHeader) {
        update(header)
    }

    /// Sets a field: in the place of the first of that name, at the end if there is none.
    public mutating func update(name: String, value: String) {
        update(HTTPHeader(name: name, value: value))
    }

    /// Sets a field: in the place of the first of that name, at the end if there is none.
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

    /// Removes every field of a name.
    public mutating func remove(name: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// Sorts the fields by name, without regard to case.
    public mutating func sort() {
        fields.sort { $0.name.lowercased() < $1.name.lowercased() }
    }

    /// The fields sorted by name, without regard to case.
    public func sorted() -> HTTPHeaders {
        var copy = self
        copy.sort()
        return copy
    }

    /// The value of a field; the values of a repeated one joined by `", "`, as RFC 9110 section 5.3 allows. nil if there is none.
    public func value(for name: String) -> String? {
        guard let first = firstIndex(of: name) else { return nil }
        var value = fields[first].value
        for field in fields[(first + 1)...] where field.name.equalsIgnoringASCIICase(name) {
            value += ", " + field.value
        }
        return value
    }

    /// The values of a field one by one, in their order. `Set-Cookie` and `WWW-Authenticate` cannot be read otherwise.
    public func values(for name: String) -> [String] {
        fields.lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// Whether there is a field of this name.
    func contains(name: String) -> Bool {
        firstIndex(of: name) != nil
    }

    /// Whether there may be one of the fields that policies look for. Of fields as they were received it is known without making strings of
    /// them.
    func mayContain(_ field: ReceivedFields.Noted) -> Bool {
        switch storage {
        case .fields(let fields): !fields.isEmpty
        case .received(let received): !received.noted.isDisjoint(with: field)
        }
    }

    /// Reads as ``value(for:)`` and sets as ``update(name:value:)``; nil removes.
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

    /// The fields as a dictionary, under the name that each had first, repeated ones joined by `", "`.
    public var dictionary: [String: String] {
        // Collected first and joined once: a server may repeat a name some hundred thousand times.
        var groups: [String: (name: String, values: [String])] = [:]
        for field in fields { groups[field.name.lowercased(), default: (field.name, [])].values.append(field.value) }
        return groups.values.reduce(into: [:]) { $0[$1.name] = $1.values.joined(separator: ", ") }
    }

    /// These fields, with those of `other` set over them.
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
    /// Whether both have the same fields in the same order: names count with their case.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool { left.fields == right.fields }

    /// Hashes the fields in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Fields from name and value pairs. Of a name that is given twice, in whatever case, the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }

    /// Fields in the order given. Of a name that is given twice, in whatever case, the last value counts.
    public init(arrayLiteral elements: HTTPHeader...) {
        self.init(elements)
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field: 0.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field: the number of fields.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position from 0 on, which has to be below ``count``.
    public subscript(position: Int) -> HTTPHeader { fields[position] }
    /// The number of fields, each one of a repeated name included.
    public var count: Int { fields.count }
    /// Gives the fields in their order.
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> { fields.makeIterator() }
}

extension HTTPHeaders {
    /// Whether the same bytes are sent for both, if all are valid. Equal values need not have the same: for Swift strings are equal that
    /// Unicode holds for the same text.
    func hasSameBytes(as other: HTTPHeaders) -> Bool {
        let (fields, others) = (fields, other.fields)
        guard fields.count == others.count else { return false }
        // Names are tokens, and so ASCII: equal ones are the same.
        for index in fields.indices {
            guard fields[index].name == others[index].name, fields[index].isObsText == others[index].isObsText,
                fields[index].value.hasSameBytes(as: others[index].value)
            else { return false }
        }
        return true
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One line a field, credentials redacted.
    public var description: String {
        fields.map(\.description).joined(separator: "\n")
    }
}

extension String {
    /// Whether both are the same in UTF-8.
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

    /// Equality without regard to the case of ASCII letters, byte by byte: what field names, schemes and hosts are compared by.
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
