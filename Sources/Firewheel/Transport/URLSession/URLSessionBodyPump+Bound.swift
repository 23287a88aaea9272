#if canImport(Darwin)
    import Foundation

    /// Writes one reader's pieces into a pair of bound streams, of which URLSession reads the other end.
    final class URLSessionBodyPump: NSObject, StreamDelegate, @unchecked Sendable {
        // Sound because mutable state is used on `queue` only, which also delivers the stream's events. Only the output stream is set
        // before, and closed when nobody else has this object.

        /// The bytes that the pair holds.
        private static let size = 131_072

        private let source: BodySource
        private let queue: SerialQueue
        private let onFailure: @Sendable (TransportError) -> Void
        private var output: OutputStream?
        private var reader: (any BodyReader)?
        private var meter: URLSessionBodyMeter
        /// What the stream has not taken yet.
        private var rest = Data()
        private var isAsking = false
        private var isComplete = false
        private var isOver = false

        init(
            _ source: BodySource, _ limits: URLSessionBodyLimits, queue: SerialQueue,
            onFailure: @escaping @Sendable (TransportError) -> Void
        ) {
            self.source = source
            self.queue = queue
            self.onFailure = onFailure
            meter = URLSessionBodyMeter(length: limits.length)
        }

        func makeStream(for upload: URLSessionUpload) -> InputStream? {
            var input: InputStream?
            var output: OutputStream?
            Stream.getBoundStreams(withBufferSize: Self.size, inputStream: &input, outputStream: &output)
            self.output = output
            queue.async { self.open() }
            return input
        }

        /// Closes the reader. The stream stays open until this object is released, which is after the task has ended: URLSession would take
        /// its end for the body's.
        func end() {
            queue.async { self.finish() }
        }

        deinit {
            output?.close()
        }

        private func open() {
            queue.assertIsCurrent()
            guard !isOver, let output else { return }
            reader = source.makeURLSessionReader()
            output.delegate = self
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue.queue)
            output.open()
        }

        private func finish() {
            queue.assertIsCurrent()
            isOver = true
            reader.take()?.close()
            guard let output else { return }
            output.delegate = nil
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
        }

        func stream(_ stream: Stream, handle event: Stream.Event) {
            queue.assertIsCurrent()
            // URLSession has stopped reading in case of the others, and reports why.
            if event == .hasSpaceAvailable { goOn() }
        }

        /// Writes as much as there is room for, and then asks for more.
        private func goOn() {
            queue.assertIsCurrent()
            guard !isOver, let output else { return }
            while !rest.isEmpty, output.hasSpaceAvailable {
                let written = rest.withUnsafeBytes { bytes in
                    bytes.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
                }
                guard written > 0 else { return }
                rest = rest.dropFirst(written)
            }
            guard rest.isEmpty else { return }
            if isComplete {
                finish()
                output.close()
            } else if !isAsking, output.hasSpaceAvailable {
                isAsking = true
                reader?.read(upTo: Self.size) { [weak self, queue] piece in
                    // Not at once, so that answers before `read` returns do not nest.
                    queue.async { [weak self] in self?.take(piece) }
                }
            }
        }

        private func take(_ piece: BodyPiece) {
            queue.assertIsCurrent()
            guard !isOver, isAsking else { return }
            isAsking = false
            if let problem = meter.problem(with: piece) {
                finish()
                return onFailure(problem)
            }
            switch piece {
            case .data(let data): rest = data
            case .end, .failed: isComplete = true
            }
            goOn()
        }
    }
#endif
