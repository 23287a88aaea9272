#if os(Linux)
    import Firewheel
    import Foundation

    @testable import Firewheel

    // The handlers and sequences of a stream. What they get is collected as bytes.
    extension ChaosTrip {
        /// What one of them has got so far.
        private struct Collected: Sendable {
            var bytes = Data()
            var count = 0
            var isOver = false
        }

        /// The elements for which a slow reader takes a moment.
        private static let slowElements = 5

        func attach(_ number: Int, _ handler: ChaosScenario.Handler, to request: DataStreamRequest) {
            switch handler.value.form {
            case .data:
                if handler.place == .task {
                    return read(number, handler, request.streamTask().streamingData(automaticallyCancelling: cancels(number))) { $0 }
                }
                let take = taking(number, handler, Data.self) { $0 }
                if let queue = queue(handler.place) {
                    request.responseStream(queue: queue, stream: take)
                } else {
                    request.responseStream { try take($0) }
                }
            case .text:
                if handler.place == .task {
                    return read(number, handler, request.streamTask().streamingStrings(automaticallyCancelling: cancels(number))) {
                        Data($0.utf8)
                    }
                }
                let take = taking(number, handler, String.self) { Data($0.utf8) }
                if let queue = queue(handler.place) {
                    request.responseStreamString(queue: queue, stream: take)
                } else {
                    request.responseStreamString { try take($0) }
                }
            case .lines:
                if handler.place == .task {
                    return read(number, handler, request.streamTask().streamingLines(automaticallyCancelling: cancels(number))) {
                        Data(($0 + "\n").utf8)
                    }
                }
                let take = taking(number, handler, String.self) { Data(($0 + "\n").utf8) }
                if let queue = queue(handler.place) {
                    request.responseStreamLines(queue: queue, stream: take)
                } else {
                    request.responseStreamLines { try take($0) }
                }
            }
        }

        private func cancels(_ number: Int) -> Bool { ChaosForm.cancels(number) }

        // MARK: Closures

        private func taking<Value>(
            _ number: Int, _ handler: ChaosScenario.Handler, _ type: Value.Type, _ bytes: @escaping @Sendable (Value) -> Data
        ) -> @Sendable (DataStreamRequest.Stream<Value>) throws -> Void {
            let collected = Locked(Collected())
            return { [self] stream in
                switch stream.event {
                case .stream(.failure(let error)): report("handler \(number) was given the element \(error)")
                case .stream(.success(let value)):
                    let (count, isOver) = collected.withLock { collected in
                        collected.bytes += bytes(value)
                        collected.count += 1
                        return (collected.count, collected.isOver)
                    }
                    if isOver { report("handler \(number) was given an element after the end") }
                    try react(to: count, of: handler)
                case .complete(let completion):
                    let (bytes, isRepeated) = collected.withLock { collected in
                        defer { collected.isOver = true }
                        return (collected.bytes, collected.isOver)
                    }
                    if isRepeated { report("handler \(number) was given a second end") }
                    told(number, handler, error: completion.error, bytes)
                }
            }
        }

        private func react(to count: Int, of handler: ChaosScenario.Handler) throws {
            if count == 1 { noteDelivery() }
            if handler.value == .slow, count <= Self.slowElements { usleep(1_500) }
            guard count == 1 else { return }
            switch handler.value {
            case .refusing: throw Refusal()
            case .cancelling: cancel()
            default: break
            }
            guard handler.reaction == .suspend else { return }
            request.suspend()
            let request = request
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { request.resume() }
        }

        // MARK: Sequences

        private func read<Value>(
            _ number: Int, _ handler: ChaosScenario.Handler, _ sequence: StreamOf<Value>, _ bytes: @escaping @Sendable (Value) -> Data
        ) {
            keep(
                Task { [self] in
                    var collected = Data()
                    var count = 0
                    do {
                        for try await value in sequence {
                            collected += bytes(value)
                            count += 1
                            // Leaving the loop cancels the request.
                            if handler.value == .refusing { willLeave() }
                            do { try react(to: count, of: handler) } catch { break }
                        }
                        let hasLeft = handler.value == .refusing && count > 0
                        told(number, handler, error: hasLeft ? Refusal() : nil, collected)
                    } catch {
                        told(number, handler, error: error, collected)
                    }
                })
        }

        private func told(_ number: Int, _ handler: ChaosScenario.Handler, error: (any Error)?, _ collected: Data) {
            let result: Result<Data, any Error> = error.map { .failure($0) } ?? .success(collected)
            told(number, handler, result, rest: collected, file: nil) { $0 }
        }
    }
#endif
