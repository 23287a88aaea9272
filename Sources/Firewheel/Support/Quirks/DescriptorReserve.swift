import Foundation

/// The descriptors that the library leaves to the rest of the process.
///
/// libdispatch of Swift 6.3 for Linux ends a process that has none: once a second it opens files to see what its threads do. Shown by
/// `DescriptorLimitTests`.
enum DescriptorReserve {
    private static let count = 4

    /// Whether enough are left behind one that was just opened. The system gives out the lowest number that is free.
    static func isKept(behind descriptor: Int32) -> Bool {
        var limit = rlimit()
        #if os(Linux)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return result != 0 || rlim_t(descriptor) + rlim_t(count) < limit.rlim_cur
    }
}
