#if !canImport(Darwin)
    import Dispatch
    import Foundation

    /// Gives one reader's pieces to a stream whose `read` waits for them: FoundationNetworking has no bound streams, and asks a stream only
    /// once.
    ///
    /// FoundationNetworking reads on a queue that all URLSessions of the process share. While it waits here, none of their requests goes
    /// on, none starts, and none times out. The wait therefore ends at the idle timeout and at the deadline of its request, and `end` does
    /// not need the driver's queue, which may be waiting for the shared one.
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
                if let known { return known }
                _ = semaphore.wait(timeout: end)
                return known
            }

            /// nil if there is no answer yet.
            var known: BodyPiece? { piece.withLock { $0 } }
        }

        private struct State {
            var meter: URLSessionBodyMeter
            var reader: (any BodyReader)?
            /// Whether `BodyReader.read` is being called. Then the reader is closed after the call.
            var isCalling = false
            /// The question that was not answered when it was last looked at.
            var ask: Ask?
            /// What of the last piece the stream has not given yet.
            var rest = Data()
            /// The bytes that the stream has given.
            var given: Int64 = 0
            var isComplete = false
            var isOver = false
        }

        /// The most bytes of a piece.
        private static let pieceSize = 65_536

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

        /// The bytes that the stream has given.
        var count: Int64 { state.withLock { $0.given } }

        func makeStream(for upload: URLSessionUpload) -> InputStream? { URLSessionBodyStream(self, of: upload) }

        /// Closes the reader. From now on the stream has failed.
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

        /// Fills a buffer with the bytes that are there, and waits only if there are none.
        ///
        /// - Returns: As `InputStream.read` does: 0 at the end, -1 for a failure, which ends the request. After the end it is -1, so that
        ///   a request that is sent again without another stream does not have an empty body.
        fileprivate func read(_ buffer: UnsafeMutablePointer<UInt8>, upTo room: Int) -> Int {
            var filled = 0
            while filled < room {
                filled += takeRest(UnsafeMutableRawBufferPointer(start: buffer + filled, count: room - filled))
                guard filled < room else { break }
                switch nextPiece(waits: filled == 0) {
                case .piece(let piece):
                    guard let problem = take(piece) else { continue }
                    onFailure(problem)
                    end()
                    return -1
                case .later: return filled
                case .end:
                    if filled == 0 { end() }
                    return filled
                case .over: return -1
                }
            }
            return filled
        }

        private func takeRest(_ target: UnsafeMutableRawBufferPointer) -> Int {
            let rest = state.withLock { state -> Data in
                let rest = state.rest.prefix(target.count)
                state.rest = state.rest.dropFirst(target.count)
                state.given += Int64(rest.count)
                return rest
            }
            rest.copyBytes(to: target)
            return rest.count
        }

        /// - Returns: The error if the piece is not the body's next one.
        private func take(_ piece: BodyPiece) -> TransportError? {
            let (problem, unneeded) = state.withLock { state -> (TransportError?, (any BodyReader)?) in
                if let problem = state.meter.problem(with: piece) { return (problem, nil) }
                if case .data(let data) = piece {
                    state.rest = data
                    return (nil, nil)
                }
                state.isComplete = true
                return (nil, state.reader.take())
            }
            unneeded?.close()
            return problem
        }

        private enum Next {
            case piece(BodyPiece)
            /// The reader has not answered yet.
            case later
            case end
            case over
        }

        /// Asks the reader, unless it still has a question, and takes its answer.
        private func nextPiece(waits: Bool) -> Next {
            let new = Ask()
            let (next, ask, reader) = state.withLock { state -> (Next?, Ask, (any BodyReader)?) in
                if state.isOver { return (.over, new, nil) }
                if state.isComplete { return (.end, new, nil) }
                if let ask = state.ask { return (nil, ask, nil) }
                guard let reader = state.reader else { return (.over, new, nil) }
                state.ask = new
                state.isCalling = true
                return (nil, new, reader)
            }
            if let next { return next }
            if let reader { call(reader, ask) }
            let (end, error) = patience()
            let piece = waits ? ask.wait(until: end) ?? .failed(error) : ask.known
            return state.withLock { state in
                if state.isOver { return .over }
                guard let piece else { return .later }
                state.ask = nil
                return .piece(piece)
            }
        }

        private func call(_ reader: any BodyReader, _ ask: Ask) {
            reader.read(upTo: Self.pieceSize) { ask.answer($0) }
            let unneeded = state.withLock { state -> (any BodyReader)? in
                state.isCalling = false
                return state.isOver ? state.reader.take() : nil
            }
            unneeded?.close()
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
