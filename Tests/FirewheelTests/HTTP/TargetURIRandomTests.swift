import Foundation
import Testing

@testable import Firewheel

@Suite("Target URIs from random text", .timeLimit(.minutes(5)))
struct TargetURIRandomTests {
    /// Pieces of URLs, and characters that URLs may not contain.
    private static let pieces = [
        "http", "https", "HTTP", "ftp", "://", ":/", ":///", ":", "//", "/", "?", "#", "@", "[", "]", "::1", "::", "1", "0x7f", "0177",
        "127", ".", "..",
        "a", "A", "example", "com", "256", "%25", "%", "%zz", "%00", "80", "00080", "65536", "99999999999999999999", "-", "_", "+", " ",
        "\\", "\t", "\n",
        "\u{0}", "é", "字", "\u{202E}", "xn--", "0x", "0", "fe80::1%25eth0", "localhost", ";", "=", "&", "\"", "<", "|", "~",
    ]

    @Test("Random strings do not trap the URI parser, and each accepted URI is parsed again as itself")
    func random() {
        var generator = SeededGenerator(state: 1)
        var accepted = 0
        let rounds = TestDepth.choose(25_000, deep: 100_000)
        for round in 0..<rounds {
            // Half of them begin like a URL, because few would have a scheme otherwise.
            var text = round.isMultiple(of: 2) ? "http://" : ""
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                text += Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &generator)]
            }
            guard let target = TargetURI(text) else { continue }
            accepted += 1
            let again = TargetURI(target.string)
            if again?.string != target.string || again?.origin != target.origin || again?.userInfo != nil {
                Issue.record("\(text.debugDescription) became \(target.string.debugDescription), and that \(again?.string ?? "nothing")")
            }
            let isClean = target.string.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !target.string.contains("#")
            if !isClean || target.origin.host.isEmpty || !(1...65535).contains(target.origin.port) {
                Issue.record("\(text.debugDescription) became \(target.string.debugDescription)")
            }
        }
        // Enough must be accepted for the test to be meaningful.
        #expect(accepted > rounds / 50)
    }

    @Test("Random bytes never trap the URI parser")
    func randomBytes() {
        var generator = SeededGenerator(state: 2)
        var accepted = 0
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if TargetURI("http://a" + String(decoding: bytes, as: UTF8.self)) != nil { accepted += 1 }
        }
        #expect(accepted < 20_000)
    }
}
