import Foundation

/// A form's parts as stretches of bytes, with the boundaries between them.
struct MultipartContent: Sendable {
    enum Stretch: Sendable {
        case bytes(Data)
        case file(URL, length: Int64)
        case stream(StreamSource, length: Int64)
    }

    private(set) var stretches: [Stretch] = []
    let length: Int64
    /// Whether the parts can be read more than once.
    let isRepeatable: Bool

    init(_ parts: [MultipartPart], boundary: String) {
        let end = MultipartPart.end(boundary)
        // The sum is that of a form, which allows no part with which it would overflow.
        length = parts.reduce(Int64(end.count)) { $0 &+ $1.length }
        isRepeatable = parts.allSatisfy { part in
            if case .stream = part.content { false } else { true }
        }
        var joined = Data()
        for part in parts {
            append(part.head, to: &joined)
            switch part.content {
            case .data(let data): append(data, to: &joined)
            case .file(let url, let length): append(.file(url, length: length), behind: &joined)
            case .stream(let stream, let length): append(.stream(stream, length: length), behind: &joined)
            }
            append(MultipartPart.tail, to: &joined)
        }
        append(end, to: &joined)
        stretches.append(.bytes(joined))
    }

    /// The most bytes that are copied into one stretch, so that a form of many small parts is sent in few pieces.
    private static let mostJoined = 65_536

    private mutating func append(_ data: Data, to joined: inout Data) {
        if data.count > Self.mostJoined {
            append(.bytes(data), behind: &joined)
        } else {
            joined += data
            if joined.count > Self.mostJoined { append(nil, behind: &joined) }
        }
    }

    private mutating func append(_ stretch: Stretch?, behind joined: inout Data) {
        stretches.append(.bytes(joined))
        joined = Data()
        if let stretch { stretches.append(stretch) }
    }
}

/// The bytes of a form.
final class MultipartPieces: BlockingPieces {
    private let stretches: [MultipartContent.Stretch]
    private var index = 0
    /// The bytes of the current stretch that were given, if it is in memory.
    private var offset = 0
    /// The reader of the current stretch, if it is not in memory.
    private var pieces: (any BlockingPieces)?

    init(_ content: MultipartContent) {
        stretches = content.stretches
    }

    func next(upTo count: Int) throws(FirewheelError) -> Data? {
        while index < stretches.count {
            if let piece = try piece(of: stretches[index], upTo: count) { return piece }
            index += 1
            offset = 0
            pieces = nil
        }
        return nil
    }

    private func piece(of stretch: MultipartContent.Stretch, upTo count: Int) throws(FirewheelError) -> Data? {
        switch stretch {
        case .bytes(let data):
            let piece = data.dropFirst(offset).prefix(count)
            offset += piece.count
            return piece.isEmpty ? nil : piece
        case .file(let url, let length):
            do throws(FirewheelError) {
                return try opened { FilePieces(url, offset: 0, length: length, isWhole: true) }.next(upTo: count)
            } catch {
                throw .ofPart(from: url, error)
            }
        case .stream(let source, let length):
            do throws(FirewheelError) {
                return try opened { () throws(FirewheelError) in
                    guard let stream = source.take() else { throw FirewheelError(.uploadBodyFailed(.notRepeatable)) }
                    return StreamPieces(stream, length: length)
                }.next(upTo: count)
            } catch {
                throw .ofStreamPart(error, length: length)
            }
        }
    }

    private func opened(_ make: () throws(FirewheelError) -> any BlockingPieces) throws(FirewheelError) -> any BlockingPieces {
        if let pieces { return pieces }
        let made = try make()
        pieces = made
        return made
    }
}

/// A form as the body of an upload, read from its parts while it is sent.
final class MultipartBody: UploadBody {
    let length: Int64?
    let isRepeatable: Bool

    private let content: MultipartContent
    private let trailers: HTTPHeaders
    private let record = UploadRecord()

    /// - Parameter trailers: The trailer fields that follow the body. Default: none.
    init(_ content: MultipartContent, trailers: HTTPHeaders = [:]) {
        self.content = content
        self.trailers = trailers
        length = content.length
        isRepeatable = content.isRepeatable
    }

    var failure: FirewheelError? { record.failure }
    var isUsed: Bool { record.isUsed }

    func makeReader() -> any BodyReader {
        let (onFailure, isFirst) = record.addReader()
        guard isFirst || isRepeatable else { return UsedBodyReader(onFailure: onFailure) }
        return BlockingBodyReader(MultipartPieces(content), trailers: trailers, onFailure: onFailure)
    }
}
