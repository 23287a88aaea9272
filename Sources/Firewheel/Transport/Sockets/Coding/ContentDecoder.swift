#if os(Linux)
    import CFirewheelSystem
    import Foundation

    /// Undoes the content codings of a response (RFC 9110 section 8.4): encoded bytes in, decoded bytes out, as far as the caller has room.
    ///
    /// A body is whole if all its codings have come to their own end (``finish()``). A body without a byte is empty, whatever its coding,
    /// as for libcurl: nothing is created or refused before the first byte. One thread at a time may use a decoder.
    final class ContentDecoder {
        /// How far a call came.
        struct Progress: Equatable {
            /// How many bytes of the input were used. The others have to come again.
            var consumed = 0
            /// How many decoded bytes there are.
            var written = 0
            /// Whether the input is used up and nothing decoded is left inside. Otherwise another call is needed, with the input's rest.
            var isDrained = false
        }

        /// The largest piece handed over.
        static let pieceSize = 65_536
        /// How many bytes may pass between codings in one call, so that it ends soon even if no decoded bytes come of them.
        static let workOfCall = 1 << 20

        /// How many decoded bytes have been handed over.
        private(set) var decodedCount = 0

        /// Whether the body has more than one coding.
        var hasSeveralCodings: Bool { codings.count > 1 }

        private let codings: [ContentCoding.Applied]
        private let limit: Int?
        private let libraries: CodingLibraries
        /// In the order in which they are undone. Empty before the first byte.
        private var stages: [PipelineStage] = []
        /// Reported by the next call, so that what was decoded before it is handed over.
        private var failure: TransportError?

        /// nil if there is nothing to undo, or an unknown coding among them: see ``ContentCoding/applied(in:)``.
        ///
        /// - Parameters:
        ///   - contentEncoding: The values of the response's `Content-Encoding` fields.
        ///   - limit: The most decoded bytes; nil means no limit.
        init?(contentEncoding: [String], limit: Int? = nil, libraries: CodingLibraries = .system) {
            codings = ContentCoding.applied(in: contentEncoding)
            guard !codings.isEmpty else { return nil }
            self.limit = limit
            self.libraries = libraries
        }

        /// Decodes into a buffer.
        ///
        /// - Throws: `bodyTooLarge` at the first byte above the limit; `cannotDecodeContentData` for a coding whose library is missing;
        ///   `cannotDecodeRawData` for a body that is not in its coding.
        func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(TransportError) -> Progress {
            if let failure { throw failure }
            if stages.isEmpty {
                guard !input.isEmpty else { return Progress(isDrained: true) }
                try open()
            }
            guard let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count > 0 else { return Progress() }
            let room = min(output.count, limit.map { max($0 - decodedCount, 0) } ?? .max)
            stages[0].setInput(input)
            var work = Self.workOfCall
            let written: Int
            if room > 0 {
                written = fill(stages.count - 1, start, room, &work)
                decodedCount += written
            } else {
                // Whether there is a byte above the limit.
                var byte: UInt8 = 0
                if fill(stages.count - 1, &byte, 1, &work) > 0 { failure = .bodyTooLarge }
                written = 0
            }
            let progress = Progress(
                consumed: input.count - stages[0].inputCount, written: written,
                isDrained: failure == nil && stages.allSatisfy(\.isDrained))
            stages[0].setInput(UnsafeRawBufferPointer(start: nil, count: 0))
            if written == 0, let failure { throw failure }
            return progress
        }

        /// Decodes into pieces of at most ``pieceSize`` bytes that the receiver owns, together at most `room` bytes.
        func decode(
            _ input: UnsafeRawBufferPointer, room: Int, into receive: (Data) -> Void
        ) throws(TransportError) -> Progress {
            var total = Progress()
            // Most bodies fit into one small buffer.
            var capacity = min(Self.pieceSize, max(1024, min(input.count, Self.pieceSize) * 4))
            while total.written < room {
                let size = min(capacity, room - total.written)
                guard let memory = malloc(size) else { throw .failed(.unknown, "out of memory") }
                let progress: Progress
                do {
                    progress = try decode(
                        UnsafeRawBufferPointer(rebasing: input[total.consumed...]),
                        into: UnsafeMutableRawBufferPointer(start: memory, count: size))
                } catch {
                    free(memory)
                    guard total.written == 0 else { break }
                    throw error
                }
                if progress.written > 0 {
                    let fitted = progress.written < size / 2 ? realloc(memory, progress.written) ?? memory : memory
                    receive(Data(bytesNoCopy: fitted, count: progress.written, deallocator: .free))
                } else {
                    free(memory)
                }
                total.consumed += progress.consumed
                total.written += progress.written
                total.isDrained = progress.isDrained
                guard !progress.isDrained, progress.written > 0 else { break }
                capacity = Self.pieceSize
            }
            return total
        }

        /// Whether the body may end here. Called after the last bytes have been decoded and the decoder is drained.
        ///
        /// - Throws: `cannotDecodeRawData` if the end comes early, or the failure that ``decode(_:into:)`` would throw next.
        func finish() throws(TransportError) {
            if let failure { throw failure }
            for stage in stages where stage.hasInput && !stage.coding.isWhole {
                throw .failed(.cannotDecodeRawData, "the body ended before the end of its Content-Encoding \"\(stage.name)\"")
            }
        }

        /// Creates the stages.
        private func open() throws(TransportError) {
            do {
                guard codings.count <= ContentCoding.maximum else {
                    throw TransportError.failed(
                        .cannotDecodeContentData, "a Content-Encoding of more than \(ContentCoding.maximum) codings is not supported")
                }
                stages = try codings.reversed().map { try PipelineStage($0, libraries) }
            } catch {
                failure = error as? TransportError ?? .failed(.unknown, "\(error)")
            }
            if let failure { throw failure }
        }

        /// Decodes with a stage and those in front of it until the buffer is full, the input is used up, the work is done or a stage fails.
        private func fill(_ index: Int, _ output: UnsafeMutablePointer<UInt8>, _ count: Int, _ work: inout Int) -> Int {
            let stage = stages[index]
            var written = 0
            while written < count, failure == nil {
                if stage.isDrained {
                    guard index > 0, work > 0 else { break }
                    let buffer = stage.buffer()
                    guard let start = buffer.baseAddress else { break }
                    let filled = fill(index - 1, start, buffer.count, &work)
                    guard filled > 0 else { break }
                    work -= filled
                    stage.setInput(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<filled]))
                }
                written += stage.step(output + written, count - written, &failure)
            }
            return written
        }
    }
#endif
