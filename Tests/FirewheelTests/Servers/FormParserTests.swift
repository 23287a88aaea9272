#if os(macOS) || os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// A parser's result for a form.
    private enum ParsedForm: Decodable, Equatable {
        case text(String)
        case array([ParsedForm])
        case object([String: ParsedForm])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let array = try? container.decode([ParsedForm].self) {
                self = .array(array)
            } else {
                self = .object(try container.decode([String: ParsedForm].self))
            }
        }

        static func == (left: ParsedForm, right: ParsedForm) -> Bool {
            switch (left, right) {
            // Compared byte by byte, because Swift treats differently composed texts as equal.
            case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
            case (.array(let left), .array(let right)): left == right
            case (.object(let left), .object(let right)): left == right
            default: false
            }
        }

        /// The expected result for a tree: all values as text, without the empty collections that a form cannot represent.
        /// - Parameter null: The text of nil, if it is written at all.
        init?(_ tree: RandomTree, yes: String, no: String, null: String?) {
            switch tree {
            case .null:
                guard let null else { return nil }
                self = .text(null)
            case .bool(let value): self = .text(value ? yes : no)
            case .int(let value): self = .text(String(value))
            case .double(let value): self = .text(String(value))
            case .text(let value): self = .text(value)
            case .set(let value):
                // A repeated key with a single element cannot be told from the element itself.
                let texts = RandomTree.ordered(value).map(ParsedForm.text)
                guard let first = texts.first else { return nil }
                self = texts.count == 1 ? first : .array(texts)
            case .array(let value):
                let elements = value.compactMap { ParsedForm($0, yes: yes, no: no, null: null) }
                if elements.isEmpty { return nil }
                self = .array(elements)
            case .object(let value):
                let fields = value.compactMapValues { ParsedForm($0, yes: yes, no: no, null: null) }
                if fields.isEmpty { return nil }
                self = .object(fields)
            }
        }
    }

    /// The parser of `Tests/Servers/form-parser.sh`, with the environment of `form-parser.sh env`.
    private struct FormParser {
        let script: String

        /// nil if it is not installed. Where it is required (`FIREWHEEL_SERVERS_REQUIRED`), ``FormParserTests/isThereWhereItHasTo()``
        /// fails.
        static let current = ProcessInfo.processInfo.environment["FIREWHEEL_FORM_PARSER"].map(FormParser.init)
        static let isRequired = ProcessInfo.processInfo.environment["FIREWHEEL_SERVERS_REQUIRED"] != nil

        /// The parser's result for each form. Uses files, so that neither program blocks on a pipe.
        func parse(_ forms: [String]) async throws -> [ParsedForm] {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-forms-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let input = directory.appendingPathComponent("forms")
            let output = directory.appendingPathComponent("parsed")
            try Data(forms.map { $0 + "\n" }.joined().utf8).write(to: input)
            try Data().write(to: output)

            let process = Process()
            process.executableURL = URL(fileURLWithPath: script)
            process.arguments = ["parse"]
            let reader = try FileHandle(forReadingFrom: input)
            let writer = try FileHandle(forWritingTo: output)
            process.standardInput = reader
            process.standardOutput = writer
            let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            try reader.close()
            try writer.close()
            #expect(status == 0)
            let decoder = JSONDecoder()
            return try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")).map {
                try decoder.decode(ParsedForm.self, from: Data($0))
            }
        }
    }

    /// Random nested parameters are read back by an independent parser.
    @Suite(
        "Forms parsed by qs",
        .enabled(
            if: FormParser.current != nil || FormParser.isRequired,
            "qs is not there: Tests/Servers/form-parser.sh install, and its env")
    )
    struct FormParserTests {
        @Test func isThereWhereItHasTo() throws {
            _ = try #require(FormParser.current)
        }

        private struct Sample {
            let form: String
            let expected: ParsedForm
        }

        /// Indexed brackets can represent every structure.
        @Test func indexedBrackets() async throws {
            try await compare(style: .init(hasOddKeys: false)) { object in
                let plain = URLEncodedFormEncoder(arrayEncoding: .indexInBrackets)
                let other = URLEncodedFormEncoder(
                    arrayEncoding: .indexInBrackets, boolEncoding: .literal, nilEncoding: .null, spaceEncoding: .plusReplaced)
                let encoding = URLEncoding(destination: .httpBody, arrayEncoding: .indexInBrackets)
                return [
                    Sample(form: try plain.encode(object), expected: expected(object)),
                    Sample(form: try form(of: object, encoding), expected: expected(object)),
                    Sample(form: try other.encode(object), expected: expected(object, yes: "true", no: "false", null: "null")),
                ]
            }
        }

        /// Empty brackets cannot tell where an array element ends if it has parts itself.
        @Test func emptyBrackets() async throws {
            try await compare(style: .init(hasOddKeys: false, nestsInArrays: false)) { object in
                [
                    Sample(form: try URLEncodedFormEncoder().encode(object), expected: expected(object)),
                    Sample(form: try form(of: object, .httpBody), expected: expected(object)),
                ]
            }
        }

        private func form(of object: [String: RandomTree], _ encoding: URLEncoding) throws -> String {
            try #require(try encoding.encode(URLRequest.test(.post), with: object.mapValues(\.plain)).bodyText)
        }

        private func expected(_ object: [String: RandomTree], yes: String = "1", no: String = "0", null: String? = nil) -> ParsedForm {
            ParsedForm(.object(object), yes: yes, no: no, null: null) ?? .object([:])
        }

        private func compare(style: RandomTree.Style, _ samples: ([String: RandomTree]) throws -> [Sample]) async throws {
            let parser = try #require(FormParser.current)
            let seed = ProcessInfo.processInfo.environment["FIREWHEEL_FORM_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)
            print("FormParserTests: FIREWHEEL_FORM_SEED=\(seed)")
            var generator = SeededGenerator(state: seed)
            var all: [Sample] = []
            var (objects, longest) = (0, 0)
            // More than the minimum if the random ones were all small.
            while objects < 2_000 || longest <= 1_000 && objects < 10_000 {
                let more = try samples(style.object(&generator))
                objects += 1
                longest = max(longest, more.map(\.form.utf8.count).max() ?? 0)
                all += more
            }
            let parsed = try await parser.parse(all.map(\.form))
            try #require(parsed.count == all.count)
            let wrong = zip(all, parsed).filter { $0.expected != $1 }
            if let (sample, parsed) = wrong.first {
                Issue.record("\(wrong.count) of \(all.count) forms, seed \(seed): \(sample.form) is \(parsed), not \(sample.expected)")
            }
            // At least one set is not trivial.
            #expect(longest > 1_000)
            #expect(all.filter { $0.form.isEmpty }.count < all.count / 2)
        }
    }
#endif
