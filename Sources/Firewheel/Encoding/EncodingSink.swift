/// One place of what an encoder makes: where a value goes.
protocol EncodingSink: AnyObject {
    /// Notes that what stands here has elements, even if none comes, and what is known of their order.
    func note(_ shape: EncodingShape)
    /// The place of a key of what stands here.
    func child(forKey key: String) -> Self
    /// The place of a new element of what stands here.
    func appendedChild() -> Self

    /// A nil that was written as such.
    func putNil(at path: EncodingPath) throws
    /// A key whose value is nil and which a type leaves out because of it, as the compiler's `encode(to:)` does for optional properties.
    func putAbsent(forKey key: String, at path: EncodingPath) throws
    func put(_ value: Bool)
    func put(_ text: String)
    func put(_ number: some FixedWidthInteger)
    /// - Throws: ``ParameterFailure/notFinite(path:)`` if the number has no form here.
    func put(_ number: some BinaryFloatingPoint & LosslessStringConvertible, at path: EncodingPath) throws
    /// Takes a value of a type that has a form of its own here, in place of what its `encode(to:)` would say.
    ///
    /// - Returns: Whether it did.
    func take<T: Encodable>(_ value: T, at path: EncodingPath) throws -> Bool
}

/// How elements stand together.
enum EncodingShape {
    case keyed
    case unkeyed
    /// Keys that come in any order.
    case dictionary
    /// Elements that come in any order.
    case set
    /// Keys and values in turn, in any order: what Swift makes of a dictionary whose keys are neither text nor integers.
    case pairs

    /// How many elements belong together, if they come in any order.
    var unorderedGroup: Int? {
        switch self {
        case .set: 1
        case .pairs: 2
        case .keyed, .unkeyed, .dictionary: nil
        }
    }
}

/// A collection without an order of its own. What is made of it has to be sorted, or it would differ from run to run.
protocol UnorderedElements {
    /// ``EncodingShape/set``, ``EncodingShape/pairs`` or ``EncodingShape/dictionary``.
    var shape: EncodingShape { get }
    /// What is encoded, in any order; for a dictionary, keys and values in turn.
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
    /// Elements that have no order, by their text, those of a group staying together.
    func sorted(inGroupsOf size: Int, byText text: (Element) throws -> [UInt8]) rethrows -> [Element] {
        let groups = try stride(from: 0, to: count, by: size).map { start in
            let group = self[start..<Swift.min(start + size, count)]
            return (group, try group.reduce(into: [UInt8]()) { $0 += try text($1) + [0] })
        }
        return groups.sorted { $0.1.lexicographicallyPrecedes($1.1) }.flatMap { $0.0 }
    }
}
