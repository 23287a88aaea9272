import Foundation

/// The caller's input for the body of an upload.
enum UploadSource: Sendable {
    case data(Data)
    case file(URL)
    /// A stream of bytes, with the trailer fields behind it.
    case stream(any UploadBody, trailers: HTTPHeaders)
    case form(any FormUpload)

    /// The request with what the body needs, before adapters see it.
    func added(to request: URLRequest) -> URLRequest {
        var request = request
        // A body of its own would be compressed or refused instead of the one that is sent.
        request.httpBodyStream = nil
        request.httpBody = nil
        switch self {
        case .data(let data): request.httpBody = data
        case .file: break
        case .stream(_, let trailers):
            // RFC 9110 section 6.6.2: the names tell the recipient which fields to expect.
            if !trailers.isEmpty, !request.headers.contains(name: "Trailer") {
                request.headers.add(name: "Trailer", value: trailers.map(\.name).joined(separator: ", "))
            }
        // The boundary must be that of the body.
        case .form(let form): request.headers.add(.contentType(form.contentType))
        }
        return request
    }

    /// The request that an adapter returned, with what the body needs. An adapter may return a new request, which has no body, instead of
    /// changing the one that it was given.
    func kept(in adapted: URLRequest, from given: URLRequest) -> URLRequest {
        // Foundation traps if a request without a URL is modified.
        guard adapted.url != nil else { return adapted }
        var adapted = adapted
        func keep(_ name: String) {
            guard let value = given.headers[name], !adapted.headers.contains(name: name) else { return }
            adapted.headers.add(name: name, value: value)
        }
        switch self {
        case .data:
            guard adapted.httpBody == nil, adapted.httpBodyStream == nil, let body = given.httpBody else { break }
            adapted.httpBody = body
            // An earlier adapter may have compressed it.
            keep("Content-Encoding")
        case .file: break
        case .stream: keep("Trailer")
        case .form: keep("Content-Type")
        }
        return adapted
    }

    /// The body to send; nil if it is that of the `URLRequest`, which adapters may have changed. Opens files, so it may block.
    ///
    /// - Throws: ``FirewheelError``.
    func open() throws -> BodySource? {
        switch self {
        case .data: nil
        case .file(let url): try .wholeFile(url)
        case .stream(let body, let trailers):
            if let problem = trailers.problem { throw problem } else { .stream(trailers.isEmpty ? body : ChunkedBody(body: body)) }
        case .form(let form): try form.body()
        }
    }

    /// The request has ended. Called on the transport's thread.
    func end() {
        if case .form(let form) = self { form.end() }
    }
}

/// A body that HTTP/1.1 sends in chunks although its length may be known, because only chunks have a place for trailer fields (RFC 9112
/// section 7.1.2).
private struct ChunkedBody: UploadBody {
    let body: any UploadBody

    var length: Int64? { nil }
    var isRepeatable: Bool { body.isRepeatable }
    var failure: FirewheelError? { body.failure }
    var isUsed: Bool { body.isUsed }

    func makeReader() -> any BodyReader { body.makeReader() }
}
