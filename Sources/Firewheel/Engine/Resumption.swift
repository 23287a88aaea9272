import Foundation

/// A partial file that a download goes on with, or can.
///
/// A class, because most requests have none and should stay small.
final class Resumption: Sendable {
    /// What is known of the file.
    let data: ResumeData
    /// The sink that has the file open, or opens it.
    let sink: FileSink
    /// Whether the file has been opened.
    let isOpen: Bool
    /// Whether the whole file is asked for, because the server did not send the rest of this one.
    let asksForAll: Bool

    init(data: ResumeData, sink: FileSink, isOpen: Bool, asksForAll: Bool = false) {
        self.data = data
        self.sink = sink
        self.isOpen = isOpen
        self.asksForAll = asksForAll
    }

    /// Judges the final response to the request for the rest, or for all.
    func judge(_ head: ResponseHead) -> ResumeVerdict {
        guard asksForAll else { return data.judge(head) }
        var data = data
        data.validator = nil
        return data.judge(head)
    }

    /// The file of a download that the caller goes on with; nil for others, and if its data is invalid, which the request reports when it is
    /// built.
    convenience init?(of source: RequestSource, in folder: URL?) {
        guard case .resumption(let encoded, _, _) = source, let data = try? ResumeData(encoded) else { return nil }
        self.init(data: data, sink: FileSink(in: folder, .resumed(data.partial, count: data.count)), isOpen: false)
    }
}

extension HopRequest {
    /// The request for the rest of a file.
    func resuming(_ data: ResumeData) -> HopRequest {
        guard data.rangeStart != nil else { return self }
        return replacing(headers: headers.merging(HTTPHeaders(data.fields)))
    }

    /// The same request for the whole file.
    func withoutRange() -> HopRequest {
        var headers = headers
        headers.remove(name: "Range")
        headers.remove(name: "If-Range")
        return replacing(headers: headers)
    }
}
