import Foundation

/// Bodies as property lists: XML, binary, or the text format of OpenStep.
enum PropertyListBody {
    /// The property list as `PropertyListSerialization` reads it, in time and memory that are proportional to the body.
    ///
    /// - Throws: A `DecodingError`, if the body could take more than that; Foundation's error, if it is not a property list.
    static func object(_ data: Data, options: PropertyListSerialization.ReadOptions) throws -> Any {
        try BinaryPropertyList.check(data)
        try PropertyListQuirk.check(data)
        return try PropertyListSerialization.propertyList(from: data, options: options, format: nil)
    }

    /// Checks a property list before `PropertyListDecoder`, which on Linux overflows the stack on deeply nested arrays and on binary ones
    /// that contain themselves.
    static func checkForDecoder(_ data: Data) throws {
        guard fits(try object(data, options: []), levels: maximumDepth) else {
            throw refusal("more than \(maximumDepth) nested arrays and dictionaries")
        }
    }

    /// Leaves enough of a 512 KiB stack for a type's own decoding.
    private static let maximumDepth = 256

    private static func fits(_ object: Any, levels: Int) -> Bool {
        switch object {
        case let elements as [Any]: levels > 0 && elements.allSatisfy { fits($0, levels: levels - 1) }
        case let members as [AnyHashable: Any]: levels > 0 && members.values.allSatisfy { fits($0, levels: levels - 1) }
        default: true
        }
    }

    /// The error of a body that is not read, for this reason.
    static func refusal(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
}
