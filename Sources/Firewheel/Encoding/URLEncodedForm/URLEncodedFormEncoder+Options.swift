import Foundation

extension URLEncodedFormEncoder {
    /// What is added to a key for an element of an array.
    public enum ArrayEncoding: Sendable {
        /// Empty brackets: `k[]=1&k[]=2`.
        case brackets
        /// Nothing: `k=1&k=2`.
        case noBrackets
        /// The element's index from 0, in brackets, as jQuery and Node.js have it: `k[0]=1&k[1]=2`.
        case indexInBrackets
        /// The whole key for an element, made from the array's key, not percent-encoded yet, and the element's index.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)

        func key(_ key: String, at index: Int) -> String {
            switch self {
            case .brackets: key + "[]"
            case .noBrackets: key
            case .indexInBrackets: "\(key)[\(index)]"
            case .custom(let encoding): encoding(key, index)
            }
        }
    }

    /// How a `Bool` is written.
    public enum BoolEncoding: Sendable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal

        func text(of value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// How `Data` is written.
    public enum DataEncoding: Sendable {
        /// As `Data` encodes itself: an array of its bytes.
        case deferredToData
        /// In base64.
        case base64
        /// As you say. An error that this throws is the `underlyingError` of the request's.
        case custom(@Sendable (Data) throws -> String)

        /// - Returns: nil if the data is to encode itself.
        func text(of data: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: data.base64EncodedString()
            case .custom(let encoding): try encoding(data)
            }
        }
    }

    /// How a `Date` is written.
    public enum DateEncoding: Sendable {
        /// As `Date` encodes itself: its seconds since the start of 2001 (UTC).
        case deferredToDate
        /// Its seconds since the start of 1970 (UTC), as a `Double`: `1.5`.
        case secondsSince1970
        /// Its milliseconds since the start of 1970 (UTC), as a `Double`: `1500.0`.
        case millisecondsSince1970
        /// As RFC 3339 has it, in UTC and whole seconds: `1970-01-01T00:00:01Z`. A date outside the years 1 to 9999 is an error.
        case iso8601
        /// By a formatter. Do not change it afterwards.
        case formatted(DateFormatter)
        /// As you say. An error that this throws is the `underlyingError` of the request's.
        case custom(@Sendable (Date) throws -> String)

        /// - Returns: nil if the date is to encode itself.
        func text(of date: Date, at path: EncodingPath) throws -> String? {
            switch self {
            case .deferredToDate: return nil
            case .secondsSince1970: return try Self.text(of: date.timeIntervalSince1970, at: path)
            case .millisecondsSince1970: return try Self.text(of: date.timeIntervalSince1970 * 1000, at: path)
            case .iso8601: return try InternetDate.text(of: date, path: path.codingPath.text)
            case .formatted(let formatter): return formatter.string(from: date)
            case .custom(let encoding): return try encoding(date)
            }
        }

        private static func text(of interval: TimeInterval, at path: EncodingPath) throws -> String {
            guard interval.isFinite else { throw ParameterFailure.notFinite(path: path.codingPath.text) }
            return String(interval)
        }
    }

    /// How a key is written: each key of a key path by itself, those of dictionaries too. Brackets and dots between keys are not changed.
    public enum KeyEncoding: Sendable {
        /// As the type says.
        case useDefaultKeys
        /// `oneTwoThree` as `one_two_three`, `myURLProperty` as `my_url_property`: by the rule of `JSONEncoder`, which takes the first
        /// character for a lowercase one.
        case convertToSnakeCase
        /// `oneTwoThree` as `one-two-three`.
        case convertToKebabCase
        /// `oneTwoThree` as `OneTwoThree`.
        case capitalized
        /// `oneTwoThree` as `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` as `onetwothree`.
        case lowercased
        /// As you say.
        case custom(@Sendable (String) -> String)

        func text(of key: String) -> String {
            switch self {
            case .useDefaultKeys: key
            case .convertToSnakeCase: KeyWords.split(key).joined(separator: "_")
            case .convertToKebabCase: KeyWords.split(key).joined(separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let encoding): encoding(key)
            }
        }
    }

    /// How the key of a nested value follows that of the value it stands in.
    public struct KeyPathEncoding: Sendable {
        /// In brackets: `parent[child][grandchild]`.
        public static let brackets = KeyPathEncoding { "[\($0)]" }
        /// After a dot: `parent.child.grandchild`.
        public static let dots = KeyPathEncoding { ".\($0)" }

        let text: @Sendable (_ subkey: String) -> String

        /// A way of your own to write the keys of nested values.
        ///
        /// - Parameter encoding: What is added to the parent's key for this one.
        public init(encoding: @escaping @Sendable (_ subkey: String) -> String) {
            text = encoding
        }
    }

    /// How nil is written: as the value of an optional property, of a dictionary, or as an element of an array.
    public struct NilEncoding: Sendable {
        /// Not at all.
        public static let dropKey = NilEncoding { nil }
        /// Its key, with an empty value: `k=`.
        public static let dropValue = NilEncoding { "" }
        /// Its key, with `null` for a value: `k=null`.
        public static let null = NilEncoding { "null" }

        let text: @Sendable () -> String?

        /// A way of your own to write nil.
        ///
        /// - Parameter encoding: The value that is written. nil leaves the key out as well.
        public init(encoding: @escaping @Sendable () -> String?) {
            text = encoding
        }
    }

    /// How a space is written, in keys as in values.
    public enum SpaceEncoding: Sendable {
        /// `%20`.
        case percentEscaped
        /// `+`, as HTML forms have it.
        case plusReplaced
    }
}

/// The words of a key in camel case, in lower case.
private enum KeyWords {
    /// The rule of `JSONEncoder`: a word ends before a capital; of several capitals in a row the last one begins the next word.
    static func split(_ key: String) -> [String] {
        let characters = Array(key)
        var words: [ArraySlice<Character>] = []
        var start = 0
        var searched = 1
        while searched < characters.count, let upper = characters[searched...].firstIndex(where: \.isUppercase) {
            words.append(characters[start..<upper])
            start = upper
            guard let lower = characters[upper...].firstIndex(where: \.isLowercase) else { break }
            if lower > upper + 1 {
                words.append(characters[upper..<(lower - 1)])
                start = lower - 1
            }
            searched = lower + 1
        }
        words.append(characters[start...])
        return words.map { String($0).lowercased() }
    }
}
