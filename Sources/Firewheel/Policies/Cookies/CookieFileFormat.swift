import Foundation

/// The content of a jar's file: a JSON object with `format`, `version` and `cookies`, oldest first.
///
/// Each cookie has `name`, `value`, `domain`, `hostOnly`, `path`, `created`, `secure`, `httpOnly` and `sameSite`; `expires` unless it is a
/// session cookie; and `encoding` if name and value are ISO-8859-1 because they are not valid UTF-8. Times are seconds since 1970, in UTC.
/// Other members are ignored.
struct CookieFileFormat: Codable {
    static let name = "firewheel-cookies"
    static let version = 1
    /// Larger than the file of any jar, since the number and size of cookies are limited.
    static let maximumSize = 64 << 20

    private struct Heading: Decodable {
        let format: String
        let version: Int
    }

    fileprivate struct Record: Codable {
        static let latin1 = "iso-8859-1"

        let name: String
        let value: String
        let encoding: String?
        let domain: String
        let hostOnly: Bool
        let path: String
        let created: Double
        let expires: Double?
        let secure: Bool
        let httpOnly: Bool
        let sameSite: String
    }

    private let format: String
    private let version: Int
    private let cookies: [Record]

    /// Why a file cannot be read. Its content is never quoted, because it may be anything.
    enum Problem: Error {
        case foreign
        case newer(Int)
        case damaged

        var sentence: String {
            switch self {
            case .foreign: "its content is not that of a cookie jar, or is cut off"
            case .newer(let version): "its version is \(version), and this library reads up to \(CookieFileFormat.version)"
            case .damaged: "one of its cookies is not complete or not valid"
            }
        }
    }

    static func encode(_ cookies: [Cookie]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(CookieFileFormat(format: name, version: version, cookies: cookies.map(Record.init)))
        data.append(UInt8(ascii: "\n"))
        return data
    }

    static func decode(_ data: Data) throws(Problem) -> [Cookie] {
        guard let heading = try? JSONDecoder().decode(Heading.self, from: data), heading.format == name else { throw .foreign }
        guard heading.version <= version else { throw .newer(heading.version) }
        guard heading.version == version, let content = try? JSONDecoder().decode(Self.self, from: data) else { throw .damaged }
        var cookies: [Cookie] = []
        for record in content.cookies {
            guard let cookie = record.cookie else { throw .damaged }
            cookies.append(cookie)
        }
        return cookies
    }
}

extension CookieFileFormat.Record {
    fileprivate init(_ cookie: Cookie) {
        let isUTF8 = FieldOctets.utf8(cookie.nameOctets) != nil && FieldOctets.utf8(cookie.valueOctets) != nil
        name = isUTF8 ? cookie.name : FieldOctets.latin1(cookie.nameOctets)
        value = isUTF8 ? cookie.value : FieldOctets.latin1(cookie.valueOctets)
        encoding = isUTF8 ? nil : Self.latin1
        domain = cookie.domain
        hostOnly = cookie.isHostOnly
        path = cookie.path
        created = cookie.created.timeIntervalSince1970
        expires = cookie.expires?.timeIntervalSince1970
        secure = cookie.isSecure
        httpOnly = cookie.isHTTPOnly
        sameSite = cookie.sameSite.rawValue
    }

    fileprivate var cookie: Cookie? {
        guard let sameSite = Cookie.SameSite(rawValue: sameSite), encoding == nil || encoding == Self.latin1,
            let name = octets(name), let value = octets(value)
        else { return nil }
        return Cookie(
            name: name, value: value, domain: domain, isHostOnly: hostOnly, path: path,
            expires: expires.map(Date.init(timeIntervalSince1970:)),
            isSecure: secure, isHTTPOnly: httpOnly, sameSite: sameSite, created: Date(timeIntervalSince1970: created))
    }

    private func octets(_ text: String) -> [UInt8]? {
        guard encoding != nil else { return Array(text.utf8) }
        return text.unicodeScalars.allSatisfy { $0.value <= 0xFF } ? text.unicodeScalars.map { UInt8($0.value) } : nil
    }
}
