import Foundation

extension Bundle: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: Bundle {
    /// The certificates of the bundle's files with the extension `cer`, `crt` or `der`, sorted by path: in DER or in PEM. Files that are no
    /// certificates are left out.
    public var certificates: [Certificate] {
        paths(forResourcesOfTypes: ["cer", "CER", "crt", "CRT", "der", "DER"])
            .flatMap { (try? Certificate.all(inFile: URL(fileURLWithPath: $0))) ?? [] }
    }

    /// The paths of the bundle's files with one of these extensions, sorted.
    ///
    /// - Parameter types: Extensions of file names, with or without the dot. Their case counts.
    public func paths(forResourcesOfTypes types: [String]) -> [String] {
        Set(types.flatMap { type.paths(forResourcesOfType: $0.hasPrefix(".") ? String($0.dropFirst()) : $0, inDirectory: nil) }).sorted()
    }
}
