import Foundation

/// Changes a request after its URL, method and headers are set and before its parameters are encoded. If it throws, the request fails with
/// its error.
///
/// On Linux `URLRequest.setValue(_:forHTTPHeaderField:)` and `addValue` silently drop a value with a line break, which Firewheel then
/// cannot report. Values set through `headers` are checked: such a value is `invalidHeader`, and nothing is sent.
public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void

/// The caller's input for building a request.
enum RequestSource: Sendable {
    /// A URL with options. `encode` adds the parameters; nil without parameters.
    case url(
        any URLConvertible, method: HTTPMethod, headers: HTTPHeaders?, encode: (@Sendable (URLRequest) throws -> URLRequest)?,
        modifier: RequestModifier?)
    /// A value that creates the whole `URLRequest`.
    case convertible(any URLRequestConvertible)
    /// A request, and the body that an upload sends with it.
    indirect case upload(RequestSource, UploadSource)

    /// A download to go on with, from another URL than before if there is one.
    case resumption(Data, url: (any URLConvertible)?, headers: HTTPHeaders?, modifier: RequestModifier?)

    /// What an upload sends; nil for other requests.
    var uploaded: UploadSource? {
        if case .upload(_, let body) = self { return body }
        return nil
    }

    /// Whose code runs when the request is built. The library's is fast enough for the caller's thread.
    var owner: CodeOwner {
        switch self {
        case .url(let url, _, _, nil, nil): type(of: url) == String.self || type(of: url) == URL.self ? .library : .caller
        case .url: .caller
        case .convertible(let convertible): type(of: convertible) == URLRequest.self ? .library : .caller
        case .upload(let request, .data): request.owner
        // Files are opened, and streams of a form read, which may block.
        case .upload: .caller
        case .resumption(_, nil, _, nil): .library
        case .resumption(_, let url?, _, nil): type(of: url) == String.self || type(of: url) == URL.self ? .library : .caller
        case .resumption: .caller
        }
    }
}
