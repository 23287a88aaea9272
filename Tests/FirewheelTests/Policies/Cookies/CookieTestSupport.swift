import Foundation
import Testing

@testable import Firewheel

/// A jar with a clock set by the test.
struct CookieBench: Sendable {
    /// 1 June 2010, 00:00 UTC.
    static let start = Date(timeIntervalSince1970: 1_275_350_400)

    let clock = Locked(CookieBench.start)
    let jar: CookieJar

    init(suffixes: PublicSuffixes = .byShape) {
        let clock = clock
        jar = CookieJar(suffixes: suffixes, now: { clock.withLock { $0 } })
    }

    init(file: URL, suffixes: PublicSuffixes = .byShape) throws {
        let clock = clock
        jar = try CookieJar(file: file, suffixes: suffixes, now: { clock.withLock { $0 } })
    }

    func wait(_ seconds: TimeInterval) { clock.withLock { $0 = $0.addingTimeInterval(seconds) } }

    func receive(_ fields: String..., from url: String = "https://www.example.com/") throws {
        jar.store(fields, from: try #require(URL(string: url)))
    }

    /// The `Cookie` field of a request; nil for none.
    func sent(_ url: String = "https://www.example.com/") throws -> String? {
        CookieField.header(jar.cookies(for: try #require(URL(string: url))))?.value
    }
}

extension CookieBench {
    /// What a fresh jar sends after one field: to its origin, or to another URL.
    static func sent(after field: String, from url: String = "https://www.example.com/", to next: String? = nil) throws -> String? {
        let bench = CookieBench()
        try bench.receive(field, from: url)
        return try bench.sent(next ?? url)
    }
}
