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
        if let sink = attempt.sink.take() { staleSinks.append(sink) }
        guard let resumption else {
            // The caller's own range is a part whose place only the caller knows.
            guard current.method == .get, !current.headers.contains(name: "Range") else { return .pass }
            beginFile(resumable: head, of: first)
            return .pass
        }
        switch resumption.judge(head) {
        case .append(let range):
            if let limit = rules.maximumBodySize, range.total > limit { return .fail(FirewheelError(.responseBodyTooLarge)) }
            var data = resumption.data
            data.total = range.total
            data.count = range.start
            attempt.partial = Resumption(data: data, sink: resumption.sink, isOpen: true)
            attempt.rangeEnd = range.end
            attempt.sink = resumption.sink
            attempt.preparation = .goOn(at: range.start)
            self.resumption = nil
            return .pass
        case .startOver:
            attempt.sink = resumption.sink
            self.resumption = nil
            let data = current.method == .get ? ResumeData(resumable: head, url: first.target, partial: RandomName.make()) : nil
            attempt.partial = data.map { Resumption(data: $0, sink: resumption.sink, isOpen: true) }
            attempt.preparation = .startOver(data.map { .partial($0.partial) } ?? .temporary)
            return .pass
        case .askForAll:
            // The file is given up only when the whole one comes.
            self.resumption = Resumption(data: resumption.data, sink: resumption.sink, isOpen: true, asksForAll: true)
            return .again(current.withoutRange())
        case .refuse:
            return .fail(FirewheelError(.downloadResumptionRefused(head.statusCode)))
        }
    }

    private mutating func beginFile(resumable head: ResponseHead, of first: HopRequest) {
        guard let data = ResumeData(resumable: head, url: first.target, partial: RandomName.make()) else { return }
        let sink = FileSink(in: rules.temporaryDirectory, .partial(data.partial))
        attempt.partial = Resumption(data: data, sink: sink, isOpen: true)
        attempt.sink = sink
    }

    /// The error of a part that does not have the bytes that it announced.
    var lengthProblem: FirewheelError? {
        guard let end = attempt.rangeEnd, let partial = attempt.partial?.data else { return nil }
        guard partial.count + attempt.received == end, end == partial.total else {
            return .transportFailed(.networkConnectionLost, "the server sent only a part of the rest of the file")
        }
        return nil
    }

    // MARK: Keeping what there is

    /// The partial file of the attempt, or the one that it was to go on with.
    private var keptFile: (sink: FileSink, data: ResumeData)? {
        if let sink = attempt.sink, let data = attempt.resumable { return (sink, data) }
        return resumption.map { ($0.sink, $0.data) }
    }

    /// Whether the file of a failed attempt is left for resuming.
    private func leavesFile(after error: (any Error)?) -> Bool {
        if state == .cancelled, isInterrupted, !producesResumeData { return false }
        guard let kind = (error as? FirewheelError)?.kind else { return false }
        switch kind {
        case .transportFailed, .downloadedFileWriteFailed, .downloadedFileMoveFailed, .explicitlyCancelled, .sessionInvalidated,
            .downloadResumptionRefused, .requestRetryFailed, .requestAdaptationFailed, .redirectHandlingFailed, .authenticationFailed:
            return true
        default: return false
        }
    }

    /// What to do with the file of an attempt that is the last one: leave it, or remove it. nil if there is none.
    mutating func settleFile(after error: (any Error)?) -> Action? {
        if let (sink, _) = keptFile, leavesFile(after: error) {
            stage = .discarding
            return .leave(nextStep(), sink)
        }
        dropResumption()
        guard let sink = attempt.sink else { return nil }
        stage = .discarding
        return .discard(nextStep(), sink)
    }

    /// - Parameter count: The number of bytes in the file; nil if there is none to go on with.
    mutating func didLeave(_ count: Int64?, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        if var data = keptFile?.data, let count {
            data.count = count
            outcome = outcome.map { $0.with(resumeData: data.encoded()) }
        }
        resumption = nil
        return serve()
    }

    /// Has the next attempt go on with the file of the one that failed, if that is safe.
    ///
    /// - Returns: Whether the file is still needed.
    mutating func resumes(after error: (any Error)?) -> Bool {
        guard let sink = attempt.sink, let data = attempt.resumable, data.rangeStart != nil else { return false }
        guard case .transportFailed? = (error as? FirewheelError)?.kind else { return false }
        resumption = Resumption(data: data, sink: sink, isOpen: true)
        return true
    }

    /// The resume data of a download that is running, with what is in its file by now.
    var runningResumeData: Data? {
        guard outcome == nil || stage == .collecting else { return nil }
        return (attempt.resumable ?? resumption?.data)?.encoded()
    }
}
