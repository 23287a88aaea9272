import Foundation

/// Changes a request after its URL, method and headers are set and before its parameters are encoded. An error that it throws is the
/// request's.
///
/// On Linux `URLRequest.setValue(_:forHTTPHeaderField:)` and `addValue` drop a value with a line break without a word, so that nothing is
/// there for Firewheel to refuse. What is set through `headers` is checked: such a value is `invalidHeader`, and nothing is sent.
public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void

/// What the caller gave for a request to be built from.
enum RequestSource: Sendable {
    /// A URL and what goes with it. `encode` puts the parameters in; nil if there are none.
    case url(
        any URLConvertible, method: HTTPMethod, headers: HTTPHeaders?, encode: (@Sendable (URLRequest) throws -> URLRequest)?,
        modifier: RequestModifier?)
    /// Something that makes the whole `URLRequest`.
    case convertible(any URLRequestConvertible)

    /// Whose code building from it runs. The library's is little, so that it may be done on the caller's thread.
    var owner: CodeOwner {
        switch self {
        case .url(let url, _, _, nil, nil): type(of: url) == String.self || type(of: url) == URL.self ? .library : .caller
        case .url: .caller
        case .convertible(let convertible): type(of: convertible) == URLRequest.self ? .library : .caller
        }
    }
}
