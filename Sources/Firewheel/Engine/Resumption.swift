import Foundation

/// A partial file that the next exchange of a download goes on with.
struct Resumption: Sendable {
    /// What is known of the file.
    var data: ResumeData
    /// The sink that has the file open, or opens it.
    let sink: FileSink
    /// Whether the file has been opened.
    var isOpen: Bool
    /// Whether the server is asked for the whole file: its answer to a range was of no use, or what there is cannot be trusted.
    var asksForAll: Bool

    init(data: ResumeData, sink: FileSink, isOpen: Bool) {
        self.data = data
        self.sink = sink
        self.isOpen = isOpen
        asksForAll = data.isFromOtherBoot
    }

    /// The request is for a URL. A modification date says nothing about the file of another one: the parts of a split archive have the
    /// same.
    mutating func willRequest(_ url: TargetURI) {
        if case .lastModified? = data.validator, url.string != data.url.string { asksForAll = true }
    }

    /// The file of a download that the caller goes on with; nil for others, and if its data is invalid, which the request reports when it
    /// is built.
    init?(of source: RequestSource, in folder: URL?) {
        guard case .resumption(let encoded, _, _, _) = source, let data = try? ResumeData(encoded) else { return nil }
        self.init(data: data, sink: FileSink(in: folder, .resumed(data.partial, count: data.count)), isOpen: false)
    }
}

extension Resumption {
    /// Judges the final response. An answer to a range is none if the whole file was asked for.
    ///
    /// - Parameter source: The URL that it comes from.
    func judge(_ head: ResponseHead, from source: TargetURI) -> ResumeVerdict {
        var data = data
        if asksForAll { data.validator = nil }
        let verdict = data.judge(head)
        if case .append = verdict, !data.mayComeFrom(source) { return .askForAll }
        return verdict
    }
}

extension HopRequest {
    /// The request for the rest of a file.
    func resuming(_ resumption: Resumption) -> HopRequest {
        guard !resumption.asksForAll, resumption.data.rangeStart != nil else { return self }
        return replacing(headers: headers.merging(HTTPHeaders(resumption.data.fields(isDecoded: decodesContent))))
    }

    /// The same request for the whole file.
    func withoutRange() -> HopRequest {
        var headers = headers
        headers.remove(name: "Range")
        headers.remove(name: "If-Range")
        return replacing(headers: headers)
    }
}
