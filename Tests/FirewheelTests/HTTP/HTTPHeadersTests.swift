import Foundation
import Testing

@testable import Firewheel

@Suite("Header fields")
struct HTTPHeadersTests {
    private func lines(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name): \($0.value)" } }

    @Test("Field names are compared case-insensitively (RFC 9110 section 5.1) and keep their spelling")
    func cases() {
        let headers: HTTPHeaders = ["X-Custom": "1"]
        #expect(headers["x-custom"] == "1")
        #expect(headers.value(for: "X-CUSTOM") == "1")
        #expect(headers.values(for: "x-Custom") == ["1"])
        #expect(headers["X-Custo"] == nil)
        #expect(headers["X-Custom "] == nil)
        #expect(headers.map(\.name) == ["X-Custom"])
        // Only ASCII letters are case-insensitive in a name.
        #expect(!"É".equalsIgnoringASCIICase("é"))
        #expect(!"@".equalsIgnoringASCIICase("`"))
        #expect(!"[".equalsIgnoringASCIICase("{"))
    }

    @Test("Of several fields with one name the last wins at the position of the first, among few as among many", arguments: [0, 40_000])
    func many(others: Int) {
        let more = (0..<others).map { HTTPHeader(name: "X-\($0)", value: "1") }
        let headers = HTTPHeaders(
            [HTTPHeader(name: "b", value: "1"), HTTPHeader(name: "É", value: "2"), HTTPHeader(name: "A", value: "3")] + more + [
                HTTPHeader(name: "B", value: "4"), HTTPHeader(name: "é", value: "5"), HTTPHeader(name: "a", value: "6"),
            ])
        #expect(lines(HTTPHeaders(Array(headers.prefix(3)))) == ["B: 4", "É: 2", "a: 6"])
        #expect(headers.count == 4 + others)
        let dictionary = Dictionary((more.map { ($0.name, $0.value) } + [("A", "1"), ("a", "2")]), uniquingKeysWith: { first, _ in first })
        let sorted = HTTPHeaders(dictionary)
        #expect(sorted.count == 1 + others && lines(HTTPHeaders(Array(sorted.prefix(1)))) == ["a: 2"])
    }

    @Test("Fields keep the order in which they were set, also when one is set again")
    func order() {
        var headers: HTTPHeaders = ["B": "1", "A": "2", "C": "3"]
        headers.update(name: "a", value: "4")
        headers.add(name: "D", value: "5")
        headers.add(HTTPHeader(name: "b", value: "6"))
        headers["e"] = "7"
        #expect(lines(headers) == ["b: 6", "a: 4", "C: 3", "D: 5", "e: 7"])
        headers["C"] = nil
        headers.remove(name: "D")
        headers.remove(name: "absent")
        #expect(lines(headers) == ["b: 6", "a: 4", "e: 7"])
    }

    @Test("Of several fields with one name the last value wins, in the place of the first")
    func duplicates() {
        let expected = ["a: 3", "B: 2"]
        #expect(lines(["A": "1", "B": "2", "a": "3"]) == expected)
        #expect(
            lines(HTTPHeaders([HTTPHeader(name: "A", value: "1"), HTTPHeader(name: "B", value: "2"), HTTPHeader(name: "a", value: "3")]))
                == expected)
        let literal: HTTPHeaders = [.init(name: "A", value: "1"), .init(name: "B", value: "2"), .init(name: "a", value: "3")]
        #expect(lines(literal) == expected)
    }

    @Test("Fields made from a dictionary are in alphabetical order")
    func fromDictionary() {
        #expect(lines(HTTPHeaders(["C": "3", "A": "1", "B": "2"])) == ["A: 1", "B: 2", "C: 3"])
    }

    @Test("Received fields are kept as they came, including repeated ones")
    func received() {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT"), HTTPHeader(name: "Via", value: "x"),
            HTTPHeader(name: "set-cookie", value: "b=2"),
        ])
        #expect(headers.count == 3)
        #expect(headers.map(\.name) == ["Set-Cookie", "Via", "set-cookie"])
        #expect(headers.values(for: "SET-COOKIE") == ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"])
        #expect(headers.value(for: "Set-Cookie") == "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=2")
        #expect(headers.values(for: "none").isEmpty)
        #expect(headers[1] == HTTPHeader(name: "Via", value: "x"))
    }

    @Test("Setting a repeated field replaces all its values")
    func replaceRepeated() {
        var headers = HTTPHeaders(received: ["A", "B", "a", "C", "A"].map { HTTPHeader(name: $0, value: $0) })
        headers.update(name: "A", value: "new")
        #expect(lines(headers) == ["A: new", "B: B", "C: C"])
        var removed = HTTPHeaders(received: ["A", "B", "a"].map { HTTPHeader(name: $0, value: $0) })
        removed.remove(name: "a")
        #expect(lines(removed) == ["B: B"])
    }

    @Test("The dictionary joins repeated fields, whatever the case of their names (RFC 9110 section 5.3)")
    func dictionary() {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "X-A", value: "1"), HTTPHeader(name: "X-B", value: ""), HTTPHeader(name: "X-A", value: "2"),
            HTTPHeader(name: "x-a", value: "3"),
        ])
        #expect(headers.dictionary == ["X-A": "1, 2, 3", "X-B": ""])
    }

    @Test("A field repeated very often by a server is put into the dictionary in linear time")
    func dictionaryOfManyRepeats() {
        let count = 250_000
        let headers = HTTPHeaders(received: (0..<count).map { _ in HTTPHeader(name: "A", value: "0123456789abcdef") })
        let start = processorTime()
        #expect(headers.dictionary["A"]?.utf8.count == 18 * count - 2)
        #expect(processorTime() - start < 30)
    }

    @Test("Sorting compares names case-insensitively and keeps the order of equal names")
    func sorting() {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "b", value: "1"), HTTPHeader(name: "A", value: "2"), HTTPHeader(name: "B", value: "3"),
            HTTPHeader(name: "c", value: "4"),
        ])
        #expect(lines(headers.sorted()) == ["A: 2", "b: 1", "B: 3", "c: 4"])
        #expect(lines(headers) == ["b: 1", "A: 2", "B: 3", "c: 4"])
    }

    @Test("Merging headers sets the other fields over these")
    func merging() {
        let base: HTTPHeaders = ["A": "1", "B": "2"]
        #expect(lines(base.merging(["b": "3", "C": "4"])) == ["A: 1", "b: 3", "C: 4"])
        #expect(lines(HTTPHeaders().merging(base)) == lines(base))
        #expect(lines(base.merging([:])) == lines(base))
    }

    @Test(
        "The description of headers never shows credentials",
        arguments: ["Authorization", "authorization", "PROXY-AUTHORIZATION", "Cookie", "Set-Cookie"])
    func redaction(name: String) {
        let header = HTTPHeader(name: name, value: "s3cret")
        #expect(header.description == "\(name): <redacted>")
        #expect("\(header)" == "\(name): <redacted>")
        let headers: HTTPHeaders = [header, HTTPHeader(name: "Accept", value: "x")]
        #expect("\(headers)" == "\(name): <redacted>\nAccept: x")
        #expect(!String(reflecting: headers).contains("s3cret"))
        #expect(!String(reflecting: header).contains("s3cret"))
        #expect(header.value == "s3cret")
    }

    @Test("A field name or value that could inject another field is invalid (RFC 9110 sections 5.1 and 5.5)")
    func validity() {
        for value in ["a\rb", "a\nb", "a\r\nX: y", "\u{0}", "a\r\n", "\n"] {
            #expect(!HTTPHeader(name: "X", value: value).isValid, "\(value.debugDescription)")
        }
        for name in ["", " ", "X Y", "X:", "X\r\n", "X\u{0}", "é", "X\t", "(X)", "X\u{7F}"] {
            #expect(!HTTPHeader(name: name, value: "v").isValid, "\(name.debugDescription)")
        }
        for value in ["", " ", "é", "a\tb", "\"q\"", "字"] { #expect(HTTPHeader(name: "X-1", value: value).isValid) }
    }

    @Test("The header factories make the values that their specifications give")
    func factories() {
        #expect(HTTPHeader.authorization(username: "Aladdin", password: "open sesame").value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        // RFC 7617 section 2.1: the example with a pound sign, in UTF-8.
        #expect(HTTPHeader.authorization(username: "test", password: "123£").value == "Basic dGVzdDoxMjPCow==")
        #expect(HTTPHeader.authorization(bearerToken: "t").value == "Bearer t")
        #expect(HTTPHeader.contentType("a/b") == HTTPHeader(name: "Content-Type", value: "a/b"))
        #expect(HTTPHeaders.default.allSatisfy { $0.isValid && !$0.value.isEmpty })
        #expect(HTTPHeaders.default["User-Agent"]?.contains("Firewheel/\(firewheelVersion)") == true)
        #expect(HTTPHeaders.default["Accept-Encoding"]?.contains("gzip;q=") == true)
    }
}
