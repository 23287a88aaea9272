#if os(Linux)
    import CFirewheelSystem

    /// A stream of zlib's decoder.
    private final class Inflater {
        private let decoder: OpaquePointer

        init(_ table: SystemLibraryTable, format: Int) throws(CodingFailure) {
            guard let decoder = fwzlib_create(table.functions, CInt(format)) else { throw .outOfMemory }
            self.decoder = decoder
        }

        deinit { fwzlib_free(decoder) }

        /// Whether the stream has ended.
        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure) -> Bool {
            let result = fwzlib_step(decoder, &buffers)
            if let failure = CodingFailure(result: result) { throw failure }
            return Int(result) == FWCODING_END
        }

        func step(_ buffers: inout fwcoding_buffers, withInput byte: UInt8) throws(CodingFailure) {
            if let failure = CodingFailure(result: buffers.step(withInput: byte) { fwzlib_step(decoder, &$0) }) { throw failure }
        }

        func reset() throws(CodingFailure) {
            guard fwzlib_reset(decoder) else { throw .malformed }
        }
    }

    /// gzip (RFC 1952): the content is that of all members, one after another (section 2.2).
    ///
    /// Zero bytes behind the last member are padding, as for gzip(1). Other data there is an error, as for libcurl, OkHttp and Go; browsers
    /// drop it, and a member that is cut short with it.
    final class GzipStage: CodingStage {
        private enum Place {
            case start
            case member
            /// Behind a member.
            case boundary
            case padding
        }

        private let inflater: Inflater
        private var place = Place.start

        init(_ table: SystemLibraryTable) throws(CodingFailure) { inflater = try Inflater(table, format: FWZLIB_GZIP) }

        var isWhole: Bool { place == .boundary || place == .padding }

        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure) {
            while true {
                switch place {
                case .start:
                    place = .member
                case .member:
                    guard try inflater.step(&buffers) else { return }
                    place = .boundary
                case .boundary:
                    guard buffers.input_count > 0 else { return }
                    switch buffers.input[0] {
                    case 0: place = .padding
                    case 0x1F:
                        // Of a member that is behind the end of the output, nothing is decoded yet.
                        guard buffers.output_count > 0 else { return }
                        try inflater.reset()
                        place = .member
                    default: throw .trailingData
                    }
                case .padding:
                    while buffers.input_count > 0 {
                        guard buffers.input[0] == 0 else { throw .trailingData }
                        buffers.input += 1
                        buffers.input_count -= 1
                    }
                    return
                }
            }
        }
    }

    /// deflate: the zlib format (RFC 1950), and raw deflate (RFC 1951), which some servers send under this name (RFC 9110 section 8.4.1.2).
    ///
    /// The first two bytes tell which. Behind raw deflate up to four bytes are dropped, as libcurl does: a checksum without its header.
    final class DeflateStage: CodingStage {
        private enum Place {
            case start
            /// The first byte has come.
            case second(first: UInt8)
            case stream(Inflater, isRaw: Bool)
            case end(tolerated: Int)
        }

        private let table: SystemLibraryTable
        private var place = Place.start

        init(_ table: SystemLibraryTable) { self.table = table }

        var isWhole: Bool { if case .end = place { true } else { false } }

        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure) {
            while true {
                switch place {
                case .start:
                    guard let first = buffers.takeByte() else { return }
                    place = .second(first: first)
                case .second(let first):
                    guard buffers.input_count > 0 else { return }
                    let isRaw = !Self.isZlibHeader(first, buffers.input[0])
                    let inflater = try Inflater(table, format: isRaw ? FWZLIB_RAW : FWZLIB_ZLIB)
                    try inflater.step(&buffers, withInput: first)
                    place = .stream(inflater, isRaw: isRaw)
                case .stream(let inflater, let isRaw):
                    guard try inflater.step(&buffers) else { return }
                    place = .end(tolerated: isRaw ? 4 : 0)
                case .end(let tolerated):
                    guard buffers.takeByte() != nil else { return }
                    guard tolerated > 0 else { throw .trailingData }
                    place = .end(tolerated: tolerated - 1)
                }
            }
        }

        /// Whether the bytes are CMF and FLG of RFC 1950 section 2.2. Raw deflate begins so only if the padding in front of a stored
        /// block is not zero.
        private static func isZlibHeader(_ first: UInt8, _ second: UInt8) -> Bool {
            first & 0x0F == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
        }
    }

    extension fwcoding_buffers {
        fileprivate mutating func takeByte() -> UInt8? {
            guard input_count > 0 else { return nil }
            defer {
                input += 1
                input_count -= 1
            }
            return input[0]
        }
    }
#endif
