import Foundation

/// Both kinds of parameters give the same form, and a server reads the original keys and values from it.
func fuzzForm(_ input: [UInt8]) {
    var source = Source(input)
    let options = source.byte()
    let arrays: URLEncodedFormEncoder.ArrayEncoding = [.brackets, .noBrackets, .indexInBrackets][Int(options) % 3]
    let isPlus = options & 0x10 != 0
    let encoder = URLEncodedFormEncoder(arrayEncoding: arrays, spaceEncoding: isPlus ? .plusReplaced : .percentEscaped)
    var fields: [String: FormTree] = [:]
    while !source.isEmpty { fields[source.text()] = FormTree(&source, depth: 0) }
    guard let text: String = try? encoder.encode(fields) else { fatalError("a form that cannot be written") }
    check(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a form that is no ASCII")
    let read = pairs(in: text, isPlus: isPlus)
    let written = fields.sorted { $0.key < $1.key }.flatMap { $0.value.pairs(under: $0.key, arrays: arrays) }
    check(read == written, "\(written) is \(text)")
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.httpMethod = "POST"
    let other = try? URLEncoding(arrayEncoding: arrays).encode(request, with: fields.mapValues(\.plain)).httpBody
    if !isPlus { check(other.map { String(decoding: $0, as: UTF8.self) } == text, "the other face writes another form") }
}

/// Parses a form independently of the encoder.
private func pairs(in text: String, isPlus: Bool) -> [[String]] {
    text.isEmpty
        ? []
        : text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
            pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false).map { part in
                var output: [UInt8] = []
                var rest = part
                while let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                        output.append(value)
                        rest = rest.dropFirst(2)
                    } else {
                        output.append(byte == UInt8(ascii: "+") && isPlus ? UInt8(ascii: " ") : byte)
                    }
                }
                return String(decoding: output, as: UTF8.self)
            }
        }
}

private indirect enum FormTree: Encodable {
    case text(String)
    case number(Int)
    case bool(Bool)
    case array([FormTree])
    case object([String: FormTree])

    init(_ source: inout Source, depth: Int) {
        let kind = source.byte()
        let count = Int(source.byte() % 8)
        switch depth < 20 ? kind % 6 : kind % 3 {
        case 0: self = .text(source.text())
        case 1: self = .number(Int(truncatingIfNeeded: source.word()))
        case 2: self = .bool(count.isMultiple(of: 2))
        case 3, 4: self = .array((0..<count).map { _ in FormTree(&source, depth: depth + 1) })
        default:
            var fields: [String: FormTree] = [:]
            for _ in 0..<count where !source.isEmpty { fields[source.text()] = FormTree(&source, depth: depth + 1) }
            self = .object(fields)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    var plain: any Sendable {
        switch self {
        case .text(let value): value
        case .number(let value): value
        case .bool(let value): value
        case .array(let value): value.map(\.plain)
        case .object(let value): value.mapValues(\.plain)
        }
    }

    func pairs(under key: String, arrays: URLEncodedFormEncoder.ArrayEncoding) -> [[String]] {
        switch self {
        case .text(let value): return [[key, value]]
        case .number(let value): return [[key, "\(value)"]]
        case .bool(let value): return [[key, value ? "1" : "0"]]
        case .array(let elements):
            var index = 0
            return elements.flatMap { element in
                let name =
                    switch arrays {
                    case .brackets: key + "[]"
                    case .indexInBrackets: "\(key)[\(index)]"
                    default: key
                    }
                let pairs = element.pairs(under: name, arrays: arrays)
                index += pairs.isEmpty ? 0 : 1
                return pairs
            }
        case .object(let fields):
            return fields.sorted { $0.key < $1.key }.flatMap { $0.value.pairs(under: "\(key)[\($0.key)]", arrays: arrays) }
        }
    }
}
