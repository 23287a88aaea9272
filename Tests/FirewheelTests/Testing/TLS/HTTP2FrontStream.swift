#if os(Linux)
    import Glibc

    @testable import FirewheelTesting

    /// One stream of an HTTP/2 connection, and the plain server's end of it.
    final class HTTP2FrontStream {
        typealias Field = PlainResponseReader.Field

        let id: Int32
        /// Below 0 until the request's head is complete.
        private(set) var plain: Int32 = -1

        // The request.
        private var fields: [Field] = []
        private var trailers: [Field] = []
        private var requestIsChunked = false
        private var headIsComplete = false
        private(set) var requestHasEnded = false
        /// What the plain server is still to get. The stream's window bounds it.
        private(set) var request: [UInt8] = []
        /// The body's bytes that came since the stream's window was opened last.
        private var unconsumed = 0
        /// The plain server takes no more, but may still have something to say.
        private(set) var plainIsDeaf = false

        // The response.
        private(set) var reader = PlainResponseReader(isHead: false)
        let body = FrontBuffer(capacity: 2 * 65_536)
        var responseTrailers: [Field] = []
        /// The plain server has no more to say.
        var responseHasEnded = false
        /// What it said was not whole.
        var isCutShort = false
        /// The response's end has been sent.
        var endWasSent = false

        init(_ id: Int32) { self.id = id }

        deinit { if plain >= 0 { close(plain) } }

        // MARK: - From the client

        func addField(_ name: String, _ value: [UInt8]) {
            if headIsComplete { trailers.append((name, value)) } else { fields.append((name, value)) }
        }

        /// The fields have come: the head's, or the trailers.
        func finishFields(hasEnded: Bool, connect: () -> Int32?) -> Bool {
            if !headIsComplete {
                headIsComplete = true
                writeHead(hasBody: !hasEnded)
                guard let descriptor = connect() else { return false }
                plain = descriptor
            }
            if hasEnded { finishBody() }
            return true
        }

        private func pseudoField(_ name: String) -> String {
            fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
        }

        private func writeHead(hasBody: Bool) {
            let method = pseudoField(":method")
            reader = PlainResponseReader(isHead: method == "HEAD")
            requestIsChunked = hasBody && !fields.contains { $0.name == "content-length" }
            var lines = [Array("\(method) \(pseudoField(":path")) HTTP/1.1".utf8), Array("host: \(pseudoField(":authority"))".utf8)]
            // Cookies may come one a field (RFC 9113 section 8.2.3).
            let cookies = fields.filter { $0.name == "cookie" }.map(\.value)
            lines += fields.filter { !$0.name.hasPrefix(":") && $0.name != "cookie" && $0.name != "host" }.map(Self.line)
            if !cookies.isEmpty { lines.append(Self.line(("cookie", Array(cookies.joined(separator: Array("; ".utf8)))))) }
            if requestIsChunked { lines.append(Array("transfer-encoding: chunked".utf8)) }
            request = Self.section(lines)
        }

        func addBody(_ bytes: UnsafeRawBufferPointer) {
            unconsumed += bytes.count
            guard !plainIsDeaf, !bytes.isEmpty else { return }
            if requestIsChunked { request += Array("\(String(bytes.count, radix: 16))\r\n".utf8) }
            request += bytes
            if requestIsChunked { request += [13, 10] }
        }

        func finishBody() {
            guard !requestHasEnded else { return }
            requestHasEnded = true
            guard requestIsChunked, !plainIsDeaf else { return }
            request += Array("0\r\n".utf8) + Self.section(trailers.map(Self.line))
        }

        private static func line(_ field: Field) -> [UInt8] { Array("\(field.name): ".utf8) + field.value }
        private static func section(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [13, 10] } + [13, 10] }

        // MARK: - The plain server

        /// Sends what it takes.
        ///
        /// - Returns: By how much the stream's window may open again.
        func sendToPlain() -> Int {
            while !request.isEmpty, !plainIsDeaf {
                let count = request.withUnsafeBytes { send(plain, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count > 0 {
                    request.removeFirst(count)
                } else if errno == EAGAIN {
                    return 0
                } else if errno != EINTR {
                    plainIsDeaf = true
                }
            }
            request = []
            defer { unconsumed = 0 }
            return unconsumed
        }

        var wantsToRead: Bool { plain >= 0 && !responseHasEnded && body.space >= 65_536 }

        /// - Returns: The parts of the response that have come; nil if there is nothing.
        func receiveFromPlain(_ buffer: UnsafeMutableRawBufferPointer) throws -> [PlainResponseReader.Part]? {
            let count = recv(plain, buffer.baseAddress, min(buffer.count, body.space), 0)
            if count > 0 { return reader.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            guard count == 0 else { throw PlainResponseReader.Broken() }
            return try reader.end()
        }
    }
#endif
