#if os(Linux)
    import CFirewheelSystem

    /// Compresses messages for permessage-deflate (RFC 7692 section 7.2.1).
    final class MessageDeflater {
        private static let pieceSize = 16_384
        /// Faster than zlib's default of 6, and hardly larger for messages of some hundred bytes.
        private static let level: CInt = 5

        private let encoder: OpaquePointer
        private let keepsContext: Bool

        /// Takes about 256 KiB for a window of 15 bits.
        ///
        /// - Parameters:
        ///   - library: zlib.
        ///   - windowBits: The binary logarithm of the window: 8 to 15.
        ///   - keepsContext: Whether a message may refer to those before it.
        /// - Returns: nil if there is no memory.
        init?(_ library: SystemLibraryTable, windowBits: Int, keepsContext: Bool) {
            // zlib knows no window of 8 bits. With one of 9, no distance is above 250, because it keeps 262 bytes of lookahead.
            guard let encoder = fwzlib_encoder_create(library.functions, Self.level, CInt(max(9, windowBits))) else { return nil }
            self.encoder = encoder
            self.keepsContext = keepsContext
        }

        deinit { fwzlib_encoder_free(encoder) }

        /// Compresses the next bytes of a message. Some of the output may be held back until the last ones.
        ///
        /// - Parameter isLast: Whether the message ends with these bytes. Then the output ends with the four bytes that are not sent.
        /// - Returns: Whether zlib accepted them. It does as long as it is used correctly.
        func compress(_ input: UnsafeRawBufferPointer, isLast: Bool, to output: inout [UInt8]) -> Bool {
            var rest = input
            let follows = CInt(isLast ? FWZLIB_WAITS : FWZLIB_CONTINUES)
            return withUnsafeTemporaryAllocation(byteCount: Self.pieceSize, alignment: 1) { room in
                while true {
                    var buffers = fwcoding_buffers(
                        input: rest.baseAddress?.assumingMemoryBound(to: UInt8.self), input_count: rest.count,
                        output: room.baseAddress?.assumingMemoryBound(to: UInt8.self), output_count: room.count)
                    guard Int(fwzlib_encoder_step(encoder, &buffers, follows)) == FWCODING_MORE else { return false }
                    let written = room.count - buffers.output_count
                    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<written]))
                    rest = UnsafeRawBufferPointer(rebasing: rest[(rest.count - buffers.input_count)...])
                    // A full room may not have been enough, and zlib takes a limited number of bytes at a time.
                    guard written < room.count, rest.isEmpty else { continue }
                    return !isLast || keepsContext || fwzlib_encoder_reset(encoder)
                }
            }
        }
    }
#else
    /// There is none: URLSession compresses messages by itself.
    enum MessageDeflater {
        func compress(_ input: UnsafeRawBufferPointer, isLast: Bool, to output: inout [UInt8]) -> Bool {}
    }
#endif
