/// Reads the structure of PNG: https://www.w3.org/TR/png-3/ sections 5 and 11.
enum PNGReader {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The first chunk, IHDR.
    private struct Header {
        let width: Int
        let height: Int
        let depth: Int
        let colorType: Int
        let isInterlaced: Bool

        init?(_ bytes: ImageBytes) {
            guard let width = bytes.big(4, at: 16), let height = bytes.big(4, at: 20), let depth = bytes.byte(at: 24),
                let colorType = bytes.byte(at: 25), let interlacing = bytes.byte(at: 28)
            else { return nil }
            self.width = width
            self.height = height
            self.depth = depth
            self.colorType = colorType
            isInterlaced = interlacing != 0
        }

        /// The size of the image before compression is at least this. Wrong depths and types are left to the decoder.
        var leastByteCount: Int64 {
            let samples: Int64 = [2: 3, 4: 2, 6: 4][colorType] ?? 1
            return Int64(width) * Int64(min(depth, 16)) * samples / 8 * Int64(height)
        }
    }

    static func header(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        guard let header = Header(bytes) else { throw .corrupt(.png, ImageFailure.ending) }
        guard bytes.big(4, at: 8) == 13, bytes.has("IHDR", at: 12) else { throw .corrupt(.png, "it has no header") }
        guard max(header.width, header.height) <= Int32.max else { throw .corrupt(.png, "its size is invalid") }
        return ImageHeader(
            format: .png, width: header.width, height: header.height,
            isDecodable: !InterlacedPNGQuirk.applies(depth: header.depth, isInterlaced: header.isInterlaced))
    }

    /// The most bytes that deflate makes of one: https://zlib.net/zlib_tech.html
    private static let maximumRatio: Int64 = 1032

    /// Checks that the chunks end with IEND and that the image data is not too small for the size.
    static func checkContent(_ bytes: ImageBytes) throws(ImageFailure) {
        guard let header = Header(bytes) else { throw .corrupt(.png, ImageFailure.ending) }
        var offset = signature.count
        var dataCount = 0
        while true {
            guard let count = bytes.big(4, at: offset), 0...max(0, bytes.count - offset - 12) ~= count, offset + 12 <= bytes.count else {
                throw .corrupt(.png, ImageFailure.ending)
            }
            if bytes.has("IDAT", at: offset + 4) { dataCount += count }
            if bytes.has("IEND", at: offset + 4) { break }
            offset += 12 + count
        }
        guard header.leastByteCount / maximumRatio <= dataCount else { throw .corrupt(.png, "it has too little data for its size") }
    }
}
