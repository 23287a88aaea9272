import Foundation

/// A field of a form, not yet escaped.
package struct FormField: Sendable {
    package enum Value: Sendable {
        case text(String)
        case data(Data)
        /// The field consists of its key only.
        case absent
    }

    /// The complete key, such as `user[tags][]`.
    package let key: String
    package let value: Value
}
