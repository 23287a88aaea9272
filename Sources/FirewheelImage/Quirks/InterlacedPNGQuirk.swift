/// Interlaced PNGs with 16 bits per sample, which libpng's simplified interface does not decode correctly into 8 bits.
///
/// Library: libpng. Up to 1.6.50 it writes beyond a buffer of its own (CVE-2025-65018, fixed by most distributions without another version
/// number). From 1.6.51 on, many pixels are wrong (https://github.com/pnggroup/libpng/issues/853). Such images are delivered undecoded, as
/// AFNetworking does with all that have more than 8 bits per sample. Test: `PNGTests.deepInterlaced`.
enum InterlacedPNGQuirk {
    static func applies(depth: Int, isInterlaced: Bool) -> Bool {
        #if os(Linux)
            depth == 16 && isInterlaced
        #else
            false
        #endif
    }
}
