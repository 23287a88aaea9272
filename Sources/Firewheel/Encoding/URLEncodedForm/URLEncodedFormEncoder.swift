import Foundation

/// Encodes `Encodable` values as `application/x-www-form-urlencoded` text. The options and their defaults are Alamofire's.
///
/// The default format is described at ``URLEncoding``. Equal values have the same text on every platform and in every run.
///
/// - A set repeats its key for every element, sorted by text, without brackets regardless of `arrayEncoding`: AFNetworking's rule.
/// - Empty arrays, sets and dictionaries are omitted. Omitted elements, such as nil, do not count in indices.
/// - `URL`, `UUID` and `Decimal` are written as text.
public final class URLEncodedFormEncoder: Sendable {
    /// Whether keys are sorted at every level. Otherwise the properties of a type are in the order in which it encodes them, and the keys
    /// of an unordered dictionary are still sorted. The elements of an array always keep their order. Default: true.
    public let alphabetizeKeyValuePairs: Bool
    /// How an array element changes the key. Default: `.brackets`.
    public let arrayEncoding: ArrayEncoding
    /// How a `Bool` is written. Default: `.numeric`.
    public let boolEncoding: BoolEncoding
    /// How `Data` is written. Default: `.base64`.
    public let dataEncoding: DataEncoding
    /// How a `Date` is written. Default: `.deferredToDate`.
    public let dateEncoding: DateEncoding
    /// How a key is written. Default: `.useDefaultKeys`.
    public let keyEncoding: KeyEncoding
    /// How the key of a nested value is appended to its parent's. Default: `.brackets`.
    public let keyPathEncoding: KeyPathEncoding
    /// How nil is written. Default: `.dropKey`.
    public let nilEncoding: NilEncoding
    /// How a space is written. Default: `.percentEscaped`.
    public let spaceEncoding: SpaceEncoding
    /// The characters that are not percent-encoded. All others are encoded as UTF-8, and so are all non-ASCII characters, even if included
    /// here. Default: `.afURLQueryAllowed`.
    public let allowedCharacters: CharacterSet

    let escaping: FormEscaping

    /// Creates an encoder. Every parameter is the property of the same name.
    public init(
        alphabetizeKeyValuePairs: Bool = true,
        arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric,
        dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate,
        keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets,
        nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped,
        allowedCharacters: CharacterSet = .afURLQueryAllowed
    ) {
        self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.allowedCharacters = allowedCharacters
        escaping = FormEscaping(allowed: allowedCharacters, space: spaceEncoding)
    }

    /// The value as text: `a=1&b%5B%5D=2`. Empty if the value has no fields, or if all are nil.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed(.urlEncodedFormEncodingFailed)` with the cause, if the value has no
    ///   keys (an array, a number), contains a number that is not finite or a date that the `dateEncoding` cannot represent, or is nested
    ///   more than 128 levels deep, or if the value itself or a closure of the options throws.
    public func encode(_ value: some Encodable) throws -> String {
        do {
            return try text(of: value)
        } catch {
            throw FirewheelError(.parameterEncodingFailed(.urlEncodedFormEncodingFailed), underlyingError: error)
        }
    }

    /// The value as UTF-8 text, which is ASCII.
    ///
    /// - Throws: As the other `encode(_:)`.
    public func encode(_ value: some Encodable) throws -> Data {
        let text: String = try encode(value)
        return Data(text.utf8)
    }

    /// The value as text.
    ///
    /// - Throws: The cause of what ``encode(_:)`` throws.
    package func text(of value: some Encodable) throws -> String {
        String(decoding: try FormSerializer.bytes(ofFieldsOf: node(of: value), by: self), as: UTF8.self)
    }

    /// The value's fields in the order of its text, with `Data` as it is.
    ///
    /// - Throws: As ``encode(_:)``.
    func fields(of value: some Encodable) throws -> [FormField] {
        do {
            let root = FormNode(self, keepsData: true)
            try SinkEncoder(root).encode(value)
            return try FormSerializer.fields(of: root, by: self)
        } catch {
            throw FirewheelError(.parameterEncodingFailed(.urlEncodedFormEncodingFailed), underlyingError: error)
        }
    }

    /// The sort key for elements of unordered collections.
    func sortingText(of value: some Encodable) throws -> [UInt8] {
        FormSerializer.sortingText(of: try node(of: value), by: self)
    }

    private func node(of value: some Encodable) throws -> FormNode {
        let root = FormNode(self)
        try SinkEncoder(root).encode(value)
        return root
    }
}
