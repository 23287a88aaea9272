import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Resume data is read from anywhere, so nothing in it may lead to a file or into a header field that is not meant.
@Suite("Resume data", .timeLimit(.minutes(5)))
struct ResumeDataTests {
    static let id = String(repeating: "0123456789abcdef", count: 2)
    static let url: TargetURI = {
        guard let url = TargetURI("https://a.test/file?signature=secret") else { fatalError("the URL is valid") }
        return url
    }()

    private static let modified = ResumeValidator.lastModified("Sun, 06 Nov 1994 08:49:37 GMT", date: "Sun, 06 Nov 1994 08:49:38 GMT")

    static let samples = [
        ResumeData(url: url, validator: .entityTag("\"a-b\""), total: 1000, count: 400, partial: id),
        ResumeData(url: url, validator: modified, total: nil, count: 0, partial: id),
        ResumeData(url: url, validator: nil, total: .max, count: .max, partial: id),
        ResumeData(url: url, validator: nil, total: nil, count: 400, partial: id, boot: "a"),
    ]

    @Test("What is encoded is decoded again, and the format is the documented one")
    func roundTrip() throws {
        for sample in Self.samples { #expect(try ResumeData(#require(sample.encoded())) == sample) }
        let text = try #require(Self.samples[0].encoded()).map { String(UnicodeScalar($0)) }.joined()
        let expected =
            #"{"checksum":4287880564,"count":400,"etag":"\"a-b\"","firewheelResumeData":1,"method":"GET","partial":"\#(Self.id)","total":1000,"#
            + #""url":"https://a.test/file?signature=secret"}"#
        #expect(text == expected)
    }

    @Test("Bytes that are not on the disk yet count only until the system is started again")
    func boot() {
        var data = Self.samples[0]
        data.add(upTo: 400)
        #expect(data == Self.samples[0])
        data.add(upTo: 500)
        #expect(data.count == 500 && data.boot == BootID.current && !data.isFromOtherBoot)
        data.didSynchronize(count: 501)
        #expect(data.count == 501 && data.boot == nil)
        var old = Self.samples[3]
        old.didSynchronize(count: 400)
        #expect(old == Self.samples[3] && old.isFromOtherBoot)
        #if os(Linux)
            let system = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            #expect(system.map { $0 == BootID.current + "\n" } ?? true)
        #endif
    }

    @Test("The data's description has no secret of the URL and not the partial file's id")
    func described() {
        var dumped = ""
        dump(Self.samples[0], to: &dumped)
        for text in ["\(Self.samples[0])", dumped] {
            #expect(!text.contains("secret") && !text.contains(Self.id) && text.contains("400 of 1000"))
        }
    }

    @Test("A URL that makes the data too large gives none")
    func tooLarge() throws {
        let url = try #require(TargetURI("https://a.test/" + String(repeating: "x", count: 1 << 16)))
        #expect(ResumeData(url: url, validator: nil, total: nil, count: 0, partial: Self.id).encoded() == nil)
    }

    private func expectRefused(_ data: Data, _ location: SourceLocation = #_sourceLocation) {
        #expect(sourceLocation: location) {
            try ResumeData(data)
        } throws: {
            ($0 as? FirewheelError)?.kind == .resumeDataInvalid && "\($0)".hasPrefix("the resume data cannot be used: ")
        }
    }

    /// A member, and values that it must not have.
    static let tampered: [(String, [String])] = [
        ("firewheelResumeData", ["0", "2", "-1", "1.5", "null", "\"1\"", "99999999999999999999"]),
        ("url", ["\"\"", "\"/a\"", "\"file:///etc/passwd\"", "\"https://u:p@a.test/\"", "\"https://a.test/\\r\\nX: y\"", "1", "null"]),
        ("method", ["\"POST\"", "\"get\"", "\"\"", "null"]),
        (
            "etag",
            ["\"\"", "\"a\"", "\"W/\\\"a\\\"\"", "\"\\\"a\\r\\nX: y\\\"\"", "\"\\\"a\\\"b\\\"\"", "\"\\\"\"", "\"\\\"a b\\\"\"", "1"]
        ),
        ("lastModified", ["\"Sun, 06 Nov 1994 08:49:37 GMT\"", "\"x\""]), ("date", ["\"Sun, 06 Nov 1994 08:49:37 GMT\""]),
        ("total", ["399", "-1", "1e30", "\"1000\""]), ("count", ["-1", "1001", "1.5", "null", "\"1\""]),
        ("boot", ["1", "true", "[]", "\"a\""]),
        (
            "partial",
            [
                "\"\"", "\"../../etc/passwd\"", "\"/etc/passwd\"", "\"0123456789ABCDEF0123456789ABCDEF\"", "\"0123456789abcdef\"", "null",
                "\"0123456789abcdef0123456789abcde/\"", "\"0123456789abcdef0123456789abcdef0\"",
                "\"0123456789abcdef0123456789abcde\\u0000\"",
                "\"0123456789abcdef0123456789abcde\\u0661\"", "\"................................\"",
            ]
        ),
    ]

    @Test("Data that was changed is refused", arguments: tampered)
    func changed(member: String, values: [String]) throws {
        let original = try #require(Self.samples[0].encoded())
        for value in values {
            var object = try #require(try JSONSerialization.jsonObject(with: original) as? [String: Any])
            object[member] = nil
            var text = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
            text.removeLast()
            expectRefused(Data("\(text),\"\(member)\":\(value)}".utf8))
        }
        if !["etag", "total", "lastModified", "date", "boot"].contains(member) {
            var object = try #require(try JSONSerialization.jsonObject(with: original) as? [String: Any])
            object[member] = nil
            expectRefused(try JSONSerialization.data(withJSONObject: object))
        }
    }

    @Test("A date that is a weak validator is refused: it would be an unsafe If-Range")
    func weakDate() throws {
        var text = String(decoding: try #require(Self.samples[1].encoded()), as: UTF8.self)
        #expect(throws: Never.self) { try ResumeData(Data(text.utf8)) }
        text = text.replacingOccurrences(of: "08:49:38", with: "08:49:37")
        expectRefused(Data(text.utf8))
    }

    @Test("Data that is cut off, larger than allowed, nested deeply, or anything else is refused")
    func hostile() throws {
        for sample in Self.samples {
            let data = try #require(sample.encoded())
            for count in 0..<data.count { expectRefused(data.prefix(count)) }
        }
        expectRefused(Data(repeating: UInt8(ascii: "["), count: 60_000))
        expectRefused(Data(#"{"firewheelResumeData":1}"#.utf8) + Data(count: 1 << 16))
        expectRefused(Data("bplist00".utf8))
        var generator = SeededGenerator(state: 9110)
        let original = try #require(Self.samples[0].encoded())
        for _ in 0..<2_000 {
            var data = original
            for _ in 0..<3 { data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            // Unless it means the same, as with another escape.
            guard let decoded = try? ResumeData(data) else { continue }
            #expect(decoded == Self.samples[0])
        }
    }
}
