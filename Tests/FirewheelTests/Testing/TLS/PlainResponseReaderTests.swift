#if os(Linux)
    import Testing

    @testable import Firewheel

    @Suite("The HTTP/2 server's reader of plain responses")
    struct PlainResponseReaderTests {
        private static let responses = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.1 200 OK\n\nhello",
        ]

        @Test("A response is read wherever it is cut", arguments: responses)
        func cuts(text: String) throws {
            let whole = try Self.read([Array(text.utf8)[...]])
            #expect(whole.contains("body hello") && whole.hasSuffix("end "))
            let bytes = Array(text.utf8)
            for cut in 0...bytes.count { #expect(try Self.read([bytes[..<cut], bytes[cut...]]) == whole) }
            #expect(try Self.read(bytes.indices.map { bytes[$0...$0] }) == whole)
        }

        @Test(
            "What ends early, or is not HTTP, is broken",
            arguments: ["", "HTTP/1.1 200 OK\r\n", "junk\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"])
        func broken(text: String) {
            #expect(throws: PlainResponseReader.Broken.self) { try Self.read([Array(text.utf8)[...]]) }
        }

        /// One text of all parts; pieces of a body are joined.
        private static func read(_ pieces: [ArraySlice<UInt8>]) throws -> String {
            var reader = PlainResponseReader(isHead: false)
            var parts: [PlainResponseReader.Part] = []
            for piece in pieces { parts += piece.withUnsafeBytes { reader.take($0) } }
            parts += try reader.end()
            var (text, body) = ("", [UInt8]())
            for part in parts {
                switch part {
                case .head(let status, let fields, _, _): text += "head \(status) \(fields.map(\.name)) "
                case .body(let bytes): body += bytes
                case .end: text += "body \(String(decoding: body, as: UTF8.self)) end "
                }
            }
            return text
        }
    }
#endif
