#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    /// Every failure has the kind, the code and the text in `Documentation/Errors.md`, and the document lists every failure.
    @Suite("Errors.md", .timeLimit(.minutes(5)))
    struct ErrorTableTests {
        /// A failure's row in the document.
        private struct Row: Equatable {
            let kind: String
            let code: Int?
        }

        private struct Entry {
            let row: Row
            /// The error's text.
            let text: String
        }

        /// The rows of all tables with four columns, by what happened.
        private static func document() throws -> [String: Entry] {
            var rows: [String: Entry] = [:]
            for line in try text("Documentation/Errors.md").split(separator: "\n") where line.hasPrefix("| ") {
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
                guard cells.count == 4, cells[0] != "What happened", !cells[0].hasPrefix("---") else { continue }
                #expect(rows[cells[0]] == nil, "\(cells[0]) is there twice")
                rows[cells[0]] = Entry(
                    row: Row(kind: cells[1], code: cells[2].split(separator: " ").first.flatMap { Int($0) }), text: cells[3])
            }
            return rows
        }

        /// Whether a text matches the document's, in which `…` stands for a request and words in capitals for variable parts.
        private static func fits(_ text: String, _ documented: String) throws -> Bool {
            let pattern = NSRegularExpression.escapedPattern(for: documented)
                .replacingOccurrences(of: "^…: ", with: "[A-Z ]+ (http|ws)s?://[^ ]+: ", options: .regularExpression)
                .replacingOccurrences(
                    of: #"\b(HOST|PORT|FILE|FOLDER|CODE)\b"#, with: #"[^\\s"]+"#, options: .regularExpression
                )
                .replacingOccurrences(of: #"\bSECONDS\b"#, with: #"[0-9]+\\.[0-9]"#, options: .regularExpression)
                .replacingOccurrences(of: #"\b(LIMIT|REASONS?)\b"#, with: ".+", options: .regularExpression)
            return text.range(of: "^\(pattern)$", options: .regularExpression) != nil
        }

        private static func text(_ path: String) throws -> String {
            let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }

        /// A kind as it is written in Swift.
        private static func spelling(_ kind: FirewheelError.Kind) -> String {
            if case .transportFailed(let code) = kind { return "transportFailed(.\(names[code] ?? "\(code.rawValue)"))" }
            // The document names only a reason's case, without its associated values.
            let text = "\(kind)".replacing("Firewheel.FirewheelError.", with: "")
            guard let open = text.firstIndex(of: "(") else { return text }
            let reason = text[open...].drop { $0 != "." }.prefix { $0 != "(" && $0 != ")" }
            return text[..<open] + (reason.isEmpty ? "" : "(\(reason))")
        }

        private static let names: [URLError.Code: String] = [
            .notConnectedToInternet: "notConnectedToInternet", .cannotFindHost: "cannotFindHost",
            .cannotConnectToHost: "cannotConnectToHost", .timedOut: "timedOut",
            .networkConnectionLost: "networkConnectionLost", .cannotParseResponse: "cannotParseResponse",
            .cannotDecodeRawData: "cannotDecodeRawData", .cannotDecodeContentData: "cannotDecodeContentData",
            .httpTooManyRedirects: "httpTooManyRedirects", .redirectToNonExistentLocation: "redirectToNonExistentLocation",
            .appTransportSecurityRequiresSecureConnection: "appTransportSecurityRequiresSecureConnection",
            .unsupportedURL: "unsupportedURL", .secureConnectionFailed: "secureConnectionFailed",
            .serverCertificateHasBadDate: "serverCertificateHasBadDate", .serverCertificateNotYetValid: "serverCertificateNotYetValid",
            .serverCertificateHasUnknownRoot: "serverCertificateHasUnknownRoot", .serverCertificateUntrusted: "serverCertificateUntrusted",
            .clientCertificateRequired: "clientCertificateRequired", .clientCertificateRejected: "clientCertificateRejected",
            .requestBodyStreamExhausted: "requestBodyStreamExhausted", .resourceUnavailable: "resourceUnavailable",
            .badServerResponse: "badServerResponse", .userAuthenticationRequired: "userAuthenticationRequired",
        ]

        private func check(_ failure: Failure) async throws {
            let entry = try #require(try Self.document()[failure.name], "it is not in the document")
            var thrown = try await failure.happen()
            // On a busy machine a short timeout may come in an earlier step than the documented one, or too late for it.
            for _ in 0..<5 where entry.text.contains("timed out") {
                if let error = thrown?.asFirewheelError, try Self.fits(error.description, entry.text) { break }
                thrown = try await failure.happen()
            }
            let error = try #require(thrown?.asFirewheelError, "it was no error: \(String(describing: thrown))")
            #expect(Row(kind: Self.spelling(error.kind), code: error.urlErrorCode?.rawValue) == entry.row, "\(error)")
            #expect(try Self.fits(error.description, entry.text), "\(error)")
            // The description has to be where users look for it.
            if case .transportFailed(let code) = error.kind { #expect((error.underlyingError as? URLError)?.code == code) }
            #expect(["Error Domain", "NSURLErrorDomain", "NSCocoaErrorDomain", "UserInfo"].allSatisfy { !error.description.contains($0) })
        }

        @Test("Errors.md and the tests list the same failures")
        func complete() throws {
            let tested =
                (ErrorTable.everywhere + ErrorTable.onSockets + ErrorTable.onSocketsAlone + ErrorTable.encrypted
                + ErrorTable.multiplexed + ErrorTable.proxied + ErrorTable.images).map(\.name)
            #expect(Set(tested).count == tested.count)
            let documented = Set(try Self.document().keys)
            #expect(documented.subtracting(tested).sorted() == [])
            #expect(Set(tested).subtracting(documented).sorted() == [])
        }

        /// So that a new one is not forgotten.
        @Test("Errors.md contains every kind and every reason")
        func kinds() throws {
            let source = try Self.text("Sources/Firewheel/Errors/FirewheelError+Kind.swift")
            let document = try Self.text("Documentation/Errors.md")
            let cases = source.split(separator: "\n").compactMap { line in
                line.firstMatch(of: /^ +case ([a-zA-Z]+)/).map { String($0.1) }
            }
            #expect(cases.count > 20)
            #expect(cases.filter { document.firstRange(of: $0) == nil } == [])
        }

        @Test("Failures of requests, responses and the program are reported as Errors.md says", arguments: ErrorTable.everywhere)
        func everywhere(failure: Failure) async throws { try await check(failure) }

        @Test("Failures of images are reported as Errors.md says", arguments: ErrorTable.images)
        func images(failure: Failure) async throws { try await check(failure) }

        @Test("Failures of servers and connections are reported as Errors.md says", .eachTransport, arguments: ErrorTable.onSockets)
        func onSockets(failure: Failure) async throws { try await check(failure) }

        @Test("Failures of proxies are reported as Errors.md says", arguments: ErrorTable.proxied)
        func proxied(failure: Failure) async throws { try await check(failure) }

        @Test("Failures that only SocketTransport reports are as Errors.md says", arguments: ErrorTable.onSocketsAlone)
        func onSocketsAlone(failure: Failure) async throws { try await check(failure) }

        @Test(
            "Failures of TLS on SocketTransport are as Errors.md says", .needsTLSServer, arguments: ErrorTable.encrypted)
        func encrypted(failure: Failure) async throws { try await check(failure) }

        @Test("Failures of HTTP/2 are reported as Errors.md says", .needsHTTP2Server, arguments: ErrorTable.multiplexed)
        func multiplexed(failure: Failure) async throws { try await check(failure) }
    }
#endif
