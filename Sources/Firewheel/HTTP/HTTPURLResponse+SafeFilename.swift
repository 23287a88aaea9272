import Foundation

extension HTTPURLResponse {
    /// A name for the downloaded file that is safe to append to a folder: what the server suggests, else the last part of the URL's path,
    /// else `download`.
    ///
    /// `suggestedFilename` is the server's word, and may be `..`, empty or a hidden file's. This is one path component, never empty, `.` or
    /// `..`: only what stands behind the last slash or backslash counts (RFC 6266 section 4.3), without control characters, colons, and
    /// dots and spaces at its ends. It has at most 255 bytes and keeps its extension. It says nothing of whether such a file exists, or of
    /// what is in it.
    public var safeFilename: String {
        // What Foundation on Linux says where there is no suggestion.
        let suggested = suggestedFilename.flatMap { $0 == "Unknown" ? nil : Self.safe($0) }
        return suggested ?? url.flatMap { Self.safe($0.lastPathComponent) } ?? "download"
    }

    /// As many bytes as the file systems in use take as a name.
    private static let maximumNameBytes = 255

    private static func safe(_ suggested: String) -> String? {
        // Foundation on Linux writes slashes as underscores.
        let last = suggested.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
        let visible = String(String.UnicodeScalarView(last.unicodeScalars.filter(isShown)))
        let name = trimmed(visible)
        guard name.utf8.count > maximumNameBytes else { return name.isEmpty ? nil : name }
        var stem = name[...]
        var end = ""
        // Longer ones are no extensions.
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
        // The joiners belong to the spelling of words.
        if scalar == ":" || scalar == "\u{200C}" || scalar == "\u{200D}" { return scalar != ":" }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
