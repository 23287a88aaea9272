import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of one URLSession, which runs its tasks. The transport's calls and the delegate's all run on one serial queue.
final class URLSessionDriver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Sound because mutable state is used on `queue` only, which also underlies the URLSession's delegate queue: every function except
    // `init` asserts it, or is private and called by one that does.

    let queue = SerialQueue(label: "firewheel.urlsession")
    private let configuration: SessionConfiguration
    /// For requests of sessions that have none; nil if the transport has none either.
    private let rules: RouteRules?
    /// One for each route, because a verdict about a server serves no other. Each is created on first use; none is left once closed, after
    /// which nothing starts.
    private var sessions: [SessionKey: URLSession] = [:]
    /// Routes of clients that are gone have sessions until there are so many.
    private static let mostSessions = 64

    private struct SessionKey: Hashable {
        let route: TransportRoute
        /// Set if the route has evaluators: URLSession may send requests for one host on an HTTP/2 connection to another host with the same
        /// certificate, and asks only about the first.
        let origin: TargetURI.Origin?
        /// An option of URLSession's sessions, and of none of its tasks.
        let waitsForConnectivity: Bool

        init(_ request: TransportRequest) {
            route = request.route
            origin = route.trust?.judge == nil ? nil : request.target.origin
            waitsForConnectivity = request.waitsForConnectivity
        }
    }
    private var isClosed = false
    private var transfers: [TransportTaskID: URLSessionTransfer] = [:]
    /// The ids of running tasks. A task that is not here has ended for the client, and its later callbacks are ignored.
    private var ids: [Int: TransportTaskID] = [:]
    /// Bodies whose task has ended for the client and not for URLSession.
    private var endingUploads: [Int: URLSessionUpload] = [:]
    /// The bodies of running tasks, in reach of threads that must not wait for `queue`.
    private let uploads = Locked<[TransportTaskID: URLSessionUpload]>([:])

    init(_ configuration: SessionConfiguration) {
        self.configuration = configuration
        rules = RouteRules(configuration.tls)
    }

    // MARK: The transport's calls

    func start(_ given: TransportRequest, receiver: any TransportReceiver) {
        queue.assertIsCurrent()
        guard !isClosed, transfers[given.id] == nil else { return }
        let request: TransportRequest
        do throws(TransportError) {
            request = try given.completed(by: rules)
        } catch {
            return receiver.receive([.notSent(given.id, error)])
        }
        if configuration.maximumTotalConnections != nil {
            let words = "URLSessionTransport cannot limit the connections to all hosts together; leave maximumTotalConnections nil"
            return receiver.receive([.notSent(request.id, .failed(.resourceUnavailable, words))])
        }
        if let problem = request.problemOnURLSession { return receiver.receive([.notSent(request.id, problem)]) }
        guard let urlRequest = URLRequest(transportRequest: request) else {
            return receiver.receive([.notSent(request.id, .failed(.badURL, "Foundation does not take this URL"))])
        }
        let upload = request.streamedBody.map { source in
            URLSessionUpload(source, of: request, queue: queue) { [weak self, queue, id = request.id] error in
                queue.async { [weak self] in self?.fail(id, error) }
            }
        }
        uploads.withLock { $0[request.id] = upload }
        let task = session(for: request).task(with: urlRequest, source: request.bodySource, upload: upload)
        let transfer = URLSessionTransfer(request, receiver: receiver, task: task, upload: upload)
        transfers[request.id] = transfer
        ids[task.taskIdentifier] = request.id
        if let deadline = request.deadline {
            transfer.setTimer(at: deadline, on: queue) { [weak self] in
                self?.end(request.id, error: .failed(.timedOut, TimeoutWords.resource))
            }
        }
        if request.allowsQuietBody, request.idleTimeout > 0 {
            transfer.headTimer = URLSessionHeadTimer(request.idleTimeout, on: queue) { [weak self] in
                self?.end(request.id, error: .failed(.timedOut, TimeoutWords.idle(request.idleTimeout, "waiting for the response")))
            }
        }
        task.resume()
    }

    /// Wakes threads that wait for a piece of a body: of one request, or of all. Can be called on any thread, while `queue` may be waiting
    /// for such a thread.
    func endUploads(of id: TransportTaskID? = nil) {
        let ended = uploads.withLock { uploads in id.map { uploads[$0].map { [$0] } ?? [] } ?? Array(uploads.values) }
        for upload in ended { upload.end() }
    }

    func cancel(_ id: TransportTaskID) {
        queue.assertIsCurrent()
        remove(id)?.task.cancel()
    }

    func setPaused(_ isPaused: Bool, _ id: TransportTaskID) {
        queue.assertIsCurrent()
        transfers[id]?.setPaused(isPaused)
        goOn(id)
    }

    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {
        queue.assertIsCurrent()
        transfers[id]?.decide(body)
        goOn(id)
    }

    /// Releases what arrived behind a held head, once the client has decided.
    private func goOn(_ id: TransportTaskID) {
        guard let transfer = transfers[id], let held = transfer.takeHeld() else { return }
        if transfer.isDiscarding {
            guard !held.hasEnded else { return end(id, error: nil) }
            let end = MonotonicInstant.now().advanced(by: URLSessionHeld.patience)
            transfer.setTimer(at: end, on: queue) { [weak self] in self?.end(id, error: nil) }
            return
        }
        if transfer.isDecodedAnyway { return end(id, error: URLSessionTransfer.wasDecoded) }
        for data in held.pieces where transfers[id] != nil { receive(data, for: transfer) }
        if held.hasEnded { end(id, error: held.error) }
    }

    func acknowledge(_ id: TransportTaskID, bytes: Int) {
        queue.assertIsCurrent()
        transfers[id]?.acknowledge(bytes)
    }

    func closeIdleConnections() {
        queue.assertIsCurrent()
        for session in sessions.values { session.flush {} }
    }

    func answer(_ id: TransportTaskID, _ answer: TransportAnswer) {
        queue.assertIsCurrent()
        guard let transfer = transfers[id], transfer.isJudged else { return }
        switch answer {
        case .accept: transfer.endJudging(isTrusted: true)
        case .refuse(let error): end(id, error: error)
        }
    }

    /// Ends all transfers and informs their receivers, because the transport was released.
    func close() {
        queue.assertIsCurrent()
        isClosed = true
        for id in transfers.keys.sorted(by: { ($0.request, $0.attempt, $0.hop) < ($1.request, $1.attempt, $1.hop) }) {
            end(id, error: .failed(.cancelled, "the transport was released"))
        }
        // Breaks the retain cycle with the delegate.
        for session in sessions.values { session.invalidateAndCancel() }
        sessions = [:]
    }

    private func session(for request: TransportRequest) -> URLSession {
        let key = SessionKey(request)
        if let known = sessions[key] { return known }
        if sessions.count >= Self.mostSessions { dropUnusedSessions() }
        let delegateQueue = OperationQueue()
        delegateQueue.maxConcurrentOperationCount = 1
        delegateQueue.underlyingQueue = queue.queue
        let mapped = URLSessionConfiguration.firewheel(configuration)
        #if canImport(Security)
            mapped.setVersions(of: request.route)
            mapped.setProxy(of: request.route)
        #endif
        #if canImport(Darwin)
            mapped.waitsForConnectivity = request.waitsForConnectivity
        #endif
        let new = URLSession(configuration: mapped, delegate: self, delegateQueue: delegateQueue)
        sessions[key] = new
        return new
    }

    private func dropUnusedSessions() {
        let used = Set(transfers.values.map { SessionKey($0.request) })
        for (key, session) in sessions where !key.route.isDirect && !used.contains(key) {
            session.finishTasksAndInvalidate()
            sessions[key] = nil
        }
    }

    // MARK: Completion

    /// Ends a transfer before its task has ended.
    func end(_ id: TransportTaskID, error: TransportError?) {
        queue.assertIsCurrent()
        guard let transfer = remove(id) else { return }
        transfer.task.cancel()
        transfer.finish(error)
    }

    /// Ends a transfer whose body cannot be sent.
    private func fail(_ id: TransportTaskID, _ error: TransportError) {
        guard let transfer = transfers[id] else { return }
        guard transfer.isHeld else { return end(id, error: transfer.isDiscarding ? nil : error) }
        transfer.keepEnd(error)
        transfer.task.cancel()
    }

    private func remove(_ id: TransportTaskID) -> URLSessionTransfer? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        let taskIdentifier = transfer.task.taskIdentifier
        ids[taskIdentifier] = nil
        uploads.withLock { _ = $0.removeValue(forKey: id) }
        endingUploads[taskIdentifier] = transfer.upload
        transfer.letGo()
        return transfer
    }

    func transfer(_ id: TransportTaskID) -> URLSessionTransfer? {
        queue.assertIsCurrent()
        return transfers[id]
    }

    private func transfer(of task: URLSessionTask) -> URLSessionTransfer? {
        queue.assertIsCurrent()
        return ids[task.taskIdentifier].flatMap { transfers[$0] }
    }

    // MARK: URLSession callbacks

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // FoundationNetworking also reports interim responses (RFC 9110 section 15.2).
        if let transfer = transfer(of: dataTask), let response = response as? HTTPURLResponse,
            !(100..<200).contains(response.statusCode) || response.statusCode == 101
        {
            transfer.didReceive(ResponseHead(response))
            if transfer.isHeld { return transfer.hold(completionHandler) }
            if transfer.isDecodedAnyway {
                completionHandler(.cancel)
                return end(transfer.request.id, error: URLSessionTransfer.wasDecoded)
            }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfer(of: dataTask) else { return }
        receive(data, for: transfer)
    }

    private func receive(_ data: Data, for transfer: URLSessionTransfer) {
        switch transfer.didReceive(data) {
        case .goOn: break
        case .enough: end(transfer.request.id, error: nil)
        case .tooLarge: end(transfer.request.id, error: .bodyTooLarge)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(of: task)?.didSend(totalBytesSent)
    }

    #if canImport(Darwin)
        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            transfer(of: task)?.waitsForConnectivity()
        }
    #endif

    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        #if canImport(Darwin)
            completionHandler(transfer(of: task)?.upload?.nextStream())
        #else
            // FoundationNetworking does not use the delegate queue for this.
            completionHandler((task.originalRequest?.httpBodyStream as? URLSessionBodyStream)?.next())
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        defer { endingUploads[task.taskIdentifier] = nil }
        guard let transfer = transfer(of: task) else { return }
        let meaning = transfer.meaning(of: error)
        if transfer.isHeld { return transfer.keepEnd(meaning) }
        _ = remove(transfer.request.id)
        transfer.finish(transfer.isDiscarding ? nil : meaning)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        #if canImport(Darwin)
            transfer(of: task)?.take(metrics)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // nil makes the redirect the response: the client decides whether to follow it.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
            NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodDefault:
            #if canImport(Security)
                if let answer = transfer(of: task)?.request.route.proxyCredential(for: challenge) {
                    return completionHandler(.useCredential, answer)
                }
            #endif
            // Uses no credential of the system: with every protection space rejected, the 401 or 407 is the response.
            transfer(of: task)?.didRejectChallenge()
            completionHandler(.rejectProtectionSpace, nil)
        default:
            #if canImport(Security)
                let space = challenge.protectionSpace
                if let trust = space.serverTrust, !space.isProxy(), sessions.contains(where: { $1 === session && !$0.route.isDirect }) {
                    // The connection may outlive its request, so that nobody else may accept it.
                    guard let transfer = transfer(of: task), let rule = transfer.request.route.trust, space.isFor(transfer.request) else {
                        return completionHandler(.cancelAuthenticationChallenge, nil)
                    }
                    return judge(trust, of: transfer, by: rule, completionHandler)
                }
            #endif
            // Server trust and other connection-level challenges are left to the system.
            completionHandler(.performDefaultHandling, nil)
        }
    }
}
