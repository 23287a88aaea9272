import Foundation

/// The error for an invalid request, with the status and text of the response.
struct MalformedRequest: Error {
    var status = 400
    let reason: String

    init(_ reason: String, status: Int = 400) {
        self.reason = reason
        self.status = status
    }
}

/// A request's head, parsed as strictly as RFC 9112 allows, in order to find clients' mistakes.
struct RequestHead {
    enum Body: Equatable {
        case none
        case length(Int)
        case chunked
    }

    let method: String
    let target: String
    let httpVersion: String
    let data: Data
    let headerLines: [String]
    let headers: [(name: String, value: String)]
    let body: Body
    /// Whether the client keeps the connection (RFC 9112 §9.3).
    let keepsAlive: Bool
    /// Whether the client waits for a 100 before sending the body (RFC 9110 §10.1.1). Only in HTTP/1.1.
    let expectsContinue: Bool

    var isHTTP10: Bool { httpVersion == "HTTP/1.0" }

    /// - Parameters:
    ///   - lines: The request line and the header lines, without line breaks.
    ///   - data: The same as received.
    init(lines: [String], data: Data) throws {
        let parts = lines.first?.split(separator: " ", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty else { throw MalformedRequest("no request line") }
        guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { throw MalformedRequest("not HTTP/1", status: 505) }
        method = parts[0]
        target = parts[1]
        httpVersion = parts[2]
        self.data = data
        headerLines = Array(lines.dropFirst())

        var fields = KnownFields()
        headers = try headerLines.map { line in
            let field = try Self.field(line)
            fields.note(field)
            return field
        }
        body = try fields.body()
        let isHTTP11 = httpVersion == "HTTP/1.1"
        if isHTTP11, fields.hosts != 1 { throw MalformedRequest("\(fields.hosts) Host fields, not one") }
        keepsAlive = isHTTP11 ? !fields.connection.contains("close") : fields.connection.contains("keep-alive")
        expectsContinue = isHTTP11 && fields.expectsContinue
    }

    /// The request without its body.
    func record(connection: Int, sequence: Int) -> RecordedRequest {
        RecordedRequest(
            method: method, target: target, httpVersion: httpVersion, head: data, headerLines: headerLines, headers: headers,
            connectionNumber: connection, sequenceNumber: sequence)
    }

    // MARK: - Parts

    /// The fields that affect the server.
    private struct KnownFields {
        var hosts = 0
        var lengths: [String] = []
        var codings: [String] = []
        var connection: [String] = []
        var expectsContinue = false

        mutating func note(_ field: (name: String, value: String)) {
            // Comparing lengths first avoids most case conversions.
            switch field.name.utf8.count {
            case 4 where field.name.lowercased() == "host": hosts += 1
            case 6 where field.name.lowercased() == "expect": expectsContinue = field.value.lowercased() == "100-continue"
            case 10 where field.name.lowercased() == "connection": connection += list(field.value)
            case 14 where field.name.lowercased() == "content-length": lengths.append(field.value)
            case 17 where field.name.lowercased() == "transfer-encoding": codings += list(field.value)
            default: break
            }
        }

        /// RFC 9112 §6.3, without the recovery that it permits.
        func body() throws -> Body {
            if !codings.isEmpty {
                guard lengths.isEmpty else { throw MalformedRequest("both Transfer-Encoding and Content-Length") }
                guard codings == ["chunked"] else { throw MalformedRequest("transfer coding other than chunked", status: 501) }
                return .chunked
            }
            guard let text = lengths.first else { return .none }
            guard lengths.count == 1, text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text) else {
                throw MalformedRequest("bad Content-Length")
            }
            return length == 0 ? .none : .length(length)
        }

        private func list(_ value: String) -> [String] {
            value.lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func field(_ line: String) throws -> (name: String, value: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw MalformedRequest("a header line without a colon") }
        let name = String(line[..<colon])
        guard isToken(name) else { throw MalformedRequest("a field name that is no token") }
        let bytes = line.utf8[line.utf8.index(after: colon)...]
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) }) else {
            return (name, "")
        }
        guard bytes.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { throw MalformedRequest("a control character in a field value") }
        return (name, String(line[first...last]))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    /// RFC 9110 §5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 94...122, 124, 126, 33, 35...39, 42, 43, 45, 46: true
                default: false
                }
            }
    }
}
