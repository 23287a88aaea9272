import Foundation
import Testing

@testable import Firewheel

/// What becomes of a resumed download, for each response and each validator: the server's bytes, or an error that keeps the partial file.
/// Never the beginning of one file and the end of another.
@Suite("Responses to a resumed download")
struct ResumeVerdictTests {
    enum Stored: CaseIterable {
        case strongTag, weakTag, lastModified, none

        /// The fields of the first response.
        var fields: [HTTPHeader] {
            switch self {
            case .strongTag: [HTTPHeader(name: "ETag", value: "\"v1\"")]
            case .weakTag: [HTTPHeader(name: "ETag", value: "W/\"v1\"")]
            case .lastModified:
                [
                    HTTPHeader(name: "Last-Modified", value: "Sun, 06 Nov 1994 08:49:37 GMT"),
                    HTTPHeader(name: "Date", value: "Sun, 06 Nov 1994 08:49:38 GMT"),
                ]
            case .none: []
            }
        }

        var isStrong: Bool { self == .strongTag || self == .lastModified }

        /// Data as of 400 of 1,000 bytes.
        var data: ResumeData {
            ResumeData(
                url: ResumeDataTests.url, validator: ResumeValidator(ResponseHead(statusCode: 200, headers: HTTPHeaders(fields))),
                total: 1000,
                count: 400, partial: ResumeDataTests.id)
        }
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        var fields: [HTTPHeader] = []
        /// Whether the fields of the first response are sent again.
        var isSame = true
        /// With a strong validator. Without one, no range is asked for: then a whole file is taken, and anything else refused.
        let verdict: ResumeVerdict

        init(_ name: String, _ status: Int, _ verdict: ResumeVerdict) {
            self.init(name, status, [:], verdict)
        }

        init(_ name: String, _ status: Int, _ fields: [String: String], isSame: Bool = true, _ verdict: ResumeVerdict) {
            self.name = name
            self.status = status
            self.fields = fields.map { HTTPHeader(name: $0.key, value: $0.value) }
            self.isSame = isSame
            self.verdict = verdict
        }

        var testDescription: String { name }
    }

    private static let rest = "bytes 399-999/1000"

    /// The rows of the table that resuming is tested with.
    static let answers = [
        Answer("206 right", 206, ["Content-Range": rest], .append(ContentRange(start: 399, end: 1000, total: 1000))),
        Answer("206 wrong start", 206, ["Content-Range": "bytes 400-999/1000"], .askForAll),
        Answer("206 wrong total", 206, ["Content-Range": "bytes 399-1000/1001"], .askForAll),
        Answer(
            "206 other validator", 206,
            ["Content-Range": rest, "ETag": "\"v2\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"], isSame: false, .askForAll),
        Answer("206 without Content-Range", 206, .askForAll),
        Answer("206 multipart", 206, ["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": rest], .askForAll),
        Answer("206 short", 206, ["Content-Range": "bytes 399-599/1000"], .append(ContentRange(start: 399, end: 600, total: 1000))),
        Answer("206 gzip", 206, ["Content-Range": rest, "Content-Encoding": "gzip"], .askForAll),
        Answer("200", 200, .startOver), Answer("200 of the same size", 200, ["Content-Length": "1000"], .startOver),
        Answer("416 */have", 416, ["Content-Range": "bytes */400"], .askForAll),
        Answer("416 */other", 416, ["Content-Range": "bytes */7"], .askForAll), Answer("416 bare", 416, .askForAll),
        Answer("404", 404, .refuse), Answer("410", 410, .refuse), Answer("401", 401, .refuse),
        // A redirect that is not followed; followed ones are not judged.
        Answer("302", 302, ["Location": "https://other.test/"], .refuse), Answer("503", 503, .refuse),
    ]

    @Test("Each of the 72 cells ends in the server's bytes or in an error with the data kept", arguments: answers, Stored.allCases)
    func cells(_ answer: Answer, _ stored: Stored) {
        let head = ResponseHead(statusCode: answer.status, headers: HTTPHeaders(answer.fields + (answer.isSame ? stored.fields : [])))
        let verdict = stored.data.judge(head)
        if stored.isStrong {
            #expect(verdict == answer.verdict)
        } else {
            #expect(verdict == (answer.status == 200 ? .startOver : .refuse))
        }
        // Only the answers that prove it are appended.
        if case .append = verdict { #expect(stored.isStrong && answer.isSame && answer.status == 206) }
    }

    @Test("A 206 that does not repeat the validator, or repeats it twice, proves nothing")
    func unproven() {
        for stored in [Stored.strongTag, .lastModified] {
            let range = HTTPHeader(name: "Content-Range", value: Self.rest)
            for fields in [[range], [range] + stored.fields + stored.fields, [range, range] + stored.fields] {
                #expect(stored.data.judge(ResponseHead(statusCode: 206, headers: HTTPHeaders(received: fields))) == .askForAll)
            }
        }
    }

    @Test("A part whose Content-Length is not that of its range is of no use")
    func wrongLength() {
        for length in ["601", "600", "602", "0", "601, 601", "x"] {
            let fields = [HTTPHeader(name: "Content-Range", value: Self.rest), HTTPHeader(name: "Content-Length", value: length)]
            let verdict = Stored.strongTag.data.judge(ResponseHead(statusCode: 206, headers: HTTPHeaders(fields + Stored.strongTag.fields)))
            #expect((verdict == .askForAll) == (length != "601"), "\(length)")
        }
    }

    @Test("Without a known size, the part has to begin within it and say the size")
    func unknownSize() {
        var data = Stored.strongTag.data
        data.total = nil
        func verdict(_ range: String) -> ResumeVerdict {
            data.judge(ResponseHead(statusCode: 206, headers: ["ETag": "\"v1\"", "Content-Range": range]))
        }
        #expect(verdict("bytes 399-399/400") == .append(ContentRange(start: 399, end: 400, total: 400)))
        #expect(verdict("bytes 399-499/500") == .append(ContentRange(start: 399, end: 500, total: 500)))
        #expect(verdict("bytes 399-499/*") == .askForAll)
    }

    @Test("The request asks for the last byte again, only for the file as it was, and without codings")
    func fields() {
        var data = Stored.strongTag.data
        #expect(data.fields(isDecoded: true).map(\.description) == ["Range: bytes=399-", "If-Range: \"v1\"", "Accept-Encoding: identity"])
        #expect(Stored.lastModified.data.fields(isDecoded: true)[1].description == "If-Range: Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(Stored.weakTag.data.fields(isDecoded: true).isEmpty && Stored.none.data.fields(isDecoded: true).isEmpty)
        for count in [0, 1] as [Int64] {
            data.count = count
            #expect(data.fields(isDecoded: true).isEmpty && data.rangeStart == nil)
        }
    }

    @Test("A file with a content coding is continued by a part with the same, and asked for without Accept-Encoding")
    func encoded() throws {
        let head = ResponseHead(statusCode: 200, headers: ["ETag": "\"v1\"", "Content-Encoding": "x-gzip", "Content-Length": "1000"])
        var data = try #require(
            ResumeData(
                resumable: head, url: ResumeDataTests.url, source: ResumeDataTests.url, partial: ResumeDataTests.id, isDecoded: false))
        data.count = 400
        data = try ResumeData(try #require(data.encoded()))
        #expect(data.contentEncoding == "x-gzip" && data.isEncoded)
        #expect(data.fields(isDecoded: false).map(\.description) == ["Range: bytes=399-", "If-Range: \"v1\""])
        for (coding, isSame) in [("x-gzip", true), ("X-GZIP", true), ("gzip", false), ("br", false), ("identity", false)] {
            let part = ResponseHead(
                statusCode: 206, headers: ["ETag": "\"v1\"", "Content-Range": Self.rest, "Content-Encoding": coding])
            #expect(data.judge(part) == (isSame ? .append(ContentRange(start: 399, end: 1000, total: 1000)) : .askForAll), "\(coding)")
        }
    }

    @Test(
        "A range is read only in its exact form",
        arguments: [
            "", "bytes", "bytes 1-2", "bytes 2-1/3", "bytes 1-3/3", "bytes 1-2/*", "bytes */3", "bytes=1-2/3", "byte 1-2/3", "bytes  1-2/3",
            "bytes 1-2/3 ", "bytes -1-2/3", "bytes +1-2/3", "bytes 01-2/3", "bytes 1-2/3/4", "bytes 1-2-3/4",
            "bytes 1-9223372036854775807/3",
            "bytes 1-2/99999999999999999999", "bytes 1 -2/3", "bytes \u{661}-2/3", "bytes 1-2/3,4-5/6",
        ])
    func malformedRanges(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test("A well-formed range is read")
    func ranges() {
        #expect(ContentRange("bytes 0-0/1") == ContentRange(start: 0, end: 1, total: 1))
        #expect(ContentRange("BYTES 5-9/12") == ContentRange(start: 5, end: 10, total: 12))
    }

    @Test("A download can be resumed if its response is a whole, uncoded file with a strong validator")
    func resumable() {
        func data(_ fields: [String: String], status: Int = 200, isDecoded: Bool = true) -> ResumeData? {
            ResumeData(
                resumable: ResponseHead(statusCode: status, headers: HTTPHeaders(fields)), url: ResumeDataTests.url,
                source: ResumeDataTests.url, partial: ResumeDataTests.id, isDecoded: isDecoded)
        }
        let tag = ["ETag": "\"a\""]
        #expect(data(tag)?.validator == .entityTag("\"a\"") && data(tag)?.count == 0 && data(tag)?.total == nil)
        #expect(data(tag.merging(["Content-Length": "12", "Accept-Ranges": "bytes"]) { $1 })?.total == 12)
        #expect(data(tag.merging(["Content-Length": "12", "Transfer-Encoding": "chunked"]) { $1 })?.total == .some(nil))
        #expect(data(["ETag": "W/\"a\""]) == nil && data([:]) == nil && data(tag, status: 206) == nil && data(tag, status: 404) == nil)
        #expect(data(tag.merging(["Accept-Ranges": "none"]) { $1 }) == nil && data(tag.merging(["Content-Encoding": "br"]) { $1 }) == nil)
        // The bytes of a body that is not decoded are those of the file, and so are those with a coding that nobody knows.
        for (coding, kept) in [("br", "br"), ("X-GZIP, identity", "x-gzip"), ("identity", nil), ("aws-chunked", "aws-chunked")] {
            let raw = data(tag.merging(["Content-Encoding": coding]) { $1 }, isDecoded: false)
            #expect(raw != nil && raw?.contentEncoding == kept, "\(coding)")
        }
        #expect(data(tag.merging(["Content-Encoding": "binary"]) { $1 })?.contentEncoding == "binary")
        #expect(data(tag.merging(["Content-Encoding": "none"]) { $1 })?.contentEncoding == .some(nil))
        // Weak at the same second (RFC 9110 section 8.8.2.2), without a date, and beside a weak tag.
        let modified = ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(data(modified) == nil && data(modified.merging(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) { $1 }) == nil)
        let dated = modified.merging(["Date": "Sun, 06 Nov 1994 08:49:38 GMT"]) { $1 }
        #expect(data(dated) != nil && data(dated.merging(["ETag": "W/\"a\""]) { $1 }) == nil)
    }
}
