import Foundation

/// Writes `Encodable` values as `application/x-www-form-urlencoded` text. The options and their defaults are Alamofire's.
///
/// With the defaults this is the form that is told at ``URLEncoding``. The same value gives the same text, on every platform and in every
/// run.
///
/// - A set is its key again for every element, sorted by their text, without brackets whatever `arrayEncoding` says: AFNetworking's rule.
/// - An empty array, set or dictionary has no form and is left out. Elements that are left out, nil above all, do not count in an index.
/// - `URL`, `UUID` and `Decimal` are their text.
public final class URLEncodedFormEncoder: Sendable {
    /// Whether the keys of every level are sorted. Without it the properties of a type come in the order in which it encodes them; the keys
    /// of a dictionary, which has no order, are sorted all the same. The elements of an array always keep their order. Default: true.
    public let alphabetizeKeyValuePairs: Bool
    /// What is added to a key for an element of an array. Default: `.brackets`.
    public let arrayEncoding: ArrayEncoding
    /// How a `Bool` is written. Default: `.numeric`.
    public let boolEncoding: BoolEncoding
    /// How `Data` is written. Default: `.base64`.
    public let dataEncoding: DataEncoding
    /// How a `Date` is written. Default: `.deferredToDate`.
    public let dateEncoding: DateEncoding
    /// How a key is written. Default: `.useDefaultKeys`.
    public let keyEncoding: KeyEncoding
    /// How the key of a nested value follows that of the value it stands in. Default: `.brackets`.
    public let keyPathEncoding: KeyPathEncoding
    /// How nil is written. Default: `.dropKey`.
    public let nilEncoding: NilEncoding
    /// How a space is written. Default: `.percentEscaped`.
    public let spaceEncoding: SpaceEncoding
    /// What is written as it is. Everything else is percent-encoded as UTF-8, and so is every character that is not ASCII, even if it is in
    /// here. Default: `.afURLQueryAllowed`.
    public let allowedCharacters: CharacterSet

    let escaping: FormEscaping

    /// Every parameter is the property of its name.
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

    /// The value as text: `a=1&b%5B%5D=2`. Empty if the value has no fields, or none that is not nil.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed(.urlEncodedFormEncodingFailed)` with the cause, if the value has no
    ///   keys (an array, a number), holds a number that is not finite or a date that the `dateEncoding` has no form for, is nested more
    ///   than 128 levels deep, or throws itself, as a closure of the options may.
    public func encode(_ value: some Encodable) throws -> String {
        do {
            let text = try FormSerializer.bytes(ofFieldsOf: node(of: value), by: self)
            return String(decoding: text, as: UTF8.self)
        } catch {
            throw FirewheelError(.parameterEncodingFailed(.urlEncodedFormEncodingFailed), underlyingError: error)
        }
    }

    /// The value as text in UTF-8, which is ASCII.
    ///
    /// - Throws: as the other `encode(_:)`.
    public func encode(_ value: some Encodable) throws -> Data {
        let text: String = try encode(value)
        return Data(text.utf8)
    }

    /// What elements of a collection without an order are sorted by.
    func sortingText(of value: some Encodable) throws -> [UInt8] {
        FormSerializer.sortingText(of: try node(of: value), by: self)
    }

    private func node(of value: some Encodable) throws -> FormNode {
        let root = FormNode(self)
        try SinkEncoder(root).encode(value)
        return root
    }
}
