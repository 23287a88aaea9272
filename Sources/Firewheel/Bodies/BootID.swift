import Foundation

/// The id of the system's current start. What a program of another start wrote may not have reached the disk.
enum BootID {
    /// Without the system's, a new one for each process: then a later process trusts only what is on the disk for certain.
    static let current = system ?? RandomName.make()

    private static var system: String? {
        #if os(Linux)
            let file = try? OpenFile("/proc/sys/kernel/random/boot_id")
            return (try? file?.contents(limit: 256)).flatMap(text)
        #else
            var (bytes, count) = ([UInt8](repeating: 0, count: 256), 256)
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
            return text(bytes.prefix(count).prefix { $0 != 0 })
        #endif
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String? {
        let text = String(decoding: Array(bytes), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }
}
