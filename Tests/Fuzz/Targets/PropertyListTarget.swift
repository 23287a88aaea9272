import Foundation

/// A property list is an error or a value, and the limits of what it may stand for hold also for `PropertyListDecoder`.
func fuzzPropertyList(_ input: [UInt8]) {
    let data = Data(input)
    let options: [PropertyListSerialization.ReadOptions] = [[], .mutableContainers, .mutableContainersAndLeaves]
    guard let list = try? PropertyListBody.object(data, options: options[input.count % options.count]) else { return }
    let size = size(of: list, levels: 520)
    check(size <= 64 << 20 + 128 * input.count, "the value has the size \(size)")
    _ = try? PropertyListDecoder().decodeChecked(AnyPropertyList.self, from: data)
}

/// What `BinaryPropertyList` measures, of the values that were read.
private func size(of value: Any, levels: Int) -> Int {
    check(levels > 0, "the value is deeper than Foundation's limit")
    switch value {
    case let members as [AnyHashable: Any]:
        return members.reduce(64) { $0 + size(of: $1.key.base, levels: levels - 1) + size(of: $1.value, levels: levels - 1) }
    case let elements as [Any]: return elements.reduce(64) { $0 + size(of: $1, levels: levels - 1) }
    case let text as String: return 64 + text.utf16.count
    case let bytes as Data: return 64 + bytes.count
    default: return 64
    }
}

/// Decodes whatever is there, by every method of the containers.
private struct AnyPropertyList: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            for key in members.allKeys { _ = try members.decode(AnyPropertyList.self, forKey: key) }
        } else if var elements = try? decoder.unkeyedContainer() {
            while !elements.isAtEnd { _ = try elements.decode(AnyPropertyList.self) }
        } else {
            let value = try decoder.singleValueContainer()
            _ = (try? value.decode(Int.self), try? value.decode(Double.self), try? value.decode(UInt8.self), try? value.decode(Bool.self))
            _ = (try? value.decode(String.self), try? value.decode(Date.self), try? value.decode(Data.self), value.decodeNil())
        }
    }
}
