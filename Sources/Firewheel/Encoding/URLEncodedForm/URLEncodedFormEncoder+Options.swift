import Foundation

extension URLEncodedFormEncoder {
    /// How an array element changes the key.
    public enum ArrayEncoding: Sendable {
        /// Empty brackets: `k[]=1&k[]=2`.
        case brackets
        /// Nothing: `k=1&k=2`.
        case noBrackets
        /// The element's index from 0 in brackets, as in jQuery and Node.js: `k[0]=1&k[1]=2`.
        case indexInBrackets
        /// The complete key of an element, from the array's unescaped key and the element's index.
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
        /// Deferred to `Data`: an array of its bytes.
        case deferredToData
        /// Base64.
        case base64
        /// Custom. An error that the closure throws is the `underlyingError` of the request's error.
        case custom(@Sendable (Data) throws -> String)

        /// - Returns: nil if encoding is deferred to `Data`.
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
        /// Deferred to `Date`: seconds since the start of 2001 (UTC).
        case deferredToDate
        /// Seconds since the start of 1970 (UTC), as a `Double`: `1.5`.
        case secondsSince1970
        /// Milliseconds since the start of 1970 (UTC), as a `Double`: `1500.0`.
        case millisecondsSince1970
        /// The format of RFC 3339, in UTC and whole seconds: `1970-01-01T00:00:01Z`. A date outside the years 1 to 9999 is an error.
        case iso8601
        /// A date formatter, which must not be changed afterwards.
        case formatted(DateFormatter)
        /// Custom. An error that the closure throws is the `underlyingError` of the request's error.
        case custom(@Sendable (Date) throws -> String)

        /// - Returns: nil if encoding is deferred to `Date`.
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

    /// How a key is written. Applies to each key of a key path separately, including dictionary keys, but not to brackets and dots between
    /// them.
    public enum KeyEncoding: Sendable {
        /// Unchanged.
        case useDefaultKeys
        /// `oneTwoThree` as `one_two_three`, `myURLProperty` as `my_url_property`: the rule of `JSONEncoder`, which treats the first
        /// character as lower case.
        case convertToSnakeCase
        /// `oneTwoThree` as `one-two-three`.
        case convertToKebabCase
        /// `oneTwoThree` as `OneTwoThree`.
        case capitalized
        /// `oneTwoThree` as `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` as `onetwothree`.
        case lowercased
        /// Custom.
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

    /// How the key of a nested value is appended to its parent's.
    public struct KeyPathEncoding: Sendable {
        /// In brackets: `parent[child][grandchild]`.
        public static let brackets = KeyPathEncoding { "[\($0)]" }
        /// After a dot: `parent.child.grandchild`.
        public static let dots = KeyPathEncoding { ".\($0)" }

        let text: @Sendable (_ subkey: String) -> String

        /// A custom way to write the keys of nested values.
        ///
        /// - Parameter encoding: Returns the text that is appended to the parent's key for this key.
        public init(encoding: @escaping @Sendable (_ subkey: String) -> String) {
            text = encoding
        }
    }

    /// How nil is written, as an optional property, a dictionary's value, or an array's element.
    public struct NilEncoding: Sendable {
        /// Omits the key.
        public static let dropKey = NilEncoding { nil }
        /// An empty value: `k=`.
        public static let dropValue = NilEncoding { "" }
        /// `null`: `k=null`.
        public static let null = NilEncoding { "null" }
        /// The key alone, without `=`: `k`. This is AFNetworking's rule.
        public static let bareKey = NilEncoding(content: { .bareKey })

        let content: @Sendable () -> FormNode.Content

        /// A custom way to write nil.
        ///
        /// - Parameter encoding: Returns the value to write; nil omits the key too.
        public init(encoding: @escaping @Sendable () -> String?) {
            self.init(content: { encoding().map(FormNode.Content.text) ?? .nothing })
        }

        private init(content: @escaping @Sendable () -> FormNode.Content) {
            self.content = content
        }
    }

    /// How a space is written in keys and values.
    public enum SpaceEncoding: Sendable {
        /// `%20`.
        case percentEscaped
        /// `+`, as in HTML forms.
        case plusReplaced
    }
}

/// Splits a camel-case key into lower-case words.
private enum KeyWords {
    /// Splits by the rule of `JSONEncoder`: a word ends before a capital; the last of several consecutive capitals begins the next word.
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
