import Foundation

// Downloads that go on where they stopped, and those that may later.
extension CallMachine {
    /// Judges the head of the final response to a download: whether its body is the rest of the partial file, or a file that can be resumed
    /// later.
    mutating func judgeFile() -> HopVerdict {
        guard savesToFile, let head = attempt.lastHead?.head, let first = attempt.request, let current = attempt.current?.request else {
            return .pass
        }
        // A transport that delivers bytes before their head breaks its contract; they are dropped.
        if let sink = attempt.sink.take() { staleSinks.append(StaleSink(sink)) }
        guard var resumption else {
            // The caller's own range is a part whose place only the caller knows.
            guard !current.headers.contains(name: "Range") else { return .pass }
            if head.statusCode == 206 { return .fail(Self.unrequested) }
            beginFile(resumable: head, of: first)
            return .pass
        }
        switch resumption.judge(head, from: source(of: current, first)) {
        case .append(let range):
            if let limit = rules.maximumBodySize, range.total > limit { return .fail(FirewheelError(.responseBodyTooLarge)) }
            resumption.data.total = range.total
            resumption.data.url = resumableURL(of: first)
            attempt.partial = resumption.data
            attempt.offset = range.start
            attempt.rangeEnd = range.end
            attempt.sink = resumption.sink
            attempt.preparation = .goOn(at: range.start)
            self.resumption = nil
            return .pass
        case .startOver:
            // The old part stays until it is known that there is something better.
            beginFile(resumable: head, of: first)
            attempt.preparation = .new
            return .pass
        case .askForAll:
            self.resumption?.asksForAll = true
            return .again(current.withoutRange())
        case .refuse:
            return .refuse(FirewheelError(.downloadResumptionRefused(head.statusCode)))
        }
    }

    private mutating func beginFile(resumable head: ResponseHead, of first: HopRequest) {
        // A redirect may turn another method into a GET (RFC 9110 section 15.4.4), whose URL alone does not lead to the file.
        guard let current = attempt.current?.request, first.method == .get, current.method == .get,
            let data = ResumeData(
                resumable: head, url: resumableURL(of: first), source: source(of: current, first), partial: RandomName.make(),
                isDecoded: current.decodesContent)
        else { return }
        attempt.partial = data
        attempt.sink = FileSink(in: rules.temporaryDirectory, .partial(data.partial))
    }

    /// The URL to resume from: as it was before adapters, which will be called again and may have added a secret.
    func resumableURL(of first: HopRequest) -> TargetURI {
        attempt.unadapted?.url.flatMap { TargetURI($0.absoluteString) } ?? first.target
    }

    /// The URL that the response comes from: without a redirect the one to resume from.
    private func source(of current: HopRequest, _ first: HopRequest) -> TargetURI {
        current.target.string == first.target.string ? resumableURL(of: first) : current.target
    }

    // MARK: Receiving

    /// What to do with the file before the next byte is written.
    mutating func takePreparation() -> FileSink.Preparation? { attempt.preparation.take() }

    /// Whether more was received than the server had announced.
    var isOverlong: Bool { attempt.rangeEnd.map { attempt.offset + attempt.received > $0 } ?? false }

    /// Gives up what was received of a part that is not what it said.
    mutating func undoPart() {
        guard attempt.preparation == nil else { return }
        attempt.isOverlong = true
        attempt.preparation = .cut(at: attempt.offset)
    }

    /// The error of a part that is longer than announced.
    static var excess: FirewheelError {
        .transportFailed(.badServerResponse, "the server sent more than the part of the file that it announced")
    }

    /// The error of a part although the whole was asked for (RFC 9110 section 15.3.7).
    static var unrequested: FirewheelError { .transportFailed(.badServerResponse, "the server sent only a part of what was asked for") }

    /// The error of a part that does not have the bytes that it announced, or not all of the rest.
    var lengthProblem: FirewheelError? {
        guard let end = attempt.rangeEnd, let partial = attempt.partial else { return nil }
        guard attempt.offset + attempt.received == end, end == partial.total else {
            return .transportFailed(.networkConnectionLost, "the server sent only a part of the rest of the file")
        }
        return nil
    }

    // MARK: Keeping what there is

    /// What is known of the attempt's file by now, if it can be resumed. The file that it replaces stays until this one is worth more: it
    /// has more bytes, or it is another version of which more than the first byte is there.
    private var resumable: ResumeData? {
        guard !attempt.isRefused || goesOnWithOld, let data = attempt.resumable else { return nil }
        guard let old = resumption?.data else { return data }
        // What was not validated yet may be anything, such as the page of a captive portal.
        let isOtherVersion = options.validators.isEmpty && data.validator != old.validator
        return (isOtherVersion || old.isFromOtherBoot ? data.rangeStart != nil : data.count > old.count) ? data : nil
    }

    /// Whether the attempt goes on with what there was before the request, which no failure may cost.
    private var goesOnWithOld: Bool { isResumed && attempt.rangeEnd != nil }

    /// What there is of the file that the attempt is to go on with, while nothing of it has been received.
    var offered: ResumeData? {
        if attempt.rangeEnd != nil { return attempt.partial }
        return resumption.flatMap { $0.asksForAll || $0.data.rangeStart == nil ? nil : $0.data }
    }

    /// Attaches a handler before the others, unless one of them may have had its turn.
    ///
    /// - Returns: Whether it was attached.
    mutating func putFirst(_ handler: ResponseHandler) -> Bool {
        guard made.isEmpty, questioned == nil, stage != .serializing, stage != .over else { return false }
        handlers.insert(handler, at: 0)
        return true
    }

    /// Whether the caller wants nothing to be kept.
    private func isGivenUp(_ error: (any Error)?) -> Bool {
        (error as? FirewheelError)?.kind == .explicitlyCancelled && !producesResumeData
    }

    /// Whether what an attempt has received is left for resuming.
    private func leavesFile(after error: (any Error)?) -> Bool {
        guard !isGivenUp(error) else { return false }
        if goesOnWithOld { return true }
        guard let kind = (error as? FirewheelError)?.kind else { return false }
        switch kind {
        case .transportFailed, .downloadedFileWriteFailed, .downloadedFileMoveFailed, .explicitlyCancelled, .sessionInvalidated,
            .downloadResumptionRefused, .requestRetryFailed, .requestAdaptationFailed, .redirectHandlingFailed, .authenticationFailed,
            .proxyConnectFailed:
            return true
        default: return false
        }
    }

    /// What to do with the file of an attempt that is the last one: leave it, or remove it. nil if there is none.
    mutating func settleFile(after error: (any Error)?) -> Action? {
        if let sink = attempt.sink, resumable != nil, leavesFile(after: error) {
            stage = .discarding
            return .leave(nextStep(), sink)
        }
        attempt.partial = nil
        guard let sink = attempt.sink.take() else { return leaveResumption() }
        stage = .discarding
        return .discard(nextStep(), StaleSink(sink))
    }

    /// Leaves the partial file of an earlier attempt or process as it is, so that no error costs what there is. nil if there is none.
    mutating func leaveResumption() -> Action? {
        guard let resumption else { return nil }
        guard !isGivenUp(outcome?.error) else {
            dropResumption()
            return nil
        }
        stage = .discarding
        return .leave(nextStep(), resumption.sink)
    }

    /// Removes the partial file of an earlier attempt or process, because there is something better. nil if there is none.
    mutating func removeResumption() -> Action? {
        guard let old = resumption.take() else { return nil }
        stage = .discarding
        return .discard(nextStep(), StaleSink(old.sink, removesReopened: true))
    }

    /// Forgets the partial file of an earlier attempt or process, and leaves it as it is.
    mutating func dropResumption() {
        if let old = resumption.take() { staleSinks.append(StaleSink(old.sink)) }
    }

    /// - Parameter count: How many bytes the file has; nil if there is none to go on with.
    mutating func didLeave(_ count: Int64?, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        let isOld = attempt.sink.take() == nil
        var data = isOld ? resumption?.data : attempt.resumable
        attempt.partial = nil
        if let count {
            // The file may have bytes that are not to be kept, because the part was too long.
            let wanted = data?.count ?? count
            data?.didSynchronize(count: min(count, wanted))
        } else if !isOld || resumption?.isOpen == true {
            data = nil
        }
        if let data { outcome = outcome.map { $0.with(resumeData: data.encoded()) } }
        if isOld { resumption = nil }
        return (data == nil ? leaveResumption() : removeResumption()) ?? serve()
    }

    /// Has the next attempt go on with the file of the one that failed, if that is safe. After a refusal it asks for the whole file, and
    /// the old one stays until there is something better.
    ///
    /// - Returns: Whether the file is still needed.
    mutating func resumes(after error: (any Error)?) -> Bool {
        guard let sink = attempt.sink, let data = resumable, data.rangeStart != nil else { return false }
        switch (error as? FirewheelError)?.kind {
        case .transportFailed?: break
        default: guard goesOnWithOld else { return false }
        }
        if let old = resumption { staleSinks.append(StaleSink(old.sink, removesReopened: true)) }
        resumption = Resumption(data: data, sink: sink, isOpen: true)
        if attempt.isRefused { resumption?.asksForAll = true }
        return true
    }

    /// The resume data of a download that is running, with what is in its file by now.
    var runningResumeData: Data? {
        guard !isPlaced, stage != .over else { return nil }
        return (resumable ?? resumption?.data)?.encoded()
    }
}

/// A sink that is no longer needed.
struct StaleSink: Sendable {
    let sink: FileSink
    /// Whether a file that was reopened and not resumed is removed, too.
    let removesReopened: Bool

    init(_ sink: FileSink, removesReopened: Bool = false) {
        self.sink = sink
        self.removesReopened = removesReopened
    }

    func discard(done: @escaping @Sendable () -> Void) { sink.discard(removesReopened: removesReopened, done: done) }
}
