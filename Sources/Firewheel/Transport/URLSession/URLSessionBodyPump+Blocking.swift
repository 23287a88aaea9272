#if !canImport(Darwin)
    import Dispatch
    import Foundation

    /// Gives one reader's pieces to a stream whose `read` waits for them: FoundationNetworking has no bound streams, and asks a stream only
    /// once.
    ///
    /// FoundationNetworking reads on a queue that all URLSessions of the process share. While it waits here, none of their requests goes on,
    /// none starts, and none times out. The wait therefore ends at the idle timeout and at the deadline of its request, and `end` does not
    /// need the driver's queue, which may be waiting for the shared one.
    final class URLSessionBodyPump: Sendable {
        /// A question to the reader. The first answer counts.
        private final class Ask: Sendable {
            private let semaphore = DispatchSemaphore(value: 0)
            private let piece = Locked<BodyPiece?>(nil)

            func answer(_ new: BodyPiece) {
                let isFirst = piece.withLock { piece in
                    guard piece == nil else { return false }
                    piece = new
                    return true
                }
                if isFirst { semaphore.signal() }
            }

            /// nil if there was no answer in time.
            func wait(until end: DispatchTime) -> BodyPiece? {
                _ = semaphore.wait(timeout: end)
                return piece.withLock { $0 }
            }
        }

        private struct State {
            var meter: URLSessionBodyMeter
            var reader: (any BodyReader)?
            /// Whether `BodyReader.read` is being called. Then the reader is closed after the call.
            var isCalling = false
            var ask: Ask?
            /// What a piece had more than was asked for.
            var rest = Data()
            var isOver = false
        }

        private let source: BodySource
        private let limits: URLSessionBodyLimits
        private let onFailure: @Sendable (TransportError) -> Void
        private let state: Locked<State>

        init(
            _ source: BodySource, _ limits: URLSessionBodyLimits, queue: SerialQueue,
            onFailure: @escaping @Sendable (TransportError) -> Void
        ) {
            self.source = source
            self.limits = limits
            self.onFailure = onFailure
            state = Locked(State(meter: URLSessionBodyMeter(length: limits.length)))
        }

        /// The bytes that the reader has given.
        var count: Int64 { state.withLock { $0.meter.count } }

        func makeStream(for upload: URLSessionUpload) -> InputStream? { URLSessionBodyStream(self, of: upload) }

        /// Closes the reader. From now on the stream has failed, unless it was complete.
        func end() {
            let (reader, ask) = state.withLock { state in
                state.isOver = true
                return (state.isCalling ? nil : state.reader.take(), state.ask.take())
            }
            reader?.close()
            ask?.answer(.end())
        }

        // MARK: For the stream

        fileprivate func open() {
            guard state.withLock({ !$0.isOver }) else { return }
            let reader = source.makeURLSessionReader()
            let unwanted = state.withLock { state -> (any BodyReader)? in
                guard !state.isOver else { return reader }
                state.reader = reader
                return nil
            }
            unwanted?.close()
        }

        /// Waits for the next bytes.
        ///
        /// - Returns: As `InputStream.read` does: 0 at the end, -1 for a failure, which ends the request. After the end it is -1, so that
        ///   a request that is sent again without another stream does not have an empty body.
        fileprivate func read(_ buffer: UnsafeMutablePointer<UInt8>, upTo room: Int) -> Int {
            guard room > 0 else { return 0 }
            let target = UnsafeMutableRawBufferPointer(start: buffer, count: room)
            while true {
                if let count = takeRest(target) { return count }
                guard let piece = nextPiece(upTo: room) else { return -1 }
                let problem = state.withLock { state -> TransportError? in
                    if let problem = state.meter.problem(with: piece) { return problem }
                    if case .data(let data) = piece { state.rest = data }
                    return nil
                }
                if case .data = piece, problem == nil { continue }
                if let problem { onFailure(problem) }
                end()
                return problem == nil ? 0 : -1
            }
        }

        /// Copies bytes that were received before; nil if there are none.
        private func takeRest(_ target: UnsafeMutableRawBufferPointer) -> Int? {
            let rest = state.withLock { state -> Data? in
                guard !state.isOver, !state.rest.isEmpty else { return nil }
                let rest = state.rest.prefix(target.count)
                state.rest = state.rest.dropFirst(target.count)
                return rest
            }
            guard let rest else { return nil }
            rest.copyBytes(to: target)
            return rest.count
        }

        /// Asks the reader and waits for its answer; nil if there is none.
        private func nextPiece(upTo room: Int) -> BodyPiece? {
            let ask = Ask()
            let reader = state.withLock { state -> (any BodyReader)? in
                guard !state.isOver, let reader = state.reader else { return nil }
                state.isCalling = true
                state.ask = ask
                return reader
            }
            guard let reader else { return nil }
            reader.read(upTo: room) { ask.answer($0) }
            let unneeded = state.withLock { state -> (any BodyReader)? in
                state.isCalling = false
                return state.isOver ? state.reader.take() : nil
            }
            unneeded?.close()
            let (end, error) = patience()
            let piece = ask.wait(until: end)
            let isOver = state.withLock { state in
                state.ask = nil
                return state.isOver
            }
            guard !isOver else { return nil }
            return piece ?? .failed(error)
        }

        /// When to stop waiting, and the error for that.
        private func patience() -> (DispatchTime, TransportError) {
            let now = MonotonicInstant.now()
            let idle = limits.idleTimeout > 0 ? now.advanced(by: limits.idleTimeout) : MonotonicInstant(nanoseconds: .max)
            let resource = limits.deadline ?? MonotonicInstant(nanoseconds: .max)
            let end = DispatchTime(uptimeNanoseconds: min(idle, resource).nanoseconds)
            let words = resource < idle ? TimeoutWords.resource : TimeoutWords.idle(limits.idleTimeout, "waiting for the request's body")
            return (end, .failed(.timedOut, words))
        }
    }

    /// A stream without a source of Foundation's: every method that FoundationNetworking calls is overridden.
    final class URLSessionBodyStream: InputStream {
        private let pump: URLSessionBodyPump
        private let upload: URLSessionUpload
        private var status = Status.notOpen

        init(_ pump: URLSessionBodyPump, of upload: URLSessionUpload) {
            self.pump = pump
            self.upload = upload
            super.init(data: Data())
        }

        /// The stream for sending the body again.
        func next() -> InputStream? { upload.nextStream() }

        override var streamStatus: Status { status }
        override var streamError: (any Error)? { nil }
        /// Always true: whether there are more is known only after reading, and false would be the end.
        override var hasBytesAvailable: Bool { true }

        override func open() {
            status = .open
            pump.open()
        }

        override func close() {
            status = .closed
            pump.end()
        }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { pump.read(buffer, upTo: length) }

        override func getBuffer(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>) -> Bool {
            false
        }
    }
#endif
