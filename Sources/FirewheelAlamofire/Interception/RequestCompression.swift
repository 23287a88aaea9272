/// Compresses the bodies of requests with deflate, and sets their `Content-Encoding`.
///
/// Servers are not obliged to accept it. The `Data` of an upload is compressed as well, unlike in Alamofire. Files, streams and forms are
/// sent as they are; to compress these, too, while they are sent, use `AsyncInterceptor(.deflateCompressor)`. Requests with an empty body
/// or none are left unchanged.
public struct DeflateRequestCompressor: RequestInterceptor {
    /// What happens to a request that has a `Content-Encoding` already.
    public typealias DuplicateHeaderBehavior = Firewheel.DeflateRequestCompressor.DuplicateHeaderBehavior
    /// A request to be compressed has a `Content-Encoding` already: the `underlyingError` of `AFError.requestAdaptationFailed`.
    public typealias DuplicateHeaderError = Firewheel.DeflateRequestCompressor.DuplicateHeaderError

    private let base: Firewheel.DeflateRequestCompressor

    /// What happens to a request that has a `Content-Encoding` already.
    public var duplicateHeaderBehavior: DuplicateHeaderBehavior { base.duplicateHeaderBehavior }
    /// Decides whether to compress a body.
    public var shouldCompressBodyData: @Sendable (_ bodyData: Data) -> Bool { base.shouldCompressBodyData }

    /// Creates a compressor.
    ///
    /// - Parameters:
    ///   - duplicateHeaderBehavior: What happens to a request that has a `Content-Encoding` already. Default: `.error`.
    ///   - shouldCompressBodyData: Decides whether to compress a body, which is not empty. Default: every body.
    public init(
        duplicateHeaderBehavior: DuplicateHeaderBehavior = .error,
        shouldCompressBodyData: @escaping @Sendable (_ bodyData: Data) -> Bool = { _ in true }
    ) {
        base = Firewheel.DeflateRequestCompressor(
            duplicateHeaderBehavior: duplicateHeaderBehavior, shouldCompressBodyData: shouldCompressBodyData)
    }

    public func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        completion(Result { try base.adapt(urlRequest) })
    }
}

extension RequestAdapter where Self == DeflateRequestCompressor {
    /// A ``DeflateRequestCompressor`` with its defaults.
    public static var deflateCompressor: DeflateRequestCompressor { DeflateRequestCompressor() }

    /// A ``DeflateRequestCompressor``: see its initializer.
    public static func deflateCompressor(
        duplicateHeaderBehavior: DeflateRequestCompressor.DuplicateHeaderBehavior = .error,
        shouldCompressBodyData: @escaping @Sendable (_ bodyData: Data) -> Bool = { _ in true }
    ) -> DeflateRequestCompressor {
        DeflateRequestCompressor(duplicateHeaderBehavior: duplicateHeaderBehavior, shouldCompressBodyData: shouldCompressBodyData)
    }
}
