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

/// The program's bundle; nil if Foundation on Linux would trap because it cannot find the executable.
var mainBundle: Bundle? {
    #if os(Linux)
        var byte: CChar = 0
        guard readlink("/proc/self/exe", &byte, 1) > 0 else { return nil }
    #endif
    return Bundle.main
}

/// Content codings (RFC 9110 section 8.4.1).
enum ContentCoding {
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
