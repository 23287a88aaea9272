import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A server's suggested file name is reduced to a name within its folder (RFC 6266 section 4.3).
@Suite("Safe file names", .timeLimit(.minutes(5)))
struct SafeFilenameTests {
    private func name(_ disposition: String?, url: String = "https://a.test/") throws -> String {
        let fields = disposition.map { ["Content-Disposition": $0] } ?? [:]
        let response = HTTPURLResponse(url: try url.asURL(), statusCode: 200, httpVersion: nil, headerFields: fields)
        return try #require(response).safeFilename
    }

    @Test("A plain suggested file name is kept", arguments: ["a.txt", "report 2.pdf", "naïve-日本.tar.gz", "a;b.txt", "-x", "a..b"])
    func plain(name: String) throws {
        #expect(try self.name("attachment; filename=\"\(name)\"") == name)
    }

    @Test(
        "A safe file name never names a folder or a hidden file, and has no control characters",
        arguments: [
            "..", ".", "", "/", "//", "\\", "../../x", "/etc/passwd", "a/b", "a/", "a/..", "a\\..\\b", "..\\..\\x", ".bashrc", "...x",
            "a\u{0}b", "a\nb",
            "\u{0}", "\r\n", " ", " .. ", ". .", "\u{202E}gpj.exe", "a\u{7F}", "\u{2028}", "a\u{85}b", "x.", "C:\\x", "COM1:",
            String(repeating: "../", count: 200), String(repeating: ".", count: 300),
        ])
    func hostile(suggested: String) throws {
        for disposition in [
            "attachment; filename=\"\(suggested)\"", "attachment; filename=\(suggested)", "inline;filename=\"\(suggested)\"",
        ] {
            let name = try name(disposition)
            #expect(
                !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix(" ") && !name.hasSuffix(".") && !name.hasSuffix(" "), "\(name)")
            #expect(!name.contains { "/\\:".contains($0) }, "\(name)")
            #expect(name.utf8.count <= 255 && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(name)")
            #expect(!name.unicodeScalars.contains("\u{202E}") && !name.unicodeScalars.contains("\u{2028}"))
            let folder = URL(fileURLWithPath: "/nowhere/folder", isDirectory: true)
            #expect(folder.appendingPathComponent(name).standardizedFileURL.deletingLastPathComponent().path == folder.path)
        }
    }

    @Test("A slash with a combining mark is a slash", arguments: ["../\u{338}x", "a/\u{301}..\\\u{338}x", "/\u{20D2}../x"])
    func combined(suggested: String) throws {
        // Encoded, because Foundation on Linux has its own opinion of such a name.
        let encoded = Percent.encodingAllButUnreserved(suggested)
        for name in [try name("attachment; filename*=UTF-8''\(encoded)"), try name(nil, url: "https://a.test/\(encoded)")] {
            #expect(!name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: "\\")) && name.hasSuffix("x"), "\(name)")
        }
    }

    @Test(
        "Names of Windows devices and of our own files get an underscore, whatever their case and spaces; so do characters it does not allow",
        arguments: [
            ("CON", "_CON"),
            ("Firewheel_0123456789abcdef0123456789abcdef.lock", "_Firewheel_0123456789abcdef0123456789abcdef.lock"),
            (".Firewheel_0123456789abcdef0123456789abcdef.copy", "_Firewheel_0123456789abcdef0123456789abcdef.copy"),
            ("FIREWHEEL-Partial-0", "_FIREWHEEL-Partial-0"), ("Firewheel.zip", "Firewheel.zip"), ("nul.txt", "_nul.txt"),
            ("Com1 .tar.gz", "_Com1 .tar.gz"), ("LPT\u{B9}", "_LPT\u{B9}"), ("conin$", "_conin$"),
            ("COM", "COM"), ("COM10", "COM10"), ("console.txt", "console.txt"), ("a.con", "a.con"), ("a:b*c?.txt", "a_b_c_.txt"),
            ("a<b>|c", "a_b__c"),
        ])
    func devices(suggested: String, expected: String) throws {
        #expect(try name("attachment; filename=\"\(suggested)\"") == expected)
    }

    @Test(
        "A hidden file stays visible, even for file systems that ignore joiners",
        arguments: [("\u{200D}.bashrc", "bashrc"), (".\u{200C}.x", "x"), ("a\u{200D}", "a"), ("می\u{200C}خواهم", "می\u{200C}خواهم")])
    func joiners(suggested: String, expected: String) throws {
        let encoded = Percent.encodingAllButUnreserved(suggested)
        #expect(try name("attachment; filename*=utf-8''\(encoded)") == expected)
    }

    @Test(
        "The first suggestion that is safe counts: filename*, filename, URL",
        arguments: [
            ("attachment; filename=b; filename*=UTF-8''a", "a"), ("attachment; filename=b; filename*=UTF-8''..%2F", "b"),
            ("attachment; filename=..; filename*=UTF-8''%2E", "c.txt"), ("attachment; filename=..", "c.txt"), ("attachment", "c.txt"),
        ])
    func order(disposition: String, expected: String) throws {
        #expect(try name(disposition, url: "https://a.test/b/c.txt?d#e") == expected)
    }

    @Test("Names of 250,000 bytes take little time", arguments: [",", "\u{1F1E6}", "\u{301}", ".", "a=;", "\\\"", "%", "/"])
    func huge(part: String) {
        // Without HTTPURLResponse, whose own parser takes quadratic time on Linux.
        let text = String(repeating: part, count: 250_000 / part.utf8.count)
        for value in ["filename=\(text)", "filename=\"\(text)", "filename*=utf-8''\(text)", text] {
            let names = ContentDisposition("attachment; " + value).names.compactMap(SafeFilename.make)
            #expect(names.allSatisfy { $0.utf8.count <= 255 })
        }
    }

    @Test("A numbered name keeps its extension and fits into 255 bytes")
    func numbered() {
        let long = String(repeating: "é", count: 125)
        for (name, expected) in [
            ("report.pdf", "report (2).pdf"), ("a.tar.gz", "a (2).tar.gz"), ("README", "README (2)"), ("a.b c d", "a (2).b c d"),
            ("\(long).txt", "\(long.dropLast(2)) (2).txt"),
            ("x.\(String(repeating: "y", count: 40))", "x.\(String(repeating: "y", count: 40)) (2)"),
        ] {
            #expect(SafeFilename.numbered(name, 2) == expected)
        }
        #expect(SafeFilename.numbered("\(long).txt", 2).utf8.count <= 255)
    }

    @Test("A file name that is too long keeps its beginning and extension, and is cut between characters")
    func long() throws {
        let ascii = try name("attachment; filename=\"\(String(repeating: "x", count: 300)).tar\"")
        #expect(ascii == String(repeating: "x", count: 251) + ".tar")
        let wide = try name("attachment; filename=\"\(String(repeating: "é", count: 300)).txt\"")
        #expect(wide == String(repeating: "é", count: 125) + ".txt")
        let dotted = try name("attachment; filename=\"a.\(String(repeating: "x", count: 300))\"")
        #expect(dotted.utf8.count == 255 && dotted.hasPrefix("a.x"))
    }

    @Test(
        "Without a suggestion the file name is the last part of the URL's path, or else \"download\"",
        arguments: [
            ("https://a.test/b/c.txt?d=e.f", "c.txt"), ("https://a.test/b/c.txt/", "c.txt"), ("https://a.test/", "download"),
            ("https://a.test", "download"), ("https://a.test/%2e%2e", "download"), ("https://a.test/x%2F..%2F..%2Fy", "y"),
            ("https://a.test/a%00b", "ab"), ("https://a.test/na%C3%AFve.txt", "naïve.txt"), ("https://a.test/b/%E4.txt", "ä.txt"),
            ("https://a.test/a%20b+c.txt;d=1", "a b+c.txt;d=1"),
        ])
    func fromURL(url: String, expected: String) throws {
        #expect(try name(nil, url: url) == expected)
    }

    @Test(
        "The documented download stays in its folder, whatever file name a server suggests",
        arguments: ["..", "../../x", "/etc/passwd", ".", ""])
    func onWire(suggested: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("new", headers: [("Content-Disposition", "attachment; filename=\"\(suggested)\"")]))
        let folder = try DownloadTests.Folder()
        let downloads = folder.file("downloads")
        _ = try folder.file("precious", holding: "kept")
        let session = Session()
        let response = await session.download(server.url()) { _, response in
            (downloads.appendingPathComponent(response.safeFilename), [.createIntermediateDirectories, .removePreviousFile])
        }.serializingDownloadedFileURL().response
        #expect(response.error == nil)
        #expect(try folder.contents == ["downloads", "precious"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: downloads.path).count == 1)
    }
}
