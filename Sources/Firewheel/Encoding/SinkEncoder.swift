/// One place of what an encoder makes: where a value goes.
protocol EncodingSink: AnyObject {
    /// Notes that what stands here has elements, even if none comes.
    func note(_ shape: EncodingShape)
    /// The place of a key of what stands here.
    func child(forKey key: String) -> Self
    /// The place of a new element of what stands here.
    func appendedChild() -> Self

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
    case unordered
}

/// A collection without an order of its own. What is made of it has to be sorted, or it would differ from run to run.
protocol UnorderedElements {
    var elements: [Any] { get }
}

extension Set: UnorderedElements {
    var elements: [Any] { map { $0 } }
}

/// The way to a value: a linked list, so that a step costs the same at any depth.
final class EncodingPath {
    private let parent: EncodingPath?
    private let key: (any CodingKey)?
    let depth: Int

    /// The way to the root.
    init() {
        parent = nil
        key = nil
        depth = 0
    }

    /// A step down; without a key, into a value that encodes itself as another.
    init(_ parent: EncodingPath, _ key: (any CodingKey)?) {
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
    }

    var codingPath: [any CodingKey] {
        Array(sequence(first: self, next: \.parent).compactMap(\.key).reversed())
    }
}

/// An `Encoder` that puts what it is given into a sink.
///
/// Where a type asks twice for the same place, in two shapes, the last one written wins, and a superclass's fields stand beside
/// its subclass's rather than under `super`: both as in Alamofire.
struct SinkEncoder<Sink: EncodingSink>: Encoder {
    let sink: Sink
    let path: EncodingPath
    let userInfo: [CodingUserInfoKey: Any]

    init(_ sink: Sink, path: EncodingPath = EncodingPath(), userInfo: [CodingUserInfoKey: Any] = [:]) {
        self.sink = sink
        self.path = path
        self.userInfo = userInfo
    }

    var codingPath: [any CodingKey] { path.codingPath }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        sink.note(.keyed)
        return KeyedEncodingContainer(SinkKeyedContainer<Key, Sink>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        sink.note(.unkeyed)
        return SinkUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SinkSingleValueContainer(encoder: self)
    }

    /// Every value comes through here.
    func encode<T: Encodable>(_ value: T) throws {
        guard path.depth <= ParameterFailure.maximumDepth else { throw ParameterFailure.tooDeep }
        if try sink.take(value, at: path) { return }
        if value is any UnorderedElements { sink.note(.unordered) }
        try value.encode(to: self)
    }

    fileprivate func child(_ key: some CodingKey) -> SinkEncoder {
        SinkEncoder(sink.child(forKey: key.stringValue), path: EncodingPath(path, key), userInfo: userInfo)
    }

    fileprivate func element(_ index: Int) -> SinkEncoder {
        SinkEncoder(sink.appendedChild(), path: EncodingPath(path, EncodingIndex(intValue: index)), userInfo: userInfo)
    }

    fileprivate var deeper: SinkEncoder {
        SinkEncoder(sink, path: EncodingPath(path, nil), userInfo: userInfo)
    }
}

private struct EncodingIndex: CodingKey {
    let intValue: Int?
    let stringValue: String

    init(intValue: Int) {
        self.intValue = intValue
        stringValue = String(intValue)
    }

    init?(stringValue: String) { nil }
}

private struct SinkKeyedContainer<Key: CodingKey, Sink: EncodingSink>: KeyedEncodingContainerProtocol {
    let encoder: SinkEncoder<Sink>
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws {}

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.child(key).encode(value)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
        encoder.child(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.child(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.deeper }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.child(key) }
}

private struct SinkUnkeyedContainer<Sink: EncodingSink>: UnkeyedEncodingContainer {
    let encoder: SinkEncoder<Sink>
    private(set) var count = 0
    var codingPath: [any CodingKey] { encoder.codingPath }

    init(encoder: SinkEncoder<Sink>) {
        self.encoder = encoder
    }

    mutating func encodeNil() throws {
        count += 1
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try next().encode(value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        next().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.deeper }

    private mutating func next() -> SinkEncoder<Sink> {
        defer { count += 1 }
        return encoder.element(count)
    }
}

private struct SinkSingleValueContainer<Sink: EncodingSink>: SingleValueEncodingContainer {
    let encoder: SinkEncoder<Sink>
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws {}
    func encode(_ value: Bool) throws { encoder.sink.put(value) }
    func encode(_ value: String) throws { encoder.sink.put(value) }
    func encode(_ value: Double) throws { try encoder.sink.put(value, at: encoder.path) }
    func encode(_ value: Float) throws { try encoder.sink.put(value, at: encoder.path) }
    func encode(_ value: Int) throws { encoder.sink.put(value) }
    func encode(_ value: Int8) throws { encoder.sink.put(value) }
    func encode(_ value: Int16) throws { encoder.sink.put(value) }
    func encode(_ value: Int32) throws { encoder.sink.put(value) }
    func encode(_ value: Int64) throws { encoder.sink.put(value) }
    func encode(_ value: UInt) throws { encoder.sink.put(value) }
    func encode(_ value: UInt8) throws { encoder.sink.put(value) }
    func encode(_ value: UInt16) throws { encoder.sink.put(value) }
    func encode(_ value: UInt32) throws { encoder.sink.put(value) }
    func encode(_ value: UInt64) throws { encoder.sink.put(value) }
    func encode<T: Encodable>(_ value: T) throws { try encoder.deeper.encode(value) }
}
