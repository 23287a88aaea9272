import Foundation

extension HTTPHeaders {
    /// The fields that a session sends with every request by default: `Accept-Encoding`, `User-Agent`, and `Accept-Language` if the system
    /// has a language set.
    public static let `default`: HTTPHeaders =
        PreferredLanguages.tags.isEmpty
        ? [.defaultAcceptEncoding, .defaultUserAgent] : [.defaultAcceptEncoding, .defaultAcceptLanguage, .defaultUserAgent]
}

extension HTTPHeader {
    /// `br;q=1.0, gzip;q=0.9, deflate;q=0.8`, on Linux without codings whose library is not installed.
    public static let defaultAcceptEncoding: HTTPHeader = .acceptEncoding(qualityValues(ContentCoding.offered.map(\.rawValue)))

    /// The first six of the user's preferred languages, with decreasing quality values.
    ///
    /// On Linux they come from the environment variables `LC_ALL`, `LC_MESSAGES` or `LANG`, and `LANGUAGE`. If none names a language, as in
    /// the locales `C` and `POSIX`, the value is `*` (any language), and ``HTTPHeaders/default`` omits the field, which means the same (RFC
    /// 9110 section 12.5.4).
    public static let defaultAcceptLanguage: HTTPHeader = {
        let languages = PreferredLanguages.tags.prefix(6)
        return .acceptLanguage(languages.isEmpty ? "*" : qualityValues(Array(languages)))
    }()

    /// `{app}/{version} Firewheel/{version}`: the name and version of the program, if known, and those of the library.
    ///
    /// They are the bundle's `CFBundleExecutable` and `CFBundleShortVersionString`. A program without a bundle, as most are on Linux, is
    /// identified by the name of its executable, without a version. Characters that a token may not contain (RFC 9110 sections 5.6.2 and
    /// 10.1.5) are replaced by an underscore.
    public static let defaultUserAgent: HTTPHeader = {
        let info = mainBundle?.infoDictionary
        func text(_ key: String) -> String? { (info?[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        let executable = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        return .userAgent(userAgent(name: text("CFBundleExecutable") ?? executable, version: text("CFBundleShortVersionString")))
    }()

    /// The program's product, then the library's. A missing name or version is left out.
    static func userAgent(name: String?, version: String?) -> String {
        let library = "Firewheel/\(firewheelVersion)"
        guard let name = name.flatMap(token) else { return library }
        return "\(name)\(version.flatMap(token).map { "/\($0)" } ?? "") \(library)"
    }

    /// The text with each run of characters that a token may not contain replaced by an underscore; nil if nothing is left.
    private static func token(_ text: String) -> String? {
        let parts = text.utf8.split { !$0.isHTTPTokenByte }.map { String(decoding: $0, as: UTF8.self) }
        return parts.isEmpty ? nil : parts.joined(separator: "_")
    }

    private static func qualityValues(_ values: [String]) -> String {
        values.enumerated().map { "\($1);q=\(Double(10 - $0) / 10)" }.joined(separator: ", ")
    }
}
