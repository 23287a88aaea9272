#if os(Linux)
    import CFirewheelSystem

    /// Decompresses the messages of permessage-deflate (RFC 7692 section 7.2.2).
    final class MessageInflater {
        /// What a sender removes from the end of each message.
        private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
        private static let pieceSize = 16_384

        private let library: SystemLibraryTable
        private let keepsContext: Bool
        /// Created for the first compressed message, because it takes memory.
        private var decoder: OpaquePointer?

        /// - Parameters:
        ///   - library: zlib. The window is the largest, whatever the sender has: zlib would refuse a distance beyond a smaller one only
        ///     if the bytes arrive in small pieces.
        ///   - keepsContext: Whether a message may refer to those before it.
        init(_ library: SystemLibraryTable, keepsContext: Bool) {
            self.library = library
            self.keepsContext = keepsContext
        }

        deinit { if let decoder { fwzlib_free(decoder) } }

        /// Decompresses bytes of a message.
        ///
        /// - Parameter output: Called with each piece. A violation that it returns ends the work.
        /// - Returns: Why the bytes are refused; nil if they are not.
        func inflate(
            _ input: UnsafeRawBufferPointer, _ output: (UnsafeRawBufferPointer) -> WebSocketViolation?
        ) -> WebSocketViolation? {
            guard let decoder = decoder ?? fwzlib_create(library.functions, CInt(FWZLIB_RAW)) else { return .outOfMemory }
            self.decoder = decoder
            return withUnsafeTemporaryAllocation(byteCount: Self.pieceSize, alignment: 1) { room in
                var rest = input
                while true {
                    var buffers = fwcoding_buffers(
                        input: rest.baseAddress?.assumingMemoryBound(to: UInt8.self), input_count: rest.count,
                        output: room.baseAddress?.assumingMemoryBound(to: UInt8.self), output_count: room.count)
                    let result = Int(fwzlib_step(decoder, &buffers))
                    let written = UnsafeRawBufferPointer(rebasing: room[..<(room.count - buffers.output_count)])
                    let consumed = rest.count - buffers.input_count
                    rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
                    if !written.isEmpty, let violation = output(written) { return violation }
                    switch result {
                    case FWCODING_MORE:
                        // A full room may not have been enough, and zlib takes a limited number of bytes at a time.
                        if written.count < room.count, rest.isEmpty { return nil }
                        if written.isEmpty, consumed == 0 { return .notDeflate }
                    case FWCODING_END:
                        // A block was marked as the last one, and others follow nevertheless (section 7.2.3.4).
                        guard fwzlib_continue(decoder) else { return .notDeflate }
                        if rest.isEmpty { return nil }
                    case FWCODING_NO_MEMORY: return .outOfMemory
                    default: return .notDeflate
                    }
                }
            }
        }

        /// Ends a message.
        ///
        /// - Returns: Why the message is refused: it ends within a block, where the removed bytes cannot have been.
        func endMessage() -> WebSocketViolation? {
            if let violation = Self.tail.withUnsafeBytes({ inflate($0) { _ in .notDeflate } }) { return violation }
            guard let decoder, fwzlib_is_between_blocks(decoder) else { return .notDeflate }
            return keepsContext || fwzlib_reset(decoder) ? nil : .notDeflate
        }
    }
#else
    /// There is none: URLSession decompresses messages by itself.
    enum MessageInflater {
        func inflate(
            _ input: UnsafeRawBufferPointer, _ output: (UnsafeRawBufferPointer) -> WebSocketViolation?
        ) -> WebSocketViolation? {}

        func endMessage() -> WebSocketViolation? {}
    }
#endif
