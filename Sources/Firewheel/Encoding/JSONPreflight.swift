import Foundation

/// Checks a value before it is passed to `JSONEncoder`, which overflows the stack on deeply nested values, and writes a `Decimal` that is
/// NaN as `NaN`, which is invalid JSON. Also finds values that `JSONEncoder` would write in a different order in each run.
final class JSONPreflight: EncodingSink {
    private var isUnordered = false

    /// - Returns: Whether the value must be written through ``OrderedJSON``.
    static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: Any]) throws -> Bool {
        let preflight = JSONPreflight()
        do {
            try SinkEncoder(preflight, userInfo: userInfo).encode(value)
        } catch let failure as ParameterFailure {
            throw failure
        } catch {
            // The value's own error: JSONEncoder will report it again, or has a strategy that avoids it.
        }
        return preflight.isUnordered
    }

    func note(_ shape: EncodingShape) {
        if shape.unorderedGroup != nil { isUnordered = true }
    }

    func child(forKey key: String) -> JSONPreflight { self }
    func appendedChild() -> JSONPreflight { self }
    func putNil(at path: EncodingPath) {}
    func putAbsent(forKey key: String, at path: EncodingPath) {}
    func put(_ value: Bool) {}
    func put(_ text: String) {}
    func put(_ number: some FixedWidthInteger) {}
    // JSONEncoder rejects numbers that are not finite, or has a strategy for them.
    func put(_ number: some BinaryFloatingPoint & LosslessStringConvertible, at path: EncodingPath) {}

    func take<T: Encodable>(_ value: T, at path: EncodingPath) throws -> Bool {
        if let decimal = value as? Decimal {
            guard !decimal.isNaN else { throw ParameterFailure.notFinite(path: path.codingPath.text) }
            return true
        }
        return T.self == String.self || T.self == Int.self || T.self == Bool.self || T.self == Double.self
            || T.self == Data.self || T.self == Date.self || T.self == URL.self
    }
}
