#if os(Linux)
    import Glibc

    /// Takes a plain server's HTTP/1.1 response apart, for a front that sends it on in another form. It believes what test servers say.
    struct PlainResponseReader {
        typealias Field = (name: String, value: [UInt8])

        enum Part {
            /// An interim response is not the end of the head.
            case head(status: Int, fields: [Field], isInterim: Bool, hasBody: Bool)
            case body([UInt8])
            case end(trailers: [Field])
        }

        /// What the bytes are not: a whole response.
        struct Broken: Error {}

        private enum State {
            case head
            case length(Int)
            case untilEnd
            case chunkSize
            case chunk(Int)
            case chunkEnd
            case trailers
            case done
        }

        /// Of lines that have not ended.
        private static let longestSection = 3 << 19

        private let isHead: Bool
        private var state = State.head
        private var rest: [UInt8] = []
        /// How much of it has been searched for the end of a section.
        private var searched = 0

        /// - Parameter isHead: Whether the request's method is HEAD.
        init(isHead: Bool) { self.isHead = isHead }

        /// Whether something came that is not HTTP. What came before it is good.
        private(set) var isBroken = false

        /// Takes in bytes and gives what is complete with them.
        mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Part] {
            guard !isBroken else { return [] }
            rest += bytes
            var parts: [Part] = []
            do {
                while let part = try next() {
                    if case .body(let bytes) = part, bytes.isEmpty { continue }
                    parts.append(part)
                }
                if rest.count > Self.longestSection { throw Broken() }
            } catch {
                isBroken = true
            }
            return parts
        }

        /// The connection has ended.
        mutating func end() throws -> [Part] {
            if isBroken { throw Broken() }
            switch state {
            case .untilEnd:
                state = .done
                return [.end(trailers: [])]
            case .done: return []
            default: throw Broken()
            }
        }

        /// nil where more bytes are needed. An empty body is a step without a part.
        private mutating func next() throws -> Part? {
            switch state {
            case .head: return try head()
            case .length(0):
                state = .done
                return .end(trailers: [])
            case .length(let count): return body(count) { .length(count - $0) }
            case .untilEnd: return body(.max) { _ in .untilEnd }
            case .chunkSize:
                guard let line = line() else { return nil }
                guard let size = Int(line.prefix { $0 != ";" }.filter { $0 != " " }, radix: 16), size >= 0 else { throw Broken() }
                state = size == 0 ? .trailers : .chunk(size)
                return .body([])
            case .chunk(let count): return body(count) { $0 == count ? .chunkEnd : .chunk(count - $0) }
            case .chunkEnd:
                guard let line = line() else { return nil }
                guard line.isEmpty else { throw Broken() }
                state = .chunkSize
                return .body([])
            case .trailers:
                // The last line of the section is empty, and may be its only one.
                guard let fields = try section(isOnlyFields: true)?.fields else { return nil }
                state = .done
                return .end(trailers: fields)
            case .done: return nil
            }
        }

        private mutating func body(_ most: Int, _ next: (Int) -> State) -> Part? {
            guard !rest.isEmpty else { return nil }
            let count = min(most, rest.count)
            defer { rest.removeFirst(count) }
            state = next(count)
            return .body(Array(rest[..<count]))
        }

        private mutating func head() throws -> Part? {
            guard let (first, fields) = try section(isOnlyFields: false) else { return nil }
            let words = first.split(separator: " ", maxSplits: 2)
            guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]), status >= 100 else { throw Broken() }
            if status < 200, status != 101 { return .head(status: status, fields: fields, isInterim: true, hasBody: false) }
            let coding = fields.last { $0.name == "transfer-encoding" }
            let length = fields.first { $0.name == "content-length" }.map { Int(String(decoding: $0.value, as: UTF8.self)) }
            if isHead || status == 204 || status == 304 {
                state = .length(0)
            } else if coding != nil {
                state = .chunkSize
            } else if let length {
                guard let length, length >= 0 else { throw Broken() }
                state = .length(length)
            } else {
                state = .untilEnd
            }
            var hasBody = true
            if case .length(0) = state { hasBody = false }
            return .head(status: status, fields: fields, isInterim: false, hasBody: hasBody)
        }

        private mutating func line() -> String? {
            guard let end = rest.firstIndex(of: 10) else { return nil }
            defer { rest.removeSubrange(...end) }
            return String(decoding: rest[..<end].filter { $0 != 13 }, as: UTF8.self)
        }

        /// Lines up to an empty one. Names come in lower case, without the space around values.
        private mutating func section(isOnlyFields: Bool) throws -> (first: String, fields: [Field])? {
            guard let end = sectionEnd() else { return nil }
            defer {
                rest.removeFirst(end)
                searched = 0
            }
            var lines = rest[..<end].split(separator: 10).map { $0.last == 13 ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
            if isOnlyFields { return ("", try lines.map(Self.field)) }
            guard !lines.isEmpty else { throw Broken() }
            let first = String(decoding: lines.removeFirst(), as: UTF8.self)
            return (first, try lines.map(Self.field))
        }

        /// The place behind the first empty line. What has been searched is not searched again, because a head may come in many pieces.
        private mutating func sectionEnd() -> Int? {
            let end = rest.withUnsafeBytes { bytes -> Int? in
                var start = searched
                while start < bytes.count, let base = bytes.baseAddress, let found = memchr(base + start, 10, bytes.count - start) {
                    let index = base.distance(to: UnsafeRawPointer(found))
                    let before = index > 0 && bytes[index - 1] == 13 ? index - 1 : index
                    if before == 0 || bytes[before - 1] == 10 { return index + 1 }
                    start = index + 1
                }
                return nil
            }
            searched = rest.count
            return end
        }

        private static func field(_ line: ArraySlice<UInt8>) throws -> Field {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw Broken() }
            var value = line[(colon + 1)...]
            while value.first == 32 || value.first == 9 { value.removeFirst() }
            while value.last == 32 || value.last == 9 { value.removeLast() }
            return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), Array(value))
        }
    }
#endif
