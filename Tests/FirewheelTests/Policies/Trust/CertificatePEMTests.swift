#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    private let root = CertificateFixtures.root
    private let odd = CertificateFixtures.odd

    /// Certificates in PEM, as files and texts have them.
    @Suite("Certificates in PEM", .needsTLSServer, .timeLimit(.minutes(5)))
    struct CertificatePEMTests {
        private static let key = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg
            -----END PRIVATE KEY-----
            """

        private func read(_ text: String) throws -> [Certificate] { try Certificate.all(inPEM: Data(text.utf8)) }

        private func problem(_ text: String) throws -> String {
            let error = Result { try read(text) }.failure as? FirewheelError
            return "\(try #require(error, "it was read"))"
        }

        private static let texts: [(String, Int)] = [
            (root, 1), (root + "\n" + odd + "\n", 2), ("\n\n" + root + "\n\n\n" + root, 2),
            ("\u{FEFF}" + root, 1), (root.replacing("\n", with: "\r\n"), 1), (root.replacing("\n", with: "\r"), 1),
            (root.replacing("\n", with: "  \n\t"), 1),
            ("Subject: CN=x\n\(root)\nIssuer: =\n-----\nbetween -----BEGIN CERTIFICATE-----\n\(odd)\nbehind", 2),
            (key + "\n" + root + "\n" + key, 1), (root.replacing("CERTIFICATE", with: "X509 CERTIFICATE"), 1),
            // One line of base64, and short lines.
            (root.split(separator: "\n").dropFirst().dropLast().joined().wrapped(in: 10_000), 1),
            (root.split(separator: "\n").dropFirst().dropLast().joined().wrapped(in: 5), 1),
        ]

        @Test("Certificates are found, whatever is around them", arguments: texts)
        func readable(text: String, count: Int) throws {
            let found = try read(text)
            let known = try read(root + "\n" + odd)
            #expect(found.count == count && found.allSatisfy(known.contains))
        }

        private static func damage(in line: Int, of place: String = "the text") -> String {
            "the block that begins in line \(line) of \(place) is not a certificate, or is damaged"
        }

        private static let problems: [(String, String)] = [
            ("", "the text has no certificate in PEM"), ("hello", "the text has no certificate in PEM"),
            (key, "the text has no certificate in PEM (line 1 begins a PRIVATE KEY)"),
            ("\n\n" + root.dropLast(27), damage(in: 3)),
            (root + "\r\n" + odd.replacing("MIID", with: "MI*D"), damage(in: 15)),
            (root.replacing("END CERTIFICATE", with: "END KEY"), damage(in: 1)),
            ("-----BEGIN CERTIFICATE-----\n" + root, damage(in: 1)),
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", damage(in: 1)),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", damage(in: 1)),
        ]

        @Test("A text without a certificate, and one with a damaged certificate, say so, and where", arguments: problems)
        func unreadable(text: String, words: String) throws { #expect(try problem(text) == words) }

        @Test("A text that is cut off in a certificate is an error, also behind a whole one")
        func cut() throws {
            let text = root + "\n" + odd
            let whole = try read(text)
            let (first, second) = (root.utf8.count, root.utf8.count + "\n-----BEGIN CERTIFICATE-----".utf8.count)
            for count in 0..<text.utf8.count {
                let found = Result { try Certificate.all(inPEM: Data(text.utf8.prefix(count))) }
                if first..<second ~= count {
                    #expect(try found.get() == [whole[0]], "\(count)")
                } else {
                    #expect(found.failure is FirewheelError, "\(count)")
                }
            }
            let merged = text.replacing("-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----", with: "")
            #expect(throws: FirewheelError.self) { try read(merged) }
        }

        @Test("A block of many lines is read in a time that grows with its size")
        func manyLines() throws {
            let content = Data(repeating: 7, count: 1_500_000)
            let lines = content.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            #expect(PEMBlock.all(in: Data("-----BEGIN X-----\n\(lines)\n-----END X-----\n".utf8)).map(\.content) == [content])
        }

        @Test("A key whose line ends were lost is in no error")
        func keyOnOneLine() throws {
            for separator in ["", " ", "\t"] {
                let line = Self.key.replacing("\n", with: separator)
                #expect(try problem(line) == "the text has no certificate in PEM")
                #expect(try problem(line + "\n" + Self.key).hasPrefix("the text has no certificate in PEM (line 2 begins a PRIVATE KEY)"))
            }
        }

        @Test("DER in the place of PEM says what to use")
        func der() throws {
            let der = try read(root)[0].der
            let error = try #require(Result { try Certificate.all(inPEM: der) }.failure)
            #expect("\(error)" == "the text has no certificate in PEM (for one in DER use Certificate(der:))")
        }

        @Test("A file is read, through a link too, and its name is in each error")
        func files() throws {
            let folder = try DownloadTests.Folder()
            let file = try folder.file("chain.pem", holding: root)
            try FileManager.default.createSymbolicLink(at: folder.file("link.pem"), withDestinationURL: file)
            #expect(try Certificate.all(inPEMFile: file) == read(root))
            #expect(try Certificate.all(inPEMFile: folder.file("link.pem")) == read(root))
            let damaged = try folder.file("damaged.pem", holding: "x\n" + root.replacing("MII", with: "M_I"))
            let large = folder.file("large.pem")
            try Data(repeating: 10, count: (1 << 24) + 1).write(to: large)
            try #require(mkfifo(folder.file("pipe").path, 0o600) == 0)
            let cases: [(URL, FirewheelError.CertificateFailureReason, String)] = [
                (damaged, .malformed, Self.damage(in: 2, of: damaged.path)),
                (try folder.file("empty", holding: ""), .missing, "\(folder.file("empty").path) has no certificate in PEM"),
                (folder.file("nowhere"), .fileReadFailed, "cannot read \(folder.file("nowhere").path): no such file or folder"),
                (folder.file("pipe"), .fileReadFailed, "cannot read \(folder.file("pipe").path): "),
                (folder.url, .fileReadFailed, "cannot read \(folder.url.path): "),
                (URL(fileURLWithPath: "/dev/zero"), .fileReadFailed, "cannot read /dev/zero: "),
                (large, .fileReadFailed, "cannot read \(large.path): it is larger than 16 MiB"),
            ]
            for (url, reason, words) in cases {
                let error = try #require(Result { try Certificate.all(inPEMFile: url) }.failure as? FirewheelError)
                #expect(error.kind == .certificateInvalid(reason) && "\(error)".hasPrefix(words), "\(error)")
            }
            let remote = try #require(URL(string: "https://user:secret@stub.test/x.pem"))
            let error = try #require(Result { try Certificate.all(inPEMFile: remote) }.failure)
            #expect("\(error)".hasSuffix("it is not the URL of a file") && !"\(error)".contains("secret"))
        }
    }

    extension String {
        /// As a certificate's base64, in lines of this length.
        fileprivate func wrapped(in length: Int) -> String {
            let characters = Array(self)
            let lines = stride(from: 0, to: count, by: length).map { String(characters[$0..<Swift.min($0 + length, count)]) }
            return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----"]).joined(separator: "\n")
        }
    }
#endif
