#if swift(>=6.0)
    // In one of the two folders is enough.
    import FirewheelClassic
    import Testing

    /// The tables of `Documentation/Migration` name tests, which have to exist.
    @Suite("Pages about moving from other libraries")
    struct MigrationPagesTests {
        static let repository = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        static let pages: [URL] = {
            let folder = repository.appendingPathComponent("Documentation/Migration")
            let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            return files.filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
        }()

        @Test(
            "Each row of a migration page names tests that exist, is planned, or says why there is nothing", .enabled(if: !pages.isEmpty),
            arguments: pages)
        func rows(page: URL) throws {
            let tests = try Self.testFiles()
            var rows = 0
            for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") where line.hasPrefix("| ") {
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard let last = cells.last, last != "test", last.contains(where: { $0 != "-" }) else { continue }
                rows += 1
                if last == "planned" || last.hasPrefix("none: ") && last.count > "none: ".count { continue }
                let names = last.components(separatedBy: "`").filter { $0.contains("/") }
                #expect(!names.isEmpty, "No test in \(page.lastPathComponent): \(line)")
                for name in names {
                    let parts = name.split(separator: "/").map(String.init)
                    let texts = try (tests[parts[0]] ?? []).map { try String(contentsOf: $0, encoding: .utf8) }
                    #expect(
                        texts.contains { $0.contains("func \(parts.last ?? "")(") }, "\(name) in \(page.lastPathComponent) is no test")
                }
            }
            #expect(rows > 20)
        }

        /// The files of each suite, which has the file's name up to a `+`.
        private static func testFiles() throws -> [String: [URL]] {
            let folder = repository.appendingPathComponent("Tests")
            var files: [String: [URL]] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
                let url = folder.appendingPathComponent(path)
                let suite = url.deletingPathExtension().lastPathComponent.components(separatedBy: "+")[0]
                files[suite, default: []].append(url)
            }
            return files
        }
    }
#endif
