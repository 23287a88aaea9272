/// The coding path of a value: a linked list, so that a step costs the same at any depth.
final class EncodingPath {
    private let parent: EncodingPath?
    private let key: (any CodingKey)?
    let depth: Int

    /// The path of the root.
    init() {
        parent = nil
        key = nil
        depth = 0
    }

    /// A step to a nested value; without a key for a value that encodes itself as another.
    init(_ parent: EncodingPath, _ key: (any CodingKey)?) {
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
    }

    var codingPath: [any CodingKey] {
        Array(sequence(first: self, next: \.parent).compactMap(\.key).reversed())
    }
}

/// An `Encoder` that writes to a sink.
///
/// If a type requests several containers for the same position, the last one written wins. A superclass's fields are written next to its
/// subclass's rather than under `super`. Both are as in Alamofire.
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

    /// The single entry point for all values.
    func encode<T: Encodable>(_ value: T) throws {
        guard path.depth <= ParameterFailure.maximumDepth else { throw ParameterFailure.tooDeep }
        if try sink.take(value, at: path) { return }
        if let unordered = value as? any UnorderedElements { sink.note(unordered.shape) }
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

    func encodeNil(forKey key: Key) throws {
        let child = encoder.child(key)
        try child.sink.putNil(at: child.path)
    }

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

    // One for each type, because overload resolution prefers the protocol's own, which omit nil, to a generic one.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }

    private func encodeOptional(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else {
            try encoder.sink.putAbsent(forKey: key.stringValue, at: encoder.path)
        }
    }
}

private struct SinkUnkeyedContainer<Sink: EncodingSink>: UnkeyedEncodingContainer {
    let encoder: SinkEncoder<Sink>
    private(set) var count = 0
    var codingPath: [any CodingKey] { encoder.codingPath }

    init(encoder: SinkEncoder<Sink>) {
        self.encoder = encoder
    }

    mutating func encodeNil() throws {
        let element = next()
        try element.sink.putNil(at: element.path)
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

    func encodeNil() throws { try encoder.sink.putNil(at: encoder.path) }
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
