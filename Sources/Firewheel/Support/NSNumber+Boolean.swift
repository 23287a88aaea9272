import Foundation

extension NSNumber {
    /// Whether the number was created from a `Bool`, of which there are two instances. Its `objCType` is that of an `Int8` on some
    /// platforms.
    var isBoolean: Bool { self === NSNumber(value: true) || self === NSNumber(value: false) }
}
