/// A position in an encoder's output, to which a value is written.
protocol EncodingSink: AnyObject {
    /// Notes that the value is a container, even if it stays empty, and the order of its elements.
    func note(_ shape: EncodingShape)
    /// The position for a key of this container.
    func child(forKey key: String) -> Self
    /// The position for a new element of this container.
    func appendedChild() -> Self

    /// Writes an explicit nil.
    func putNil(at path: EncodingPath) throws
    /// Notes a key that a type omits because its value is nil, as the compiler's `encode(to:)` does for optional properties.
    func putAbsent(forKey key: String, at path: EncodingPath) throws
    func put(_ value: Bool)
    func put(_ text: String)
    func put(_ number: some FixedWidthInteger)
    /// - Throws: ``ParameterFailure/notFinite(path:)`` if the format cannot represent the number.
    func put(_ number: some BinaryFloatingPoint & LosslessStringConvertible, at path: EncodingPath) throws
    /// Writes a value whose type has its own representation in this format, instead of calling its `encode(to:)`.
    ///
    /// - Returns: Whether it was written.
    func take<T: Encodable>(_ value: T, at path: EncodingPath) throws -> Bool
}

/// The kind of a container, and the order of its elements.
enum EncodingShape {
    case keyed
    case unkeyed
    /// Keys in any order.
    case dictionary
    /// Elements in any order.
    case set
    /// Alternating keys and values in any order: how Swift encodes a dictionary whose keys are neither strings nor integers.
    case pairs

    /// The size of groups of elements that belong together, if the order is arbitrary; otherwise nil.
    var unorderedGroup: Int? {
        switch self {
        case .set: 1
        case .pairs: 2
        case .keyed, .unkeyed, .dictionary: nil
        }
    }
}

/// A collection without an order. Its elements must be sorted, otherwise the output would differ in each run.
protocol UnorderedElements {
    /// ``EncodingShape/set``, ``EncodingShape/pairs`` or ``EncodingShape/dictionary``.
    var shape: EncodingShape { get }
    /// The elements to encode in any order; for a dictionary, alternating keys and values.
    var elements: [Any] { get }
}

extension Set: UnorderedElements {
    var shape: EncodingShape { .set }
    var elements: [Any] { map { $0 } }
}

extension Dictionary: UnorderedElements {
    var shape: EncodingShape {
        Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type ? .dictionary : .pairs
    }

    var elements: [Any] { flatMap { [$0.key, $0.value] as [Any] } }
}

extension Array {
    /// Sorts unordered elements by their text, keeping the elements of a group together.
    func sorted(inGroupsOf size: Int, byText text: (Element) throws -> [UInt8]) rethrows -> [Element] {
        let groups = try stride(from: 0, to: count, by: size).map { start in
            let group = self[start..<Swift.min(start + size, count)]
            return (group, try group.reduce(into: [UInt8]()) { $0 += try text($1) + [0] })
        }
        return groups.sorted { $0.1.lexicographicallyPrecedes($1.1) }.flatMap { $0.0 }
    }
}
