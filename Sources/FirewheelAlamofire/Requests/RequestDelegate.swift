import Foundation

/// What a request knows of its session. Alamofire's has members that it calls itself, too.
public protocol RequestDelegate: AnyObject, Sendable {
    /// The configuration that the session was created with.
    var sessionConfiguration: URLSessionConfiguration { get }
    /// Whether the first response handler starts a request.
    var startImmediately: Bool { get }
}

extension Session: RequestDelegate {
    /// Whether the first response handler starts a request, unless the request has a setting of its own.
    public var startImmediately: Bool { startRequestsImmediately }
}

extension Request {
    /// The request's session; nil once it was released.
    public var delegate: (any RequestDelegate)? { session }
}
