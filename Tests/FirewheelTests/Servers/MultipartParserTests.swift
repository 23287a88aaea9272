#if os(macOS) || os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// The parsers of `Tests/Servers/multipart-parser.sh`.
    private struct MultipartParsers {
        let script: String

        /// nil if they are not installed. Where they are required (`FIREWHEEL_SERVERS_REQUIRED`),
        /// ``MultipartParserTests/isThereWhereItHasTo()`` fails.
        static let current = ProcessInfo.processInfo.environment["FIREWHEEL_MULTIPART_PARSER"].map(MultipartParsers.init)
        static let isRequired = ProcessInfo.processInfo.environment["FIREWHEEL_SERVERS_REQUIRED"] != nil

        /// What each parser finds in each form.
        func parse(_ files: [URL], output: URL) async throws -> [[[RandomForm.Part]]] {
            try Data().write(to: output)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: script)
            process.arguments = ["parse"] + files.map(\.path)
            let writer = try FileHandle(forWritingTo: output)
            process.standardOutput = writer
            let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            try writer.close()
            #expect(status == 0)
            let decoder = JSONDecoder()
            return try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")).map {
                try decoder.decode([[RandomForm.Part]].self, from: Data($0))
            }
        }
    }

    /// Random multipart forms are read back by independent parsers.
    @Suite(
        "Forms parsed by werkzeug and multipart",
        .enabled(
            if: MultipartParsers.current != nil || MultipartParsers.isRequired,
            "werkzeug and multipart are not there: Tests/Servers/multipart-parser.sh install, and its env")
    )
    struct MultipartParserTests {
        @Test func isThereWhereItHasTo() throws {
            _ = try #require(MultipartParsers.current)
        }

        @Test("200 random forms are read as they were made")
        func random() async throws {
            let parsers = try #require(MultipartParsers.current)
            let seed = ProcessInfo.processInfo.environment["FIREWHEEL_FORM_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)
            print("MultipartParserTests: FIREWHEEL_FORM_SEED=\(seed)")
            var generator = SeededGenerator(state: seed)
            let folder = try DownloadTests.Folder()
            var (forms, files): ([RandomForm], [URL]) = ([], [])
            for number in 0..<200 {
                // The HTML standard does not escape backslashes, and parsers disagree about them.
                let random = try RandomForm(in: folder, hasBackslashes: false, using: &generator)
                let file = folder.file("form \(number)")
                try (Data("\(random.form.contentType)\n".utf8) + (try await bytes(of: random, number))).write(to: file)
                forms.append(random)
                files.append(file)
            }
            let parsed = try await parsers.parse(files, output: folder.file("parsed"))
            try #require(parsed.count == forms.count)
            let wrong = zip(forms, parsed).filter { form, found in found != [form.parts, form.parts] }
            if let (form, found) = wrong.first {
                Issue.record("\(wrong.count) of \(forms.count) forms, seed \(seed): \(form.parts) is read as \(found)")
            }
            // At least some are not trivial.
            #expect(forms.contains { $0.parts.count > 4 } && forms.contains { $0.hasStream })
        }

        /// In memory and read from the parts, by turns.
        private func bytes(of random: RandomForm, _ number: Int) async throws -> Data {
            switch try random.form.makeBody(threshold: number.isMultiple(of: 2) ? 0 : .max) {
            case .data(let data): return data
            case .stream(let stream): return await DrainedBody.of(stream).data
            case .file: return Data()
            }
        }
    }
#endif
