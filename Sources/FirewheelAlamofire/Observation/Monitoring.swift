/// The monitors of a request, and what they have been told of it.
struct Monitoring: Sendable {
    /// Which events of the engine are observed.
    enum Extent: Sendable, Comparable {
        case none
        /// What the request is doing.
        case states
        /// Also what becomes of it.
        case values
    }

    var monitor: CompositeEventMonitor
    var extent = Extent.none
    /// The state that the events so far have led to, which is behind that of the request while others wait to be delivered.
    var state = Request.State.initialized
    /// Whether there is a task that has not completed.
    var hasTask = false
    /// The last task, if a monitor was told of it.
    var task: URLSessionTask?
    /// The request that the attempt's adapters were given.
    var initialRequest: URLRequest?
    /// Whether monitors are to be told that the task has completed when its response was validated and placed.
    var holdsCompletion = false
    /// Whether a retry begins with the next event.
    var isRetrying = false

    init(_ monitor: CompositeEventMonitor) {
        self.monitor = monitor
    }

    /// The events that have to be observed for the monitors.
    var neededExtent: Extent { monitor.needsValues ? .values : monitor.isEmpty ? .none : .states }
}

extension Request {
    /// Calls the monitors of the session and those that were added to the request. They are in `CompositeEventMonitor.monitors`.
    public var eventMonitor: (any EventMonitor)? { monitors }

    var monitors: CompositeEventMonitor { mutableState.withLock { $0.monitoring.monitor } }

    /// Adds a monitor for all further events of this request, called after the session's and those that were added before.
    @discardableResult
    public func eventMonitor(_ eventMonitor: any EventMonitor) -> Self {
        let listener = CompositeEventMonitor.Listener(eventMonitor)
        let isFirst = mutableState.withLock { state in
            state.monitoring.monitor = state.monitoring.monitor.adding(listener)
            return state.monitoring.extent == .none
        }
        if isFirst {
            let (current, hasTask) = (base.state, base.taskCount > 0 && !base.isSettled)
            mutableState.withLock { state in
                state.monitoring.state = current
                state.monitoring.hasTask = hasTask
            }
        }
        observe()
        return self
    }

    /// Observes the events that the monitors need, if there are monitors.
    func observe() {
        let (old, new) = mutableState.withLock { state in
            defer { state.monitoring.extent = max(state.monitoring.extent, state.monitoring.neededExtent) }
            return (state.monitoring.extent, state.monitoring.neededExtent)
        }
        guard new > old else { return }
        let observer = RequestObserver(holdsCallersObjects: new == .values) { event in
            Self.extent(of: event).map { old < $0 && $0 <= new } ?? false
        } call: { [weak self] context, event in
            self?.receive(event, context)
        }
        base.observe(observer)
        guard new == .values else { return }
        base.observeValidations { [weak self] validated, error in self?.didValidate(validated, error) }
    }

    /// For which extent an event is observed; nil if for none.
    private static func extent(of event: RequestEvent) -> Monitoring.Extent? {
        switch event {
        case .resume, .suspend, .cancel, .createURLRequest, .completeTask, .finish: .states
        case .failToCreateURLRequest, .failToAdaptURLRequest, .validate, .saveFile, .retry: .values
        default: nil
        }
    }

    // MARK: Telling

    /// Changes what is known of the events so far. They are received one at a time, so that the lock only guards against other uses of the
    /// state.
    func updateMonitoring<Result: Sendable>(_ body: (inout Monitoring) -> Result) -> Result {
        mutableState.withLock { body(&$0.monitoring) }
    }

    func tell(_ notification: Notification.Name? = nil, _ event: @escaping @Sendable (any EventMonitor) -> Void) {
        let monitors = monitors
        if let notification { monitors.post(notification, of: self) }
        if monitors.needsValues { monitors.tell(event) }
    }

    /// - Parameter event: Called for the monitors that need to know the task, which is not made for the others.
    func tellOfTask(_ notification: Notification.Name? = nil, _ event: @escaping @Sendable (any EventMonitor, URLSessionTask) -> Void) {
        let monitors = monitors
        if let notification { monitors.post(notification, of: self) }
        guard monitors.needsValues, let task = updateMonitoring({ $0.task }) ?? lastTask else { return }
        monitors.tell { event($0, task) }
    }
}
