import Foundation

// Platform differences below the transports, so that other files need no conditions.

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
    /// The codings that a session offers, best first, as Alamofire does: on Linux those whose library is installed. zstd is decoded there
    /// too, but not offered, since URLSession does not decode it.
    static let offered: [ContentCoding] = {
        let all: [ContentCoding] = [.br, .gzip, .deflate]
        #if os(Linux)
            return all.filter { CodingLibraries.system.decodable.contains($0) }
        #else
            return all
        #endif
    }()
}
