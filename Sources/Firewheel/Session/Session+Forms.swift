import Foundation

// Uploads of multipart forms (RFC 7578). A form whose parts are all data and files is sent again as often as needed; one above the
// threshold with a part from a stream only once.
extension Session {
    /// The size in bytes from which on a form is read from its parts while it is sent, instead of being put together in memory:
    /// Alamofire's.
    public static let multipartFormDataThreshold: UInt64 = 10_000_000

    /// Creates a request that sends a multipart form.
    ///
    /// - Parameters:
    ///   - form: Appends the parts. Called at once.
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - threshold: The size in bytes from which on the form is read from its parts while it is sent. Default: 10,000,000.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. `Content-Type` is that of the form. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    public func upload(
        multipartFormData form: (MultipartFormData) -> Void, to url: any URLConvertible,
        usingThreshold threshold: UInt64 = multipartFormDataThreshold, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(Self.source(form, threshold), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends a multipart form, with the closure that appends its parts behind the call:
    /// `session.upload(to: url) { form in form.append(data, withName: "file") }`.
    public func upload(
        to url: any URLConvertible, usingThreshold threshold: UInt64 = multipartFormDataThreshold, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        multipartFormData form: (MultipartFormData) -> Void
    ) -> UploadRequest {
        upload(Self.source(form, threshold), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends a multipart form, as it is when the request is created.
    public func upload(
        multipartFormData form: MultipartFormData, to url: any URLConvertible,
        usingThreshold threshold: UInt64 = multipartFormDataThreshold, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(.form(UploadForm(form, threshold: threshold)), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends a multipart form, from a `URLRequest` or a value that creates one.
    public func upload(
        multipartFormData form: (MultipartFormData) -> Void, with request: any URLRequestConvertible,
        usingThreshold threshold: UInt64 = multipartFormDataThreshold, interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(Self.source(form, threshold), request, interceptor)
    }

    /// Creates a request that sends a multipart form, from a `URLRequest` or a value that creates one, with the closure behind the call.
    public func upload(
        with request: any URLRequestConvertible, usingThreshold threshold: UInt64 = multipartFormDataThreshold,
        interceptor: (any RequestInterceptor)? = nil, multipartFormData form: (MultipartFormData) -> Void
    ) -> UploadRequest {
        upload(Self.source(form, threshold), request, interceptor)
    }

    /// Creates a request that sends a multipart form, as it is when the request is created, from a `URLRequest` or a value that creates
    /// one.
    public func upload(
        multipartFormData form: MultipartFormData, with request: any URLRequestConvertible,
        usingThreshold threshold: UInt64 = multipartFormDataThreshold, interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(.form(UploadForm(form, threshold: threshold)), request, interceptor)
    }

    /// Creates a request that sends another product's form, from a `URLRequest` or a value that creates one.
    package func upload(form: any FormUpload, with request: any URLRequestConvertible) -> UploadRequest {
        upload(.form(form), request, nil)
    }

    private static func source(_ append: (MultipartFormData) -> Void, _ threshold: UInt64) -> UploadSource {
        let form = MultipartFormData()
        append(form)
        return .form(UploadForm(form, threshold: threshold))
    }
}
