import Firewheel

/// Alamofire 4's module name, for code that qualifies with it: `Alamofire.request(…)`, `Alamofire.SessionManager`.
///
/// Requests are created with `SessionManager.default`.
public enum Alamofire {
    /// `SessionManager` of this module.
    public typealias SessionManager = Session
    /// `Request` of Firewheel.
    public typealias Request = Firewheel.Request
    /// `DataRequest` of Firewheel.
    public typealias DataRequest = Firewheel.DataRequest
    /// `DownloadRequest` of Firewheel.
    public typealias DownloadRequest = Firewheel.DownloadRequest
    /// `UploadRequest` of Firewheel.
    public typealias UploadRequest = Firewheel.UploadRequest
    /// `DataResponse` of Firewheel.
    public typealias DataResponse<Value> = Firewheel.DataResponse<Value>
    /// `DownloadResponse` of Firewheel.
    public typealias DownloadResponse<Value> = Firewheel.DownloadResponse<Value>
    /// `DefaultDataResponse` of this module.
    public typealias DefaultDataResponse = Firewheel.DataResponse<Data?>
    /// `DefaultDownloadResponse` of this module.
    public typealias DefaultDownloadResponse = Firewheel.DownloadResponse<URL?>
    /// `DataResponseSerializer` of Firewheel.
    public typealias DataResponseSerializer<Value> = Firewheel.DataResponseSerializer<Value>
    /// `DownloadResponseSerializer` of Firewheel.
    public typealias DownloadResponseSerializer<Value> = Firewheel.DownloadResponseSerializer<Value>
    /// `DataResponseSerializerProtocol` of Firewheel.
    public typealias DataResponseSerializerProtocol = Firewheel.DataResponseSerializerProtocol
    /// `DownloadResponseSerializerProtocol` of Firewheel.
    public typealias DownloadResponseSerializerProtocol = Firewheel.DownloadResponseSerializerProtocol
    /// `Result` of this module.
    public typealias Result<Value> = Swift.Result<Value, any Error>
    /// `AFError` of this module.
    public typealias AFError = FirewheelError
    /// `Timeline` of Firewheel.
    public typealias Timeline = Firewheel.Timeline
    /// `HTTPMethod` of Firewheel.
    public typealias HTTPMethod = Firewheel.HTTPMethod
    /// `HTTPHeaders` of this module.
    public typealias HTTPHeaders = FirewheelClassic.HTTPHeaders
    /// `Parameters` of Firewheel.
    public typealias Parameters = Firewheel.Parameters
    /// `ParameterEncoding` of Firewheel.
    public typealias ParameterEncoding = Firewheel.ParameterEncoding
    /// `URLEncoding` of Firewheel.
    public typealias URLEncoding = Firewheel.URLEncoding
    /// `JSONEncoding` of Firewheel.
    public typealias JSONEncoding = Firewheel.JSONEncoding
    /// `PropertyListEncoding` of Firewheel.
    public typealias PropertyListEncoding = Firewheel.PropertyListEncoding
    /// `URLConvertible` of Firewheel.
    public typealias URLConvertible = Firewheel.URLConvertible
    /// `URLRequestConvertible` of Firewheel.
    public typealias URLRequestConvertible = Firewheel.URLRequestConvertible
    /// `MultipartFormData` of Firewheel.
    public typealias MultipartFormData = Firewheel.MultipartFormData
    /// `RequestAdapter` of this module.
    public typealias RequestAdapter = FirewheelClassic.RequestAdapter
    /// `RequestRetrier` of this module.
    public typealias RequestRetrier = FirewheelClassic.RequestRetrier
    /// `RequestRetryCompletion` of this module.
    public typealias RequestRetryCompletion = FirewheelClassic.RequestRetryCompletion
}

// The functions of this module.
extension Alamofire {
    /// Creates a request with `SessionManager.default`. It starts when its first response handler is attached, or with `resume()`.
    public static func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        SessionManager.default.request(url, method: method, parameters: parameters, encoding: encoding, headers: headers)
    }

    /// Creates a request from a `URLRequest`, or from a value that creates one, with `SessionManager.default`.
    public static func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        SessionManager.default.request(urlRequest)
    }

    /// Creates a request with `SessionManager.default` whose response body is written to a file.
    public static func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
    }

    /// Creates a request from a `URLRequest`, or from a value that creates one, with `SessionManager.default`, whose response body is
    /// written to a file.
    public static func download(
        _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(urlRequest, to: destination)
    }

    /// Creates a request with `SessionManager.default` and named parameters, whose values need not be Sendable.
    public static func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        SessionManager.default.request(url, method: method, parameters: parameters, encoding: encoding, headers: headers)
    }

    /// Creates a request with `SessionManager.default` and named parameters, whose values need not be Sendable, and whose response body is
    /// written to a file.
    public static func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
    }

    /// Creates a request with `SessionManager.default` that sends a file.
    public static func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        SessionManager.default.upload(fileURL, to: url, method: method, headers: headers)
    }

    /// Creates a request with `SessionManager.default` that sends a file, from a `URLRequest` or a value that creates one.
    public static func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        SessionManager.default.upload(fileURL, with: urlRequest)
    }

    /// Creates a request with `SessionManager.default` that sends data.
    public static func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        SessionManager.default.upload(data, to: url, method: method, headers: headers)
    }

    /// Creates a request with `SessionManager.default` that sends data, from a `URLRequest` or a value that creates one.
    public static func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        SessionManager.default.upload(data, with: urlRequest)
    }

    /// Creates a request with `SessionManager.default` that sends a stream, which can be read only once.
    public static func upload(
        _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        SessionManager.default.upload(stream, to: url, method: method, headers: headers)
    }

    /// Creates a request with `SessionManager.default` that sends a stream, from a `URLRequest` or a value that creates one.
    public static func upload(_ stream: sending InputStream, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        SessionManager.default.upload(stream, with: urlRequest)
    }

    /// Creates a request with `SessionManager.default` that goes on with a download.
    public static func download(
        resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(resumingWith: resumeData, to: destination)
    }

    /// Creates a request with `SessionManager.default` that sends a multipart form, and hands it over when the form is complete: see
    /// `Session.upload(multipartFormData:usingThreshold:to:method:headers:encodingCompletion:)`.
    public static func upload(
        multipartFormData: (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        encodingCompletion: (@MainActor (SessionManager.MultipartFormDataEncodingResult) -> Void)?
    ) {
        SessionManager.default.upload(
            multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, to: url, method: method, headers: headers,
            encodingCompletion: encodingCompletion)
    }

    /// Creates a request with `SessionManager.default` that sends a multipart form, from a `URLRequest` or a value that creates one, and
    /// hands it over when the form is complete.
    public static func upload(
        multipartFormData: (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        with urlRequest: any URLRequestConvertible,
        encodingCompletion: (@MainActor (SessionManager.MultipartFormDataEncodingResult) -> Void)?
    ) {
        SessionManager.default.upload(
            multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, with: urlRequest,
            encodingCompletion: encodingCompletion)
    }
}
