import Foundation

/// A look at a value before `JSONEncoder` gets it, which overflows the stack when values are nested some thousand levels deep, and writes
/// a `Decimal` that is not a number as `NaN`, which is no JSON. It also finds out whether anything stands in the value that `JSONEncoder`
/// writes in another order in every run.
final class JSONPreflight: EncodingSink {
    private var isUnordered = false

    /// - Returns: Whether the value is to be written through ``OrderedJSON``.
    static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: Any]) throws -> Bool {
        let preflight = JSONPreflight()
        do {
            try SinkEncoder(preflight, userInfo: userInfo).encode(value)
        } catch let failure as ParameterFailure {
            throw failure
        } catch {
            // The value's own error: JSONEncoder will meet it again, or has a strategy for what caused it.
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
    // JSONEncoder refuses what is not finite, or has a strategy for it.
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
