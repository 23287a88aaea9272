import Foundation
import Testing

@testable import Firewheel

/// Persistent cookies, and files that cannot be used.
@Suite("Files of cookie jars", .timeLimit(.minutes(5)))
struct CookieFileTests {
    private let folder: DownloadTests.Folder
    private var file: URL { folder.url.appendingPathComponent("cookies.json") }

    init() throws {
        folder = try DownloadTests.Folder()
    }

    private func content() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }

    @discardableResult
    private func expectRefused(
        _ reason: FirewheelError.CookieFileFailureReason, saying text: String, _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) -> FirewheelError? {
        var failure: (any Error)?
        do { try body() } catch { failure = error }
        let error = failure?.asFirewheelError
        #expect(error?.kind == .cookieFileFailed(reason), "\(String(describing: failure))", sourceLocation: location)
        #expect(error?.description.contains(text) == true, "\(String(describing: error))", sourceLocation: location)
        return error
    }

    @Test("Stored cookies are there in the next run, including session cookies and values that are not text")
    func roundTrip() throws {
        let bench = try CookieBench(file: file)
        #expect(bench.jar.cookies.isEmpty)
        try bench.jar.flush()
        #expect(try names() == [], "nothing has changed yet")
        try bench.receive(
            "s=1", "p=2; Max-Age=1000; Secure; HttpOnly; SameSite=Strict; Path=/x", "d=3; Domain=example.com", "nameless", "q=\"a/b\\c\"")
        try bench.receive(FieldOctets.latin1([0x6C, 0x3D, 0xE4, 0xFF]), FieldOctets.latin1(Array("u=ä日".utf8)))
        try bench.jar.flush()
        let again = try CookieBench(file: file)
        #expect(again.jar.cookies == bench.jar.cookies && again.jar.cookies.count == 7)
        #expect(again.jar.cookies.map(\.name) == ["s", "p", "d", "", "q", "l", "u"])
        #expect(try again.sent("https://www.example.com/x") == bench.sent("https://www.example.com/x"))
        again.wait(2000)
        #expect(again.jar.cookies.count == 6)
        #expect(try names() == ["cookies.json"])
    }

    @Test("A cookie file is written soon without flush, also if the jar has been released")
    func writtenByItself() async throws {
        do {
            let bench = try CookieBench(file: file)
            for index in 0..<100 { try bench.receive("a=\(index)") }
        }
        let file = file
        try await waitUntil("the last of the changes in the file") {
            (try? String(contentsOf: file, encoding: .utf8))?.contains(#""value" : "99""#) == true
        }
        #expect(try CookieBench(file: file).sent() == "a=99")
    }

    @Test("Only its owner can read the cookie file, even if others could read the previous one")
    func mode() throws {
        for _ in 0..<2 {
            let bench = try CookieBench(file: file)
            try bench.receive("a=\(Int.random(in: 0..<Int.max))")
            try bench.jar.flush()
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        }
    }

    @Test("Removing a cookie updates the file")
    func removing() throws {
        let bench = try CookieBench(file: file)
        try bench.receive("a=1", "b=2")
        bench.jar.remove(Cookie(name: "a", value: "", domain: "www.example.com"))
        try bench.jar.flush()
        #expect(try CookieBench(file: file).sent() == "b=2")
        bench.jar.removeAll()
        try bench.jar.flush()
        #expect(try CookieBench(file: file).jar.cookies.isEmpty)
    }

    @Test("A cookie file is one JSON object that names its format")
    func format() throws {
        let bench = try CookieBench(file: file)
        try bench.receive("a=b; Max-Age=10; HttpOnly")
        try bench.jar.flush()
        #expect(
            try content() == """
                {
                  "cookies" : [
                    {
                      "created" : 1275350400,
                      "domain" : "www.example.com",
                      "expires" : 1275350410,
                      "hostOnly" : true,
                      "httpOnly" : true,
                      "name" : "a",
                      "path" : "/",
                      "sameSite" : "default",
                      "secure" : false,
                      "value" : "b"
                    }
                  ],
                  "format" : "firewheel-cookies",
                  "version" : 1
                }

                """)
    }

    /// A file with one cookie, for text replacements.
    private static let one = """
        {"format":"firewheel-cookies","version":1,"cookies":[{"name":"a","value":"hunter2","domain":"a.test","hostOnly":true,"path":"/",\
        "created":1275350000,"secure":false,"httpOnly":false,"sameSite":"default"}]}
        """

    @Test(
        "A file that is damaged or not a cookie jar's is an error, and is left alone",
        arguments: [
            ("", "cut off"), ("{", "cut off"), (String(one.dropLast(30)), "cut off"), ("# Netscape HTTP Cookie File\n", "cut off"),
            ("[]", "cut off"), ("{\"cookies\":[]}", "cut off"), ("\u{0}\u{1}", "cut off"),
            (one.replacing("firewheel-cookies", with: "other"), "cut off"),
            (one.replacing("\"version\":1", with: "\"version\":2"), "version is 2"),
            (one.replacing("\"version\":1", with: "\"version\":0"), "not valid"),
            (one.replacing("\"value\":\"hunter2\",", with: ""), "not complete"),
            (one.replacing("\"default\"", with: "\"other\""), "not valid"), (one.replacing("1275350000", with: "\"x\""), "not valid"),
            (one.replacing("hunter2\"", with: "hunter2\",\"encoding\":\"utf-7\""), "not valid"),
            (one.replacing("hunter2\"", with: "日\",\"encoding\":\"iso-8859-1\""), "not valid"),
            (one.replacing("1275350000", with: "1e999"), "not valid"), (String(repeating: "[", count: 100_000), "cut off"),
        ])
    func foreign(text: String, saying: String) throws {
        try Data(text.utf8).write(to: file)
        let error = expectRefused(.invalidContent, saying: saying) { _ = try CookieBench(file: file) }
        #expect(error?.description.contains("cookies.json") == true && error?.description.contains("hunter2") == false)
        #expect(try content() == text)
        try Data([0xFF, 0xFE, 0x00]).write(to: file)
        expectRefused(.invalidContent, saying: "cut off") { _ = try CookieBench(file: file) }
    }

    @Test("Cookies of a file that are no longer acceptable, or too many, are left out")
    func refused() throws {
        try Data(Self.one.utf8).write(to: file)
        #expect(try CookieBench(file: file).sent("http://a.test/") == "a=hunter2")
        for change in [
            ("a.test", "co.uk\",\"x\":\""), ("hunter2", "a;b"), ("hunter2", "\\r\\n"), ("a.test", "x y"), ("1275350000", "1,\"expires\":2"),
        ] {
            let text = Self.one.replacing(change.0, with: change.1).replacing("\"hostOnly\":true", with: "\"hostOnly\":false")
            try Data(text.utf8).write(to: file)
            #expect(try CookieBench(file: file).jar.cookies.isEmpty, "\(text)")
        }
        let cookies = (0..<200).map { Cookie(name: "a\($0)", value: "b", domain: "a.test", created: CookieBench.start) }
        try CookieFileFormat.encode(cookies).write(to: file)
        #expect(try CookieBench(file: file).jar.cookies.map(\.name) == (20..<200).map { "a\($0)" })
    }

    @Test("A directory, link, pipe or non-file URL as a cookie file is an error, and is left alone")
    func inTheWay() throws {
        let directory = folder.url.appendingPathComponent("directory")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        expectRefused(.readFailed, saying: "is a directory") {
            _ = try CookieBench(file: URL(fileURLWithPath: directory.path, isDirectory: false))
        }
        expectRefused(.readFailed, saying: "not the URL of a file") {
            _ = try CookieBench(file: directory.appendingPathComponent("x/", isDirectory: true))
        }
        let (link, target) = (folder.url.appendingPathComponent("link"), folder.url.appendingPathComponent("target"))
        try Data(Self.one.utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        expectRefused(.readFailed, saying: "symbolic link") { _ = try CookieBench(file: link) }
        try FileManager.default.removeItem(at: target)
        expectRefused(.readFailed, saying: "symbolic link") { _ = try CookieBench(file: link) }
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        expectRefused(.readFailed, saying: "not a regular file") { _ = try CookieBench(file: pipe) }
        expectRefused(.readFailed, saying: "not the URL of a file") {
            _ = try CookieBench(file: try #require(URL(string: "https://user:hunter2@a.test/x")))
        }
        expectRefused(.readFailed, saying: "cookies.json") { _ = try CookieBench(file: pipe.appendingPathComponent("cookies.json")) }
        #expect(try names() == ["directory", "link", "pipe"])
    }

    @Test("flush reports a file that cannot be written, nothing is lost, and a later try may succeed")
    func unwritable() throws {
        let place = folder.url.appendingPathComponent("later")
        let url = place.appendingPathComponent("cookies.json")
        let bench = try CookieBench(file: url)
        try bench.jar.flush()
        try bench.receive("a=1")
        for _ in 0..<2 { expectRefused(.writeFailed, saying: "cookies.json") { try bench.jar.flush() } }
        #expect(try bench.sent() == "a=1")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try bench.jar.flush()
        #expect(try CookieBench(file: url).sent() == "a=1")
        // A file that appeared since is not replaced.
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try bench.receive("b=2")
        expectRefused(.writeFailed, saying: "is a directory") { try bench.jar.flush() }
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: folder.url.appendingPathComponent("nowhere"))
        expectRefused(.writeFailed, saying: "symbolic link") { try bench.jar.flush() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["cookies.json"])
        try FileManager.default.removeItem(at: url)
        try bench.jar.flush()
        #expect(try CookieBench(file: url).sent() == "a=1; b=2")
    }

    @Test("Of two jars that write one file the last wins, and the file is whole at every moment")
    func twoJars() async throws {
        let (one, other) = (try CookieBench(file: file), try CookieBench(file: file))
        try one.receive("a=1")
        try one.jar.flush()
        let file = file
        await onThreads(3) { thread in
            let name = "n\(thread)"
            for index in 0..<20 {
                if thread == 2 {
                    #expect(throws: Never.self) { _ = try CookieBench(file: file) }
                } else {
                    try? (thread == 0 ? one : other).receive("\(name)=\(index)")
                    #expect(throws: Never.self) { try (thread == 0 ? one : other).jar.flush() }
                }
            }
        }
        try one.receive("last=1")
        try one.jar.flush()
        #expect(try CookieBench(file: file).jar.cookies == one.jar.cookies)
        #expect(try names() == ["cookies.json"])
    }
}
