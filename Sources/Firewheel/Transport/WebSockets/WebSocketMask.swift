#if os(Linux)
    import CFirewheelSystem
#endif

/// The masking of frames that clients send (RFC 6455 section 5.3).
enum WebSocketMask {
    /// Masks bytes, or undoes it.
    ///
    /// - Parameters:
    ///   - key: As it is stored in memory.
    ///   - offset: The place of the first byte within its frame's payload. Default: 0.
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer, offset: UInt64 = 0) {
        guard let start = bytes.baseAddress else { return }
        // In memory, the key's first byte is the lowest one of a little-endian number.
        let turn = UInt32(truncatingIfNeeded: offset & 3) * 8
        let little = UInt32(littleEndian: key)
        let turned = turn == 0 ? little : little >> turn | little << (32 - turn)
        let word = (UInt64(turned) << 32 | UInt64(turned)).littleEndian
        var index = 0
        while index &+ 8 <= bytes.count {
            let masked = start.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            start.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: turned >> (UInt32(index & 3) * 8))
            index &+= 1
        }
    }
}

/// Masking keys from the system's random numbers: unpredictable, as section 5.3 asks. A system call brings several.
struct WebSocketMaskingKeys {
    private static let several = 64

    private var keys: [UInt32] = []

    mutating func next() -> UInt32 {
        if let key = keys.popLast() { return key }
        keys = [UInt32](repeating: 0, count: Self.several)
        #if os(Linux)
            let isFilled = keys.withUnsafeMutableBytes { fwsystem_random($0.baseAddress, $0.count) }
        #else
            let isFilled = false
        #endif
        if !isFilled {
            var generator = SystemRandomNumberGenerator()
            for index in keys.indices { keys[index] = UInt32(truncatingIfNeeded: generator.next()) }
        }
        return keys.removeLast()
    }
}
