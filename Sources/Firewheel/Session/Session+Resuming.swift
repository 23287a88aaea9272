import Foundation

// Downloads that go on where they stopped.
extension Session {
    /// Creates a request that goes on with a download, also of another session or process.
    ///
    /// Only the missing bytes are requested, on the condition that the file is still the same (`Range`, `If-Range`; RFC 9110 sections 14.2
    /// and 13.1.5). If it is another, or what was downloaded is gone or in use, the download begins at the first byte: the result is the
    /// server's file, or an error, which has resume data if the partial file could be used. What was downloaded stays until there is
    /// something better.
    ///
    /// The session needs the `temporaryDirectory` of the one before, and the process its user. Resume data keeps no headers: they are the
    /// session's, and a request with fields of its own needs them again, with `download(resumingWith:url:headers:to:)` and the same URL.
    ///
    /// - Parameters:
    ///   - data: The resume data of a ``DownloadRequest``, its response or its error. If it is not, the request fails with
    ///     `resumeDataInvalid`. If the file exists but cannot be opened, as without a free descriptor, it fails with
    ///     `downloadedFileWriteFailed` and keeps the data.
    ///   - destination: Where the file is moved. Default: nil: it stays in the temporary folder.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    public func download(
        resumingWith data: Data, to destination: DownloadRequest.Destination? = nil, interceptor: (any RequestInterceptor)? = nil
    ) -> DownloadRequest {
        downloadRequest(.resumption(data, url: nil, headers: nil, modifier: nil), to: destination, interceptor)
    }

    /// Creates a request that goes on with a download from another URL, for a signed URL that has expired. It is safe, because the file
    /// must have the same `ETag`. A modification date is not enough if the URL is another, since the parts of a split archive may have the
    /// same: then the download begins at the first byte, and also if redirects lead to another URL than before.
    ///
    /// - Parameters:
    ///   - data: The resume data.
    ///   - url: The URL of the same file. A relative URL is resolved against the session's `baseURL`.
    ///   - headers: Override the session's fields of the same name. `Range` and `If-Range` are not sent. Default: none.
    ///   - destination: Where the file is moved. Default: nil: it stays in the temporary folder.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request. Default: nil.
    public func download(
        resumingWith data: Data, url: any URLConvertible, headers: HTTPHeaders? = nil, to destination: DownloadRequest.Destination? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DownloadRequest {
        downloadRequest(.resumption(data, url: url, headers: headers, modifier: requestModifier), to: destination, interceptor)
    }
}
