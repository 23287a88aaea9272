import Foundation

/// Compresses the bodies of requests, and sets their `Content-Encoding` (RFC 9110 section 8.4).
///
/// ```swift
/// let session = Session(interceptor: .deflateCompressor)
/// HTTP.upload(file, to: url, interceptor: .deflateCompressor(coding: .gzip))
/// ```
/// Servers are not obliged to accept it: one that does not answers with 415 (RFC 9110 section 15.5.16).
///
/// Bodies from files and streams are compressed while they are sent, in little memory. Their compressed length is not known, so HTTP/1.1
/// sends them in chunks. Bytes of a slow stream may be held back until more come or the stream ends. Requests with an empty body or none
/// are left unchanged.
public struct DeflateRequestCompressor: RequestInterceptor {
    /// How bodies are compressed.
    public enum Coding: String, Sendable, CaseIterable {
        /// The zlib format (RFC 1950), which RFC 9110 section 8.4.1.2 calls deflate.
        case deflate
        /// gzip (RFC 1952).
        case gzip
    }

    /// What happens to a request that has a `Content-Encoding` already.
    public enum DuplicateHeaderBehavior: Sendable {
        /// The request fails with a ``DuplicateHeaderError``.
        case error
        /// The body is compressed, and the field gets the new value.
        case replace
        /// The request is left unchanged.
        case skip
    }

    /// A request to be compressed has a `Content-Encoding` already: the `underlyingError` of `requestAdaptationFailed`.
    public struct DuplicateHeaderError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The field's name.
        public let name: String

        public var description: String {
            "the request has a \(name) already (choose what to do with duplicateHeaderBehavior: .replace or .skip)"
        }
    }

    /// What happens to a request that has a `Content-Encoding` already.
    public let duplicateHeaderBehavior: DuplicateHeaderBehavior
    /// How bodies are compressed.
    public let coding: Coding
    /// Decides whether to compress a body in memory.
    public let shouldCompressBodyData: @Sendable (_ bodyData: Data) -> Bool

    /// Creates a compressor.
    ///
    /// - Parameters:
    ///   - duplicateHeaderBehavior: What happens to a request that has a `Content-Encoding` already. Default: `.error`.
    ///   - coding: How bodies are compressed. Default: `.deflate`, as in Alamofire.
    ///   - shouldCompressBodyData: Decides whether to compress a body, which is in memory and not empty. Not called for bodies from files
    ///     and streams, which are always compressed. Default: every body.
    public init(
        duplicateHeaderBehavior: DuplicateHeaderBehavior = .error, coding: Coding = .deflate,
        shouldCompressBodyData: @escaping @Sendable (_ bodyData: Data) -> Bool = { _ in true }
    ) {
        self.duplicateHeaderBehavior = duplicateHeaderBehavior
        self.coding = coding
        self.shouldCompressBodyData = shouldCompressBodyData
    }

    /// Compresses the request's `httpBody`.
    ///
    /// - Throws: ``DuplicateHeaderError``; on Linux also an error that names zlib's package if it is not installed.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { try adapt(urlRequest) }

    /// The same, at once.
    package func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var request = urlRequest
        if let body = request.httpBody { request.httpBody = try compress(body, of: &request) }
        return request
    }

    /// The bytes to send, which are those given if they are not to be compressed.
    private func compress(_ body: Data, of request: inout URLRequest) throws -> Data {
        guard !body.isEmpty, shouldCompressBodyData(body), try !isSkipped(request) else { return body }
        let compressed = try BodyCompressor.compress(body, coding)
        request.headers.update(.contentEncoding(coding.rawValue))
        return compressed
    }

    /// Whether the request is left unchanged for its `Content-Encoding`.
    private func isSkipped(_ request: URLRequest) throws(DuplicateHeaderError) -> Bool {
        guard request.headers.contains(name: "Content-Encoding") else { return false }
        switch duplicateHeaderBehavior {
        case .error: throw DuplicateHeaderError(name: "Content-Encoding")
        case .replace: return false
        case .skip: return true
        }
    }
}

extension DeflateRequestCompressor: BodyAdapter {
    func adapt(_ body: BodySource, of request: inout URLRequest) throws -> BodySource {
        if case .data(let data) = body { return .data(try compress(data, of: &request)) }
        guard body.length != 0, try !isSkipped(request) else { return body }
        // Found here, so that the request fails before it is sent.
        if let obstacle = Deflater.obstacle { throw obstacle }
        request.headers.update(.contentEncoding(coding.rawValue))
        return .stream(CompressedBody(source: body, coding: coding))
    }
}

extension RequestAdapter where Self == DeflateRequestCompressor {
    /// ``DeflateRequestCompressor`` with its defaults.
    public static var deflateCompressor: DeflateRequestCompressor { DeflateRequestCompressor() }

    /// A ``DeflateRequestCompressor``: see its initializer.
    public static func deflateCompressor(
        duplicateHeaderBehavior: DeflateRequestCompressor.DuplicateHeaderBehavior = .error,
        coding: DeflateRequestCompressor.Coding = .deflate,
        shouldCompressBodyData: @escaping @Sendable (_ bodyData: Data) -> Bool = { _ in true }
    ) -> DeflateRequestCompressor {
        DeflateRequestCompressor(
            duplicateHeaderBehavior: duplicateHeaderBehavior, coding: coding, shouldCompressBodyData: shouldCompressBodyData)
    }
}
