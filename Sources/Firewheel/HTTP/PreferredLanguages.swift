import Foundation

/// The languages that the user prefers, as language tags (RFC 5646), best first. Empty if none is set.
enum PreferredLanguages {
    static var tags: [String] {
        #if os(Linux)
            // On Linux Foundation ignores the environment and always returns the same languages.
            tags(in: ProcessInfo.processInfo.environment)
        #else
            Locale.preferredLanguages
        #endif
    }

    /// The languages in the environment by the rules of gettext: the locale is that of `LC_ALL`, else `LC_MESSAGES`, else `LANG`
    /// (POSIX.1-2024 section 8.2). The list in `LANGUAGE` takes precedence, unless the locale has no language.
    static func tags(in environment: [String: String]) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale, let own = tag(of: locale) else { return [] }
        let list = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { tag(of: String($0)) }
        return (list.isEmpty ? [own] : list).reduce(into: []) { tags, tag in if !tags.contains(tag) { tags.append(tag) } }
    }

    /// The language tag of a locale: `de-AT` for `de_AT.UTF-8@euro`. nil for a locale without a language, such as `C` and `POSIX`.
    private static func tag(of locale: String) -> String? {
        let parts = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].prefix { $0 != "." }
        guard name != "C", name != "POSIX" else { return nil }
        var subtags = name.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }.map(String.init)
        if parts.count > 1, let script = scripts[parts[1].lowercased()] { subtags.insert(script, at: 1) }
        let isTag =
            (2...8).contains(subtags[0].utf8.count) && subtags[0].utf8.allSatisfy(\.isASCIILetter)
            && subtags.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit } }
        return isTag ? subtags.joined(separator: "-") : nil
    }

    /// The modifiers of locales that name a script, with their script subtags.
    private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "arabic": "Arab"]
}
