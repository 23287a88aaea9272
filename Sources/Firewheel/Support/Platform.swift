import Foundation

#if os(Linux)
    import CFirewheelCurl
#endif

// Platform differences below the transports, so that other files need no conditions.

/// The system's name in `User-Agent`.
let platformName: String = {
    #if os(macOS)
        "macOS"
    #elseif os(iOS)
        "iOS"
    #elseif os(tvOS)
        "tvOS"
    #elseif os(watchOS)
        "watchOS"
    #elseif os(visionOS)
        "visionOS"
    #elseif os(Linux)
        "Linux"
    #else
        "Unknown"
    #endif
}()

/// The program's bundle; nil if Foundation on Linux would trap because it cannot find the executable, or its path is not UTF-8.
var mainBundle: Bundle? {
    #if os(Linux)
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { $0.baseAddress.map { readlink("/proc/self/exe", $0, Int(PATH_MAX)) } ?? 0 }
        guard count > 0, String(validating: path.prefix(count), as: UTF8.self) != nil else { return nil }
    #endif
    return Bundle.main
}

extension ContentCoding {
    /// The codings that the platform's transport decodes, best first: libcurl may have been built without brotli or zlib.
    static let decodable: [String] = {
        #if os(Linux)
            let features = Int(fwcurl_features())
            let brotli = features & Int(FWCURL_VERSION_BROTLI) != 0 ? ["br"] : []
            return brotli + (features & Int(FWCURL_VERSION_LIBZ) != 0 ? ["gzip", "deflate"] : [])
        #else
            ["br", "gzip", "deflate"]
        #endif
    }()
}
