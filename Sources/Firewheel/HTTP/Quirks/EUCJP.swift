#if os(Linux)
    import Foundation

    // swift-corelibs-foundation of Swift 6.3 cannot decode EUC-JP. The C library can. Shown by `CharsetTests`.
    enum EUCJP {
        /// The text; nil if the bytes are invalid, or if the C library has no table of the encoding.
        static func decode(_ data: Data) -> String? {
            guard let converter = iconv_open("UTF-8", "EUC-JP"), converter != iconv_t(bitPattern: -1) else { return nil }
            defer { iconv_close(converter) }
            var input = data.map { CChar(bitPattern: $0) }
            // Two bytes become three at most.
            var output = [CChar](repeating: 0, count: 2 * input.count)
            let free = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output -> Int? in
                    var (source, rest) = (input.baseAddress, input.count)
                    var (target, free) = (output.baseAddress, output.count)
                    return iconv(converter, &source, &rest, &target, &free) == -1 ? nil : free
                }
            }
            return free.map { String(decoding: output.dropLast($0).lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
        }
    }
#endif
