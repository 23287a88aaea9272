#if os(Linux)
    import CFirewheelSystem

    /// br (RFC 7932). Windows are at most 16 MiB (section 9.1): the decoder's extension for larger ones is off. Data behind the end is an
    /// error, as for libcurl.
    final class BrotliStage: CodingStage {
        private let decoder: OpaquePointer
        private(set) var isWhole = false

        init(_ table: SystemLibraryTable) throws(CodingFailure) {
            guard let decoder = fwbrotli_create(table.functions) else { throw .outOfMemory }
            self.decoder = decoder
        }

        deinit { fwbrotli_free(decoder) }

        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure) {
            if !isWhole {
                let result = fwbrotli_step(decoder, &buffers)
                if let failure = CodingFailure(result: result) { throw failure }
                isWhole = Int(result) == FWCODING_END
            }
            if isWhole, buffers.input_count > 0 { throw .trailingData }
        }
    }
#endif
