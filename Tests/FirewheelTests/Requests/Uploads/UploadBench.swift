import Firewheel
import FirewheelTesting
import Foundation

/// Bodies of every kind for uploads, and where they come from.
enum UploadKind: String, CaseIterable, Sendable {
    case data, file, stream, streamOfKnownLength, sequence, sequenceOfKnownLength

    /// Whether the body can be sent again.
    var isRepeatable: Bool { self == .data || self == .file }

    var hasLength: Bool { self != .stream && self != .sequence }

    func upload(_ body: Data, to url: String, in session: Session, folder: DownloadTests.Folder, method: HTTPMethod = .post) throws
        -> UploadRequest
    {
        let length = hasLength ? Int64(body.count) : nil
        switch self {
        case .data: return session.upload(body, to: url, method: method)
        case .file:
            let file = folder.file("body-\(UUID().uuidString)")
            try body.write(to: file)
            return session.upload(file, to: url, method: method)
        case .stream, .streamOfKnownLength:
            return session.upload(InputStream(data: body), length: length, to: url, method: method)
        case .sequence, .sequenceOfKnownLength:
            return session.upload(Self.pieces(of: body), length: length, to: url, method: method)
        }
    }

    /// Tries an upload whose body waits for the server's consent, and again if it was spoilt by a machine on which the server's answer took
    /// longer than the second for which a body waits at most.
    ///
    /// - Parameter work: Returns what is wrong; nil if nothing is.
    static func problem(_ work: () async throws -> String?) async throws -> String? {
        var problem: String?
        for _ in 0..<10 {
            let start = MonotonicInstant.now()
            problem = try await work()
            if problem == nil || MonotonicInstant.now().seconds(since: start) < 0.9 { return problem }
        }
        return problem
    }

    static func pieces(of body: Data, size: Int = 30_000) -> AsyncStream<Data> {
        AsyncStream { continuation in
            var rest = body[...]
            while !rest.isEmpty {
                continuation.yield(Data(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            continuation.finish()
        }
    }

    private static let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    static func pattern(_ count: Int) -> Data {
        var data = Data()
        // A prime, so that no two places of usual distances look the same.
        while data.count < count { data += period.prefix(count - data.count) }
        return data
    }
}

extension Error {
    var firewheel: FirewheelError? { self as? FirewheelError }
}
