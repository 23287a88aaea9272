#if os(Linux)
    import CFirewheelSystem

    /// zstd (RFC 8878): the content is that of all frames, one after another; skippable ones have none (section 3.1). Windows are at most
    /// 8 MiB (RFC 9659 section 3).
    final class ZstdStage: CodingStage {
        private static let windowLog: CInt = 23
        /// RFC 8878 section 3.1.1.1, with the magic number.
        private static let longestHeader = 18

        private let decoder: OpaquePointer
        private var isInFrame = false
        /// How many of the first bytes of the frame were read.
        private var headerBytes = 0
        private var isBehindFrame = false

        init(_ table: SystemLibraryTable) throws(CodingFailure) {
            guard let decoder = fwzstd_create(table.functions, Self.windowLog) else { throw .outOfMemory }
            self.decoder = decoder
        }

        deinit { fwzstd_free(decoder) }

        var isWhole: Bool { !isInFrame }

        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure) {
            while true {
                if !isInFrame {
                    guard buffers.input_count > 0, buffers.output_count > 0 else { return }
                    isInFrame = true
                }
                // The header is given byte by byte. From more, libzstd would decode a whole frame without regard to the window's limit, and
                // would take what begins in the middle of a header for a frame, even one of its formats before version 0.8.
                let available = buffers.input_count
                let isHeader = headerBytes < Self.longestHeader
                let given = isHeader ? min(available, 1) : available
                buffers.input_count = given
                let result = fwzstd_step(decoder, &buffers)
                let used = given - buffers.input_count
                buffers.input_count = available - used
                if let failure = failure(result) { throw failure }
                if Int(result) == FWCODING_END {
                    (isInFrame, headerBytes, isBehindFrame) = (false, 0, true)
                } else {
                    guard isHeader, used > 0 else { return }
                    headerBytes += 1
                }
            }
        }

        /// What is no frame is data behind the end if a frame came before it.
        private func failure(_ result: CInt) -> CodingFailure? {
            Int(result) == FWCODING_NO_FRAME && isBehindFrame ? .trailingData : CodingFailure(result: result)
        }
    }
#endif
