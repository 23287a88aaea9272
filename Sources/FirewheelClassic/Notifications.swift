import Firewheel

extension Notification.Name {
    /// The notifications of requests, with Alamofire 4's names. Sessions post them if `Session.postsTaskNotifications` is set.
    ///
    /// Their `object` is the `Request`, if it still exists. They are posted on a queue of the request, in the order of the events.
    public struct Task {
        /// A request was started, or resumed after `suspend()`.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let DidResume = Notification.Name("org.alamofire.notification.name.task.didResume")
        /// A request was suspended.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let DidSuspend = Notification.Name("org.alamofire.notification.name.task.didSuspend")
        /// A request was cancelled.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let DidCancel = Notification.Name("org.alamofire.notification.name.task.didCancel")
        /// A request has ended, after all retries.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let DidComplete = Notification.Name("org.alamofire.notification.name.task.didComplete")
    }
}

extension Notification {
    /// The keys of the notifications' `userInfo`.
    public struct Key {
        /// A ``RequestTask``.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let Task = "org.alamofire.notification.key.task"
        /// The `Data` of the response, in `Notification.Name.Task.DidComplete`; absent without one, and for downloads.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let ResponseData = "org.alamofire.notification.key.responseData"
    }
}

/// Posts the notifications of one request.
struct TaskNotifications: EventMonitor {
    let sender: WeakReference<Request>

    func request(_ context: RequestContext, did event: RequestEvent) {
        let name: Notification.Name
        switch event {
        case .resume: name = Notification.Name.Task.DidResume
        case .suspend: name = Notification.Name.Task.DidSuspend
        case .cancel: name = Notification.Name.Task.DidCancel
        case .finish: name = Notification.Name.Task.DidComplete
        default: return
        }
        var userInfo: [String: Any] = [Notification.Key.Task: RequestTask(context)]
        if name == Notification.Name.Task.DidComplete, let data = context.data { userInfo[Notification.Key.ResponseData] = data }
        NotificationCenter.default.post(name: name, object: sender.object, userInfo: userInfo)
    }
}
