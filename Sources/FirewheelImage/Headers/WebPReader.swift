/// Reads the size of WebP: RFC 9649 section 2.
enum WebPReader {
    static func header(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        guard let size = try size(bytes) else { throw .corrupt(.webp, ImageFailure.ending) }
        return ImageHeader(format: .webp, width: size.width, height: size.height)
    }

    /// Returns nil if the data ends too early. The first chunk's content begins at 20.
    private static func size(_ bytes: ImageBytes) throws(ImageFailure) -> (width: Int, height: Int)? {
        guard bytes.count >= 16 else { return nil }
        if bytes.has("VP8 ", at: 12) {
            // A key frame of VP8 (RFC 6386 section 9.1): the upper two bits of each number are for scaling.
            guard let width = bytes.little(2, at: 26), let height = bytes.little(2, at: 28) else { return nil }
            guard bytes.has([0x9D, 0x01, 0x2A], at: 23) else { throw .corrupt(.webp, "it has no key frame") }
            return (width & 0x3FFF, height & 0x3FFF)
        }
        if bytes.has("VP8L", at: 12) {
            guard let bits = bytes.little(4, at: 21) else { return nil }
            guard bytes.byte(at: 20) == 0x2F else { throw .corrupt(.webp, "its lossless data has no signature") }
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        if bytes.has("VP8X", at: 12) {
            guard let width = bytes.little(3, at: 24), let height = bytes.little(3, at: 27) else { return nil }
            return (width + 1, height + 1)
        }
        throw .corrupt(.webp, "it has no image data")
    }
}
