#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    /// Every failure has the kind and the code that `Documentation/Errors.md` says, and the document says every failure.
    @Suite("Errors.md", .timeLimit(.minutes(5)))
    struct ErrorTableTests {
        /// What the document says of a failure.
        private struct Row: Equatable {
            let kind: String
            let code: Int?
        }

        /// The rows of all tables with three columns, by what happened.
        private static func document() throws -> [String: Row] {
            var rows: [String: Row] = [:]
            for line in try text("Documentation/Errors.md").split(separator: "\n") where line.hasPrefix("| ") {
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
                guard cells.count == 3, cells[0] != "What happened", !cells[0].hasPrefix("---") else { continue }
                #expect(rows[cells[0]] == nil, "\(cells[0]) is there twice")
                rows[cells[0]] = Row(kind: cells[1], code: cells[2].split(separator: " ").first.flatMap { Int($0) })
            }
            return rows
        }

        private static func text(_ path: String) throws -> String {
            let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }

        /// A kind as it is written in Swift.
        private static func spelling(_ kind: FirewheelError.Kind) -> String {
            if case .transportFailed(let code) = kind { return "transportFailed(.\(names[code] ?? "\(code.rawValue)"))" }
            // What a reason holds is this test's affair.
            let text = "\(kind)".replacing("Firewheel.FirewheelError.", with: "")
            guard let open = text.firstIndex(of: "(") else { return text }
            let reason = text[open...].drop { $0 != "." }.prefix { $0 != "(" && $0 != ")" }
            return text[..<open] + "(\(reason))"
        }

        private static let names: [URLError.Code: String] = [
            .cannotFindHost: "cannotFindHost", .cannotConnectToHost: "cannotConnectToHost", .timedOut: "timedOut",
            .networkConnectionLost: "networkConnectionLost", .cannotParseResponse: "cannotParseResponse",
            .cannotDecodeRawData: "cannotDecodeRawData", .cannotDecodeContentData: "cannotDecodeContentData",
            .httpTooManyRedirects: "httpTooManyRedirects", .redirectToNonExistentLocation: "redirectToNonExistentLocation",
            .appTransportSecurityRequiresSecureConnection: "appTransportSecurityRequiresSecureConnection",
            .unsupportedURL: "unsupportedURL", .secureConnectionFailed: "secureConnectionFailed",
            .serverCertificateHasBadDate: "serverCertificateHasBadDate", .serverCertificateNotYetValid: "serverCertificateNotYetValid",
            .serverCertificateHasUnknownRoot: "serverCertificateHasUnknownRoot", .serverCertificateUntrusted: "serverCertificateUntrusted",
        ]

        private func check(_ failure: Failure) async throws {
            let thrown = try await failure.happen()
            let error = try #require(thrown?.asFirewheelError, "it was no error: \(String(describing: thrown))")
            let row = try #require(try Self.document()[failure.name], "it is not in the document")
            #expect(Row(kind: Self.spelling(error.kind), code: error.urlErrorCode?.rawValue) == row, "\(error)")
        }

        @Test("The document and the tests speak of the same failures")
        func complete() throws {
            let tested = (ErrorTable.everywhere + ErrorTable.onSockets + ServedErrorTable.rows).map(\.name)
            #expect(Set(tested).count == tested.count)
            let documented = Set(try Self.document().keys)
            #expect(documented.subtracting(tested).sorted() == [])
            #expect(Set(tested).subtracting(documented).sorted() == [])
        }

        /// So that a new one is not forgotten.
        @Test("Every kind and every reason is in the document")
        func kinds() throws {
            let source = try Self.text("Sources/Firewheel/Errors/FirewheelError+Kind.swift")
            let document = try Self.text("Documentation/Errors.md")
            let cases = source.split(separator: "\n").compactMap { line in
                line.firstMatch(of: /^ +case ([a-zA-Z]+)/).map { String($0.1) }
            }
            #expect(cases.count > 20)
            #expect(cases.filter { document.firstRange(of: $0) == nil } == [])
        }

        @Test("Requests, responses and what their program does", arguments: ErrorTable.everywhere)
        func everywhere(failure: Failure) async throws { try await check(failure) }

        @Test("Servers and connections", arguments: ErrorTable.onSockets)
        func onSockets(failure: Failure) async throws { try await check(failure) }

        @Test(
            "Certificates, and HTTP/2",
            .enabled(if: ServedErrorTable.isThere || ServedErrorTable.isRequired, "nginx is not running: Tests/Servers/nginx.sh start"),
            arguments: ServedErrorTable.rows)
        func served(failure: Failure) async throws { try await check(failure) }
    }
#endif
