import Foundation

// The steps of the pipeline. Each reports its result to the machine and returns the next action.
extension Call {
    // MARK: build → adapt → hop

    private var builder: RequestBuilder { channel == nil ? engine.builder : engine.builder.forWebSockets }

    func build(_ isAdapted: Bool, _ codings: CodingPreference, _ step: StepID) -> Action {
        do {
            if isAdapted {
                let request = try builder.makeURLRequest(source, while: { awaits(step) })
                return did { $0.didMake(request, in: step) }
            }
            let request = try builder.build(source, codings: codings, while: { awaits(step) })
            return did { $0.didBuild(request, adapting: nil, in: step, now: .now()) }
        } catch {
            return failToBuild(error as? FirewheelError ?? FirewheelError(.createURLRequestFailed, underlyingError: error), step)
        }
    }

    func adapt(
        _ initial: URLRequest, _ codings: CodingPreference, with adapters: [any RequestInterceptor], _ context: RequestContext,
        _ step: StepID
    ) async -> Action {
        var request = initial
        do {
            for adapter in adapters.flatMap(\.parts) {
                guard awaits(step) else { return .nothing }
                let adapted = try await adapter.adapt(request, for: context)
                request = source.uploaded?.kept(in: adapted, from: request) ?? adapted
            }
        } catch {
            return failToBuild(FirewheelError(.requestAdaptationFailed, underlyingError: error, request: initial), step)
        }
        do {
            let adapted = try builder.prepare(
                request, sending: source.uploaded, adapters: adapters.flatMap(\.bodyAdapters), codings: codings)
            return did { $0.didBuild(adapted, adapting: initial, in: step, now: .now()) }
        } catch {
            return failToBuild(error as? FirewheelError ?? FirewheelError(.createURLRequestFailed, underlyingError: error), step)
        }
    }

    private func failToBuild(_ error: FirewheelError, _ step: StepID) -> Action {
        cutShort(did { $0.didFailToBuild(error, in: step) })
        return .nothing
    }

    func tell(_ command: CallMachine.Command, _ transport: (any Transport)?) -> Action {
        switch command {
        case .start(let hop, let deadline):
            beginProgress(of: hop)
            if let channel {
                transport?.start(hop.makeRequest(for: channel.offer, engine.rules, deadline: deadline), receiver: engine)
            } else {
                transport?.start(hop.makeTransportRequest(engine.rules, deadline: deadline), receiver: engine)
            }
        case .cancel(let id):
            transport?.cancel(id)
            _ = engine.rules.trust?.end(id)
        case .pause(let id): transport?.pause(id)
        case .resume(let id): transport?.resume(id)
        case .proceed(let id, let body):
            guard let channel, let transport, let head = openedHead(of: id) else {
                transport?.proceed(id, body)
                break
            }
            // Before the first message, whose handler may ask for it.
            channel.chose(head.headers.value(for: "Sec-WebSocket-Protocol"))
            transport.proceed(id, body)
            channel.opened(on: transport, id)
        case .remove(let stale): stale.discard {}
        }
        // The state may have changed in the meantime, so ask for the next command.
        return did { $0.didTell() }
    }

    // MARK: head

    func judge(_ question: @Sendable () async -> HopVerdict, _ step: StepID) async -> Action {
        guard awaits(step) else { return .nothing }
        let verdict = await question()
        return did { $0.didJudge(verdict, in: step, now: .now()) }
    }

    func pass(
        _ gates: [ResponseGate], _ response: HTTPURLResponse?, _ validation: CallMachine.HeadValidation?, _ step: StepID
    ) async -> Action {
        guard response != nil || gates.isEmpty else {
            // A gate that cannot be asked counts as a refusal.
            let reason = "onHTTPResponse cannot be asked: Foundation makes no HTTPURLResponse of the response"
            return did { $0.didJudge(.fail(.transportFailed(.cannotParseResponse, reason)), in: step, now: .now()) }
        }
        for gate in gates {
            guard awaits(step) else { return .nothing }
            guard let response, await gate(response) == .cancel else { continue }
            cancel()
            return .nothing
        }
        for validator in validation?.validators ?? [] {
            guard awaits(step), let outcome = validation?.outcome else { return .nothing }
            guard let error = validator.check(outcome) else { continue }
            let refusal =
                error as? FirewheelError
                ?? FirewheelError(.responseValidationFailed(.customValidationFailed), underlyingError: error)
            return did { $0.didRefuseHead(refusal, in: step, now: .now()) }
        }
        return did { $0.didPassGates(in: step) }
    }

    // MARK: collect → validate

    func collect(_ sink: FileSink, _ preparation: FileSink.Preparation?, _ createsFile: Bool, _ step: StepID) {
        // A failure is that of `finish`, too.
        if let preparation { sink.prepare(preparation) { _ in } }
        sink.finish(createIfMissing: createsFile) { file, error in
            self.goOn(self.did { $0.didCollect(file, error: error, in: step) })
        }
    }

    func describe(_ outcome: Outcome, _ step: StepID) -> Action {
        let described = outcome.error.map { outcome.with(error: describing($0, outcome)) } ?? outcome
        return did { $0.didDescribe(described, in: step, now: MonotonicInstant.now) }
    }

    func validate(_ outcome: Outcome, _ validators: [Validator], _ step: StepID) -> Action {
        for validator in validators {
            if validator.owner == .caller, !awaits(step) { return .nothing }
            guard let error = validator.check(outcome) else { continue }
            let refused = outcome.with(error: describing(error, outcome))
            return did { $0.didValidate(refused: refused, in: step, now: MonotonicInstant.now) }
        }
        return did { $0.didValidate(refused: nil, in: step, now: MonotonicInstant.now) }
    }

    /// Adds the request, response and body to the error. Built for failures only, because it is expensive.
    private func describing(_ error: any Error, _ outcome: Outcome) -> any Error {
        guard let error = error as? FirewheelError else { return error }
        let body = outcome.temporaryURL.map(FileSink.beginning) ?? outcome.data
        let request = outcome.request == nil && error.kind != .invalidURL ? builder.outline(of: source) : nil
        let limit = error.kind == .responseBodyTooLarge ? engine.rules.maximumBodySize.map { $0 == 1 ? "1 byte" : "\($0) bytes" } : nil
        return error.adding(outcome, responseData: body, decoder: decoder).adding(request: request, detail: limit)
    }

    // MARK: retry?

    func decide(
        about error: any Error, with retriers: [any RequestInterceptor], _ context: RequestContext, _ step: StepID
    ) async -> Action {
        for retrier in retriers {
            guard awaits(step) else { return .nothing }
            let answer = await retrier.retry(context, dueTo: error)
            if case .doNotRetry = answer { continue }
            return did { $0.didDecide(answer, in: step, now: .now()) }
        }
        return did { $0.didDecide(.doNotRetry, in: step, now: .now()) }
    }

    // MARK: place

    func place(_ outcome: Outcome, _ sink: FileSink, _ step: StepID) {
        // A 304 that the caller has asked for says that the file at the destination is current: nothing takes its place.
        guard let destination, !outcome.isNotModified, let response = outcome.response else {
            return sink.keep(
                commits: { self.did { $0.commitsToPlace(in: step, isKept: true) } },
                done: { kept in self.didPlace(kept?.map { outcome.with(kept: $0) }, outcome, step) })
        }
        setAlarm()
        let placement: @Sendable (URL) -> FilePlacement = { temporary in
            let (url, options) = destination(temporary, response)
            return FilePlacement(
                url: url, createsFolders: options.contains(.createIntermediateDirectories),
                replacesFile: options.contains(.removePreviousFile), numbersName: options.contains(.numberTakenName))
        }
        sink.place(
            placement, while: { self.awaits(step) }, commits: { self.did { $0.commitsToPlace(in: step) } },
            done: { placed in
                self.didPlace(
                    placed?.map { outcome.with(temporaryURL: outcome.temporaryURL, destinationURL: $0, error: nil) }, outcome, step)
            })
    }

    private func didPlace(_ result: Result<Outcome, FirewheelError>?, _ outcome: Outcome, _ step: StepID) {
        let placed: Outcome
        switch result {
        case .success(let outcome):
            placed = outcome
        case .failure(let error):
            let error = error.adding(outcome)
            placed = outcome.with(temporaryURL: nil, destinationURL: nil, error: error)
        case nil:
            // The request has ended in the meantime, and the file has been removed or left for resuming.
            return
        }
        goOn(did { $0.didPlace(placed, in: step) })
    }

    // MARK: serialize → retry? → deliver

    func serialize(_ handler: ResponseHandler, _ outcome: Outcome, _ replacement: (any Error)?, _ step: StepID) -> Action {
        let made = handler.respond(outcome, outcome.error, replacement)
        return did { $0.didSerialize(made, isReplaced: replacement != nil, in: step, now: MonotonicInstant.now) }
    }

    func serializeElsewhere(_ handler: consuming ResponseHandler, _ outcome: Outcome, _ step: StepID) {
        // This may be the transport's thread, where nothing that a handler captured may be released: so it keeps no reference.
        let handover = Handover(consume handler)
        WorkerPool.runSerializer(on: serializationQueue) {
            let action = handover.take().map { self.serialize($0, outcome, nil, step) }
            self.perform(action ?? .nothing)
        }
    }

    /// Removes the finished request from the registry and calls its handlers.
    func deliver(_ final: consuming FinalResponses) -> Action {
        let request = engine.registry.remove(id, expecting: final.earlier.count + 1)
        if final.hasAlarm { engine.alarms.clear(id) }
        final.steps?.end()
        // A form counts as the caller's code. Other requests do not copy their source here.
        if sourceOwner == .caller { source.uploaded?.end() }
        let progress = final.progress
        let responses = final.takeResponses()
        if let progress { progress.progress.finish(progress.outcome, received: progress.received) }
        for response in responses.earlier { response.deliver(telling: engine.registry) }
        if let last = responses.last { last.deliver(telling: engine.registry) } else { engine.registry.didDeliver() }
        withExtendedLifetime(request) {}
        return did { $0.didDeliver() }
    }

    /// Serves handlers that were attached after the end, from the final outcome. They cause no retry.
    func serveLate(_ handlers: [ResponseHandler], _ outcome: Outcome) {
        let owner = CodeOwner.of(handlers.lazy.map(\.owner))
        let handlers = Handover(handlers)
        engine.delegateQueue.async {
            if owner == .library { return self.respondLate(handlers, outcome) }
            WorkerPool.runSerializer(on: self.serializationQueue) { self.respondLate(handlers, outcome) }
        }
    }

    private func respondLate(_ handlers: Handover<[ResponseHandler]>, _ outcome: Outcome) {
        let responses = (handlers.take() ?? []).map { handler in
            let made = handler.respond(outcome, outcome.error, nil)
            did { $0.recordResponse(made, of: handler) }
            return made
        }
        for response in responses { response.deliver(telling: engine.registry) }
        perform(did { $0.didDeliver() })
    }
}
