/// The members that Alamofire adds to a type of another library, behind `af`: `URLSessionConfiguration.af.default`.
///
/// Add your own in an extension of it:
/// ```swift
/// extension AlamofireExtension where ExtendedType == URL {
///     var isSecure: Bool { type.scheme == "https" }
/// }
/// ```
public struct AlamofireExtension<ExtendedType> {
    /// The value whose members these are.
    public private(set) var type: ExtendedType

    /// The members of a value.
    public init(_ type: ExtendedType) { self.type = type }
}

/// A type with members behind `af`. A conformance needs no code: `extension URL: AlamofireExtended {}`.
public protocol AlamofireExtended {
    /// The type whose members stand behind `af`; the conforming type itself by default.
    associatedtype ExtendedType

    /// The static members. Setting it has no effect: it has a setter so that static members behind it may have one.
    static var af: AlamofireExtension<ExtendedType>.Type { get set }

    /// The members of a value. Setting it has no effect: it has a setter so that members behind it may have one.
    var af: AlamofireExtension<ExtendedType> { get set }
}

extension AlamofireExtended {
    /// What this module adds to the type.
    public static var af: AlamofireExtension<Self>.Type {
        get { AlamofireExtension<Self>.self }
        set {}
    }

    /// What this module adds to the value.
    public var af: AlamofireExtension<Self> {
        get { AlamofireExtension(self) }
        set {}
    }
}
