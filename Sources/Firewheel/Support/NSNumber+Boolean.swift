import Foundation

extension NSNumber {
    /// Whether it came from a `Bool`: then it is one of two objects. Its `objCType` is that of an `Int8` on some platforms.
    var isBoolean: Bool { self === NSNumber(value: true) || self === NSNumber(value: false) }
}
