import Foundation

// The rules for streams of text written as plainly as possible, on the whole stream, to compare the library with. The fuzz targets use it
// too.

/// The bytes without a byte order mark.
func withoutByteOrderMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
}

/// The lines of a stream, which end with LF, CRLF or CR.
struct ReferenceLines {
    var complete: [[UInt8]] = []
    /// The last line, if it has no end.
    var last: [UInt8] = []

    init(_ stream: [UInt8]) {
        var before: UInt8?
        for byte in withoutByteOrderMark(stream) {
            switch (before, byte) {
            case (UInt8(ascii: "\r"), UInt8(ascii: "\n")): break
            case (_, UInt8(ascii: "\r")), (_, UInt8(ascii: "\n")):
                complete.append(last)
                last = []
            default: last.append(byte)
            }
            before = byte
        }
    }
}

/// An event of the reference.
struct ReferenceEvent: Equatable {
    var id: String?
    var event: String?
    var data: String
    var retryMilliseconds: Int?
}

/// The events of a stream by the HTML standard, section 9.2.6.
struct ReferenceEvents {
    var events: [ReferenceEvent] = []
    var lastEventID = ""
    var retryMilliseconds: Int?

    init(_ stream: [UInt8], lastEventID: String = "") {
        self.lastEventID = lastEventID
        var (data, name, id) = ("", "", lastEventID)
        var retry: Int?
        for bytes in ReferenceLines(stream).complete {
            let line = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
            if line.isEmpty {
                self.lastEventID = id
                if !data.isEmpty {
                    let text = String(data.unicodeScalars.dropLast())
                    events.append(
                        ReferenceEvent(id: id.isEmpty ? nil : id, event: name.isEmpty ? nil : name, data: text, retryMilliseconds: retry))
                }
                (data, name, retry) = ("", "", nil)
                continue
            }
            let colon = line.firstIndex(of: ":") ?? line.count
            var value = line.dropFirst(colon + 1)
            if value.first == " " { value = value.dropFirst() }
            let text = String(String.UnicodeScalarView(value))
            switch String(String.UnicodeScalarView(line[..<colon])) {
            case "data": data += text + "\n"
            case "event": name = text
            case "id": if !value.contains("\0") { id = text }
            case "retry":
                guard !value.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }) else { break }
                retry = min(Int(text) ?? .max, 86_400_000)
                retryMilliseconds = retry
            default: break
            }
        }
    }
}
