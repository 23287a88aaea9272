import Foundation

/// The body of a stored response, or a part of it: in memory, or in a file that is read piece by piece.
enum CacheBody: Sendable {
    case data(Data)
    case file(CacheFile, Range<Int>)

    static let empty = CacheBody.data(Data())

    init(_ file: CacheFile) {
        self = .file(file, 0..<file.count)
    }

    var count: Int {
        switch self {
        case .data(let data): data.count
        case .file(_, let range): range.count
        }
    }

    /// The bytes of a range.
    ///
    /// - Throws: An error if they cannot be read as they were written. From memory, never.
    func read(_ range: Range<Int>) throws -> Data {
        switch self {
        case .data(let data): data.subdata(in: data.startIndex + range.lowerBound..<data.startIndex + range.upperBound)
        case .file(let file, let whole): try file.read(whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
        }
    }

    /// All bytes. See ``read(_:)`` for what it throws.
    func readAll() throws -> Data {
        if case .data(let data) = self { return data }
        return try read(0..<count)
    }

    /// A part, of which nothing is read yet.
    func part(_ range: Range<Int>) -> CacheBody {
        switch self {
        case .data(let data): .data(data.subdata(in: data.startIndex + range.lowerBound..<data.startIndex + range.upperBound))
        case .file(let file, let whole): .file(file, whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
        }
    }
}

/// The body of a response on its way to the cache.
enum CollectedBody: Sendable {
    case memory(Data)
    case disk(CacheBodyWriter)

    var count: Int {
        switch self {
        case .memory(let data): data.count
        case .disk(let writer): writer.count
        }
    }
}
