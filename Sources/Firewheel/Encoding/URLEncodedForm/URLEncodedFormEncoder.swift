import Foundation

/// Writes `Encodable` values as `application/x-www-form-urlencoded` text, in the form that is told at ``URLEncoding``.
///
/// The same value gives the same text, on every platform and in every run.
public final class URLEncodedFormEncoder: Sendable {
    public init() {}

    /// The value as text: `a=1&b%5B%5D=2`. Empty if the value has no fields, or none that is not nil.
    ///
    /// - Throws: ``FirewheelError`` of kind `parameterEncodingFailed(.urlEncodedFormEncodingFailed)` with the cause, if the value has no keys
    ///   (an array, a number), holds a number that is not finite, is nested more than 256 levels deep, or throws itself.
    public func encode(_ value: some Encodable) throws -> String {
        do {
            let root = FormNode()
            try SinkEncoder(root).encode(value)
            return try FormSerializer.text(of: root)
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
}
