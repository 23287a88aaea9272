import Foundation

extension JSONValue: Codable {
    /// Decodes a value. Numbers are as exact as the decoder's: Foundation's support `Int64`, `UInt64`, `Decimal` with 38 digits, and
    /// `Double`. Arrays and objects may be nested 100 levels deep. ``init(data:)`` is exact and accepts 512 levels.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.maximumRecursion else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
        }
        if let members = try? decoder.container(keyedBy: MemberName.self) {
            var object: [String: JSONValue] = [:]
            for name in members.allKeys { object[name.stringValue] = try members.decode(JSONValue.self, forKey: name) }
            self = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
        } else {
            self = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Decimal.self), let number = Number(value) { return .number(number) }
        // `JSONDecoder` decodes 1e-400 as the integer 0, so an integer counts only if it equals the `Double`.
        if let double = try? container.decode(Double.self), let number = Number(double) {
            if let value = try? container.decode(Int64.self), Double(value) == double { return .number(Number(value)) }
            if let value = try? container.decode(UInt64.self), Double(value) == double { return .number(Number(value)) }
            return .number(number)
        }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "a value that JSON has no form for, or a number out of range")
    }

    /// Writes the value as an encoder's own nulls, Booleans, numbers, strings, arrays and dictionaries.
    ///
    /// - Throws: `EncodingError` for a number that neither `Int64`, `UInt64`, `Decimal` nor `Double` holds exactly, and for values nested
    ///   more than 100 levels deep.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= Self.maximumRecursion else {
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "nested too deeply"))
        }
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members { try container.encode(value, forKey: MemberName(stringValue: name)) }
        case .null, .bool, .string, .number:
            var container = encoder.singleValueContainer()
            try encodeScalar(into: &container)
        }
    }

    private func encodeScalar(into container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .number(let number):
            switch number.exactForm {
            case .int64(let value): try container.encode(value)
            case .uint64(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .decimal(let value): try container.encode(value)
            case nil:
                let reason = "\(number) has more digits or a larger exponent than an encoder takes"
                throw EncodingError.invalidValue(number, .init(codingPath: container.codingPath, debugDescription: reason))
            }
        case .null, .array, .object: try container.encodeNil()
        }
    }

    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue.Number {
    /// The first Swift type that represents the number exactly.
    enum ExactForm {
        case int64(Int64)
        case uint64(UInt64)
        case double(Double)
        case decimal(Decimal)
    }

    var exactForm: ExactForm? {
        if let value = Int64(exactly: self) { return .int64(value) }
        if let value = UInt64(exactly: self) { return .uint64(value) }
        // The shortest text of a Double is unambiguous for other parsers.
        if let value = Double(self), Self(value) == self { return .double(value) }
        return Decimal(exactly: self).map(ExactForm.decimal)
    }
}
