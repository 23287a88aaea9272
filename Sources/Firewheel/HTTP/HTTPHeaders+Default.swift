import Foundation

extension HTTPHeaders {
    /// A session's default header fields: `Accept-Encoding`, `Accept-Language`, `User-Agent`.
    public static let `default`: HTTPHeaders = [.defaultAcceptEncoding, .defaultAcceptLanguage, .defaultUserAgent]
}

extension HTTPHeader {
    /// `br;q=1.0, gzip;q=0.9, deflate;q=0.8`, without codings that this platform's transport cannot decode.
    public static let defaultAcceptEncoding: HTTPHeader = .acceptEncoding(qualityValues(ContentCoding.decodable))

    /// The user's first six preferred languages, with decreasing quality.
    public static let defaultAcceptLanguage: HTTPHeader = .acceptLanguage(qualityValues(Array(Locale.preferredLanguages.prefix(6))))

    /// `{executable}/{version} ({bundle}; build:{build}; {system} {version}) Firewheel/{version}`, with `Unknown` for missing values.
    public static let defaultUserAgent: HTTPHeader = {
        let info = mainBundle?.infoDictionary
        func text(_ key: String) -> String? { (info?[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        let executable =
            text("CFBundleExecutable") ?? CommandLine.arguments.first.flatMap { $0.split(separator: "/").last.map(String.init) }
            ?? "Unknown"
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let system = "\(platformName) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        let product = "\(executable)/\(text("CFBundleShortVersionString") ?? "Unknown")"
        let comment = "\(text("CFBundleIdentifier") ?? "Unknown"); build:\(text("CFBundleVersion") ?? "Unknown"); \(system)"
        // Invalid characters in the program's name must not make every request fail.
        let line = "\(product) (\(comment)) Firewheel/\(firewheelVersion)"
        return .userAgent(String(String.UnicodeScalarView(line.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? $0 : "_" })))
    }()

    private static func qualityValues(_ values: [String]) -> String {
        values.enumerated().map { "\($1);q=\(Double(10 - $0) / 10)" }.joined(separator: ", ")
    }
}

/// The library's version, as in `User-Agent`.
let firewheelVersion = "0.1.0"
