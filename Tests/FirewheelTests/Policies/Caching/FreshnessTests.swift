import Foundation
import Testing

@testable import Firewheel

/// How long responses are fresh and how old they are (RFC 9111 sections 4.2.1 to 4.2.3), with fields in every form.
@Suite("Freshness and age")
struct FreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let sent: TimeInterval = 784_111_777

    private func freshness(_ fields: [(String, String)], status: Int = 200, query: Bool = false, client: TimeInterval? = nil) -> Freshness {
        let headers = HTTPHeaders(received: fields.map { HTTPHeader(name: $0.0, value: $0.1) })
        return Freshness(
            headers, control: CacheControl(headers), statusCode: status, requestTime: Self.sent, responseTime: Self.sent, hasQuery: query,
            clientLifetime: client)
    }

    @Test(
        "max-age in every form",
        arguments: [
            ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60), ("public , max-age=60 ", 60),
            ("max-age=60, max-age=1", 60), ("max-age=18446744073709551616", 4_294_967_296), ("max-age=4294967297", 4_294_967_296),
            ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age='60'", 0), ("max-age=", 0), ("max-age", 0), ("max-age=6 0", 0),
            ("max-age = 60", 0), ("xmax-age=60", 0), ("a=\"max-age=60\"", 0), ("a=\"b, max-age=60", 0), ("", 0),
        ] as [(String, TimeInterval)])
    func maxAge(_ field: String, _ lifetime: TimeInterval) {
        #expect(freshness([("Cache-Control", field)]).lifetime == lifetime)
    }

    @Test(
        "Expires in every form; what is not a date has expired (section 5.3)",
        arguments: [
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60),
            ("Sun, 06 Nov 1994 08:40:37 GMT", 0), ("0", 0), ("-1", 0), ("", 0), ("Sun, 6 Nov 1994 08:50:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:50:37 UTC", 0), ("Sun, 06 Nov 1994 08:50:37", 0), ("1994-11-06T08:50:37Z", 0),
            ("Sun, 31 Feb 1995 08:50:37 GMT", 0), ("now", 0),
        ] as [(String, TimeInterval)])
    func expires(_ field: String, _ lifetime: TimeInterval) {
        let freshness = freshness([("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Expires", field)])
        #expect(freshness.lifetime == lifetime && freshness.basis == .server)
    }

    @Test("max-age comes before Expires, and several Expires have expired")
    func precedence() {
        let later = ("Expires", "Sun, 06 Nov 1994 09:49:37 GMT")
        #expect(freshness([("Cache-Control", "max-age=5"), later]).lifetime == 5)
        #expect(freshness([later]).lifetime == 3600)
        #expect(freshness([later, later]).lifetime == 0)
    }

    @Test(
        "Age in every form (section 5.1)",
        arguments: [
            ("30", 30), ("030", 30), ("30, 5", 30), ("18446744073709551616", 4_294_967_296), ("-30", 0), ("30.5", 0), ("x, 30", 0), ("", 0),
        ] as [(String, TimeInterval)])
    func age(_ field: String, _ age: TimeInterval) {
        #expect(freshness([("Age", field)]).initialAge == age)
    }

    @Test("the age counts from Date, the Age field, the exchange and the time since then (section 4.2.3)")
    func ages() {
        func age(_ fields: [(String, String)]) -> TimeInterval {
            let headers = HTTPHeaders(received: fields.map { HTTPHeader(name: $0.0, value: $0.1) })
            return Freshness(
                headers, control: CacheControl(headers), statusCode: 200, requestTime: Self.sent + 10, responseTime: Self.sent + 14,
                hasQuery: false, clientLifetime: nil
            ).age(at: Self.sent + 20)
        }
        #expect(age([("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]) == 20)
        #expect(age([("Age", "100")]) == 110)
        #expect(age([]) == 10)
        #expect(age([("Date", "Sun, 06 Nov 2094 08:49:37 GMT")]) == 10)
        #expect(freshness([("Cache-Control", "max-age=60")]).age(at: Self.sent - 1) == .infinity)
    }

    @Test("only some statuses are guessed about, for a tenth of the time since Last-Modified, a day at most, and not with a query")
    func guesses() {
        let hour = [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Last-Modified", "Sun, 06 Nov 1994 07:49:37 GMT")]
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] { #expect(freshness(hour, status: status).lifetime == 360) }
        for status in [201, 302, 307, 400, 403, 500, 502, 503, 504, 599] { #expect(freshness(hour, status: status).lifetime == 0) }
        #expect(freshness(hour + [("Cache-Control", "public")], status: 403).lifetime == 360)
        #expect(freshness(hour, query: true).lifetime == 0)
        #expect(freshness([("Last-Modified", "Sun, 06 Nov 1904 07:49:37 GMT")]).lifetime == 86_400)
        #expect(freshness([("Last-Modified", "Sun, 06 Nov 2094 07:49:37 GMT")]).lifetime == 0)
        #expect(freshness(hour, client: 5).basis == .client && freshness(hour, client: 5).lifetime == 5)
        #expect(freshness(hour, client: -5).lifetime == 0)
        #expect(freshness(hour + [("Cache-Control", "max-age=7")], client: 5).lifetime == 7)
    }
}
