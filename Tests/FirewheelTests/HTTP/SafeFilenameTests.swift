import Firewheel
import FirewheelTesting
import Foundation
import Testing

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
            ("https://a.test/a%00b", "ab"), ("https://a.test/na%C3%AFve.txt", "naïve.txt"),
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
