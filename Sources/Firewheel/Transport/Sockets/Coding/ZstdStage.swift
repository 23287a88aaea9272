#if os(Linux)
    import CFirewheelSystem

    /// zstd (RFC 8878): the content is that of all frames, one after another; skippable ones have none (section 3.1). Windows are at most
    /// 8 MiB (RFC 9659 section 3).
    final class ZstdStage: CodingStage {
        private static let windowLog: CInt = 23
        private static let magicNumberSize = 4

        private let decoder: OpaquePointer
        private var isInFrame = false
        /// How many bytes of the frame's magic number were read.
        private var headBytes = 0
        private var isBehindFrame = false

        init(_ table: SystemLibraryTable) throws(CodingFailure) {
            guard let decoder = fwzstd_create(table.functions, Self.windowLog) else { throw .outOfMemory }
            self.decoder = decoder
        }

        deinit { fwzstd_free(decoder) }

        var isWhole: Bool { !isInFrame }

        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure) {
            while true {
                while headBytes < Self.magicNumberSize {
                    guard buffers.input_count > 0, buffers.output_count > 0 else { return }
                    isInFrame = true
                    headBytes += 1
                    // One by one, so that libzstd does not see a whole frame, which it would decode without regard to the window's limit, nor
                    // the magic number of its formats before version 0.8, for which it keeps decoders of its own.
                    let first = buffers.input[0]
                    buffers.input += 1
                    buffers.input_count -= 1
                    if let failure = failure(buffers.step(withInput: first) { fwzstd_step(decoder, &$0) }) { throw failure }
                }
                let result = fwzstd_step(decoder, &buffers)
                if let failure = failure(result) { throw failure }
                guard Int(result) == FWCODING_END else { return }
                (isInFrame, headBytes) = (false, 0)
                isBehindFrame = true
            }
        }

        /// What is no frame is data behind the end if a frame came before it.
        private func failure(_ result: CInt) -> CodingFailure? {
            Int(result) == FWCODING_NO_FRAME && isBehindFrame ? .trailingData : CodingFailure(result: result)
        }
    }
#endif
