// Names of notifications. Their object is nil; `Notification.request` is the request.
extension Request {
    /// Posted when a request was started, or continued after `suspend()`.
    public static let didResumeNotification = Notification.Name("firewheel.alamofire.request.didResume")
    /// Posted when a request was suspended.
    public static let didSuspendNotification = Notification.Name("firewheel.alamofire.request.didSuspend")
    /// Posted when a request was cancelled.
    public static let didCancelNotification = Notification.Name("firewheel.alamofire.request.didCancel")
    /// Posted when the outcome of a request is final.
    public static let didFinishNotification = Notification.Name("firewheel.alamofire.request.didFinish")
    /// Posted when the task of a request was started, or continued.
    public static let didResumeTaskNotification = Notification.Name("firewheel.alamofire.request.didResumeTask")
    /// Posted when the task of a request was suspended.
    public static let didSuspendTaskNotification = Notification.Name("firewheel.alamofire.request.didSuspendTask")
    /// Posted when the task of a request was cancelled.
    public static let didCancelTaskNotification = Notification.Name("firewheel.alamofire.request.didCancelTask")
    /// Posted when the task of a request has ended.
    public static let didCompleteTaskNotification = Notification.Name("firewheel.alamofire.request.didCompleteTask")
}

extension Notification {
    private static let requestKey = "firewheel.alamofire.request"

    /// The request that an ``AlamofireNotifications`` has posted the notification for; nil for any other notification.
    public var request: Request? { userInfo?[Self.requestKey] as? Request }

    fileprivate init(_ name: Notification.Name, of request: Request) {
        self.init(name: name, object: nil, userInfo: [Self.requestKey: request])
    }
}

/// A monitor that posts the notifications of `Request` to the default notification center, on the main queue. Sessions have it by default.
public final class AlamofireNotifications: EventMonitor {
    /// Creates a monitor.
    public init() {}

    /// Posts a notification in turn with the events.
    func post(_ name: Notification.Name, of request: Request) {
        queue.async { Self.post(name, of: request) }
    }

    private static func post(_ name: Notification.Name, of request: Request) {
        NotificationCenter.default.post(Notification(name, of: request))
    }

    public func requestDidResume(_ request: Request) { Self.post(Request.didResumeNotification, of: request) }
    public func requestDidSuspend(_ request: Request) { Self.post(Request.didSuspendNotification, of: request) }
    public func requestDidCancel(_ request: Request) { Self.post(Request.didCancelNotification, of: request) }
    public func requestDidFinish(_ request: Request) { Self.post(Request.didFinishNotification, of: request) }

    public func request(_ request: Request, didResumeTask task: URLSessionTask) {
        Self.post(Request.didResumeTaskNotification, of: request)
    }

    public func request(_ request: Request, didSuspendTask task: URLSessionTask) {
        Self.post(Request.didSuspendTaskNotification, of: request)
    }

    public func request(_ request: Request, didCancelTask task: URLSessionTask) {
        Self.post(Request.didCancelTaskNotification, of: request)
    }

    public func request(_ request: Request, didCompleteTask task: URLSessionTask, with error: AFError?) {
        Self.post(Request.didCompleteTaskNotification, of: request)
    }
}
