import Foundation

extension HTTPURLResponse {
    /// A filename for the download that is safe to append to a folder: the server's suggestion, otherwise the last component of the URL's
    /// path, otherwise `download`.
    ///
    /// The server controls `suggestedFilename`, which may be `..`, empty or hidden. This is a single path component, never empty, `.` or
    /// `..`: what follows the last slash or backslash (RFC 6266 section 4.3), without control characters, colons, and leading or trailing
    /// dots and spaces. It has at most 255 bytes and keeps its extension. The file may already exist, and its content is not checked.
    public var safeFilename: String {
        // Foundation on Linux returns this if there is no suggestion.
        let suggested = suggestedFilename.flatMap { $0 == "Unknown" ? nil : Self.safe($0) }
        return suggested ?? url.flatMap { Self.safe($0.lastPathComponent) } ?? "download"
    }

    /// The maximum filename length of common file systems.
    private static let maximumNameBytes = 255

    private static func safe(_ suggested: String) -> String? {
        // Foundation on Linux replaces slashes with underscores.
        let last = suggested.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
        let visible = String(String.UnicodeScalarView(last.unicodeScalars.filter(isShown)))
        let name = trimmed(visible)
        guard name.utf8.count > maximumNameBytes else { return name.isEmpty ? nil : name }
        var stem = name[...]
        var end = ""
        // Longer ones are not extensions.
        if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 32 {
            stem = name[..<dot]
            end = String(name[dot...])
        }
        while stem.utf8.count > maximumNameBytes - end.utf8.count { stem = stem.dropLast() }
        let cut = trimmed(stem + end)
        return cut.isEmpty ? nil : cut
    }

    private static func trimmed(_ name: String) -> String {
        name.trimmingCharacters(in: CharacterSet.whitespacesAndNewlines.union(["."]))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        // Joiners are part of the spelling of words.
        if scalar == ":" || scalar == "\u{200C}" || scalar == "\u{200D}" { return scalar != ":" }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
