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
        guard var resumption else {
            // The caller's own range is a part whose place only the caller knows.
            guard current.method == .get, !current.headers.contains(name: "Range") else { return .pass }
            beginFile(resumable: head, of: first)
            return .pass
        }
        switch resumption.judge(head) {
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
            attempt.sink = resumption.sink
            attempt.partial = ResumeData(resumable: head, url: resumableURL(of: first), partial: RandomName.make())
            attempt.preparation = .startOver(attempt.partial.map { .partial($0.partial) } ?? .temporary)
            return .pass
        case .askForAll:
            self.resumption?.asksForAll = true
            return .again(current.withoutRange())
        case .refuse:
            return .fail(FirewheelError(.downloadResumptionRefused(head.statusCode)))
        }
    }

    private mutating func beginFile(resumable head: ResponseHead, of first: HopRequest) {
        guard attempt.sink == nil,
            let data = ResumeData(resumable: head, url: resumableURL(of: first), partial: RandomName.make())
        else { return }
        attempt.partial = data
        attempt.sink = FileSink(in: rules.temporaryDirectory, .partial(data.partial))
    }

    /// The URL to resume from: as it was before adapters, which will be called again and may have added a secret.
    private func resumableURL(of first: HopRequest) -> TargetURI {
        attempt.unadapted?.url.flatMap { TargetURI($0.absoluteString) } ?? first.target
    }

    // MARK: Receiving

    /// What to do with the file before the next byte is written. A file that is to be replaced is given up now.
    mutating func takePreparation() -> FileSink.Preparation? {
        guard let preparation = attempt.preparation.take() else { return nil }
        attempt.replaced = resumption?.data
        resumption = nil
        return preparation
    }

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

    /// The error of a part that does not have the bytes that it announced, or not all of the rest.
    var lengthProblem: FirewheelError? {
        guard let end = attempt.rangeEnd, let partial = attempt.partial else { return nil }
        guard attempt.offset + attempt.received == end, end == partial.total else {
            return .transportFailed(.networkConnectionLost, "the server sent only a part of the rest of the file")
        }
        return nil
    }

    // MARK: Keeping what there is

    /// The partial file of the attempt, or the one that it was to go on with.
    private var keptFile: (sink: FileSink, data: ResumeData)? {
        if !replacesFile, let sink = attempt.sink, let data = attempt.resumable { return (sink, data) }
        return resumption.map { ($0.sink, $0.data) }
    }

    /// Whether the response is another file, of which nothing has been received yet.
    private var replacesFile: Bool {
        if case .startOver? = attempt.preparation { return resumption != nil }
        return false
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
        // The partial file is closed before the response is delivered: whoever then resumes it must not find it in use.
        let reopened = resumption?.sink
        if attempt.sink != nil { dropResumption() }
        resumption = nil
        guard let sink = attempt.sink ?? reopened else { return nil }
        stage = .discarding
        return .discard(nextStep(), sink)
    }

    /// - Parameter file: nil if there is none to go on with.
    mutating func didLeave(_ file: FileSink.LeftFile?, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        var data: ResumeData?
        if let file {
            // The one that was to be replaced, if the end came before it was.
            data = [keptFile?.data, attempt.replaced].compactMap(\.self).first { $0.partial == file.id }
            data?.count = file.count
        } else if resumption?.isOpen == false {
            // A file that was not opened is as it was.
            data = resumption?.data
        }
        if let data { outcome = outcome.map { $0.with(resumeData: data.encoded()) } }
        resumption = nil
        return serve()
    }

    /// Has the next attempt go on with the file of the one that failed, if that is safe.
    ///
    /// - Returns: Whether the file is still needed.
    mutating func resumes(after error: (any Error)?) -> Bool {
        if replacesFile { return true }
        guard let sink = attempt.sink, let data = attempt.resumable, data.rangeStart != nil else { return false }
        guard case .transportFailed? = (error as? FirewheelError)?.kind else { return false }
        resumption = Resumption(data: data, sink: sink, isOpen: true)
        return true
    }

    /// The resume data of a download that is running, with what is in its file by now.
    var runningResumeData: Data? {
        guard outcome == nil || stage == .collecting else { return nil }
        return ((replacesFile ? nil : attempt.resumable) ?? resumption?.data)?.encoded()
    }
}
