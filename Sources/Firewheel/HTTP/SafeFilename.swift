import Foundation

/// File names from a server, reduced to names that do no harm in a folder.
///
/// Everything here works on Unicode scalars and not on characters, because a slash with a combining mark is another character, but still a
/// slash to the file system.
enum SafeFilename {
    /// The maximum filename length of common file systems, in bytes.
    private static let maximumBytes = 255
    /// Longer ones are not extensions.
    private static let maximumExtensionBytes = 32

    /// A single path component that is neither empty nor hidden; nil if nothing is left of the suggestion.
    static func make(from suggestion: String) -> String? {
        let last = suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
        let visible = String(String.UnicodeScalarView(last.compactMap(shown)))
        let name = trimmed(visible)
        guard !name.isEmpty else { return nil }
        let (stem, end) = parts(of: isDevice(name) || isOwn(name) ? "_" + name : name)
        let cut = trimmed(join(stem, end))
        return cut.isEmpty ? nil : cut
    }

    /// The name with a number before its extension: `report (2).pdf`.
    static func numbered(_ name: String, _ number: Int) -> String {
        var (stem, end) = parts(of: name)
        if stem.hasSuffix(".tar") {
            stem.removeLast(".tar".count)
            end = ".tar" + end
        }
        return join(stem, " (\(number))" + end)
    }

    /// A name and its extension with the dot, if it has one.
    private static func parts(of name: String) -> (stem: String, end: String) {
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        let end = String(name.unicodeScalars[dot...])
        return end.utf8.count <= maximumExtensionBytes ? (String(name.unicodeScalars[..<dot]), end) : (name, "")
    }

    /// Joins both, with as much of the first as a name can have.
    private static func join(_ stem: String, _ end: String) -> String {
        // Cut roughly first: removing character by character takes quadratic time for some text.
        var stem = String(stem.unicodeScalars.prefix(4 * maximumBytes))
        while stem.utf8.count > max(0, maximumBytes - end.utf8.count) { stem.removeLast() }
        return stem + end
    }

    /// Joiners would hide a leading dot from this, but not from file systems that ignore them.
    private static let trimmedCharacters = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: ".\u{200C}\u{200D}"))

    private static func trimmed(_ name: String) -> String { name.trimmingCharacters(in: trimmedCharacters) }

    /// The scalar, or a replacement for one that other systems do not allow in names; nil for one that is not visible.
    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case ":", "*", "?", "\"", "<", ">", "|": return "_"
        // Joiners are part of the spelling of words.
        case "\u{200C}", "\u{200D}": return scalar
        default: break
        }
        return switch scalar.properties.generalCategory {
        // Format characters include those that change the direction of text.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: nil
        default: scalar
        }
    }

    /// Whether Windows takes the name for a device, whatever its extension: the file may be shared.
    private static func isDevice(_ name: String) -> Bool {
        let base = String(name.unicodeScalars.prefix { $0 != "." }).trimmingCharacters(in: .whitespaces).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(base) { return true }
        let scalars = base.unicodeScalars
        guard scalars.count == 4, base.hasPrefix("COM") || base.hasPrefix("LPT"), let last = scalars.last else { return false }
        return "0123456789\u{B9}\u{B2}\u{B3}".unicodeScalars.contains(last)
    }

    /// Whether it may be taken for a temporary file of this library, which the next process would remove, or for its folder of partial
    /// files. In any case of letters, since there are file systems that do not tell them apart.
    private static func isOwn(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("firewheel_") || name.hasPrefix("firewheel-partial-")
    }
}
