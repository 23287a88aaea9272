#if swift(>=6.0)
    // In one of the two folders is enough.
    import FirewheelClassic
    import Testing

    /// The tables of `Documentation/Migration` name tests, which have to exist. Two of the pages show tasks, as code before and now.
    @Suite("Pages about moving from other libraries")
    struct MigrationPagesTests {
        static let repository = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// The pages whose tasks `.ci/documentation` compiles. It finds the code by the same headings as `tasks`.
        static let pagesOfTasks = ["AsyncHTTPClient.md", "URLSession.md"]

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
            // The table of symbols is compared with the code by Tests/Alamofire/symbols.py.
            let text = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## Every public symbol\n")[0]
            for line in text.components(separatedBy: "\n") where line.hasPrefix("| ") {
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
            #expect(rows > (Self.pagesOfTasks.contains(page.lastPathComponent) ? 0 : 20))
        }

        @Test(
            "A page of tasks has twelve, each with the code before and the code now",
            .enabled(if: !pages.isEmpty), arguments: pagesOfTasks)
        func tasks(name: String) throws {
            let page = try #require(Self.pages.first { $0.lastPathComponent == name })
            let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
                .filter { $0.first?.isNumber == true }
            #expect(sections.count == 12)
            for (number, section) in zip(1..., sections) {
                #expect(section.hasPrefix("\(number). "))
                let code = section.components(separatedBy: "```swift\n")
                #expect(code.count == 3, "One block before and one now: \(section)")
                #expect(code.first?.hasSuffix("\n\n**Before**\n\n") == true, "\(section)")
                #expect(code.dropFirst().first?.hasSuffix("\n```\n\n**Now**\n\n") == true, "\(section)")
            }
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
