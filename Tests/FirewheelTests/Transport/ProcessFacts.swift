#if os(Linux)
    import Foundation
    import Glibc

    /// What the kernel says of this process. For exit tests: in a process of their own nobody else's threads and descriptors are counted.
    enum ProcessFacts {
        /// The names of all threads.
        static var threadNames: [String] {
            list("/proc/self/task").compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
                .map { $0.trimmingCharacters(in: .newlines) }
        }

        /// The number of threads but those of mock servers, which have one for each connection.
        static var clientThreadCount: Int { threadNames.filter { !$0.hasPrefix("mock-") }.count }

        /// The number of the resolver's threads.
        static var resolverThreadCount: Int { threadNames.filter { $0 == "firewheel.dns" }.count }

        /// The seconds that the loop's thread has had a processor; nil if there is none.
        static var loopTime: Double? {
            let loop = list("/proc/self/task").first { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "firewheel.loop\n"
            }
            // Nanoseconds, and then what else the scheduler knows.
            let facts = loop.flatMap { try? String(contentsOfFile: "/proc/self/task/\($0)/schedstat", encoding: .utf8) }
            return facts?.split(separator: " ").first.flatMap { Double($0) }.map { $0 / 1e9 }
        }

        /// The number of open descriptors.
        static var descriptorCount: Int { list("/proc/self/fd").count }

        /// The ports of all IPv4 sockets, listening ones included.
        static var ports: [Int] {
            list("/proc/self/fd").compactMap { Int32($0) }.compactMap { RawConnection.localPort(of: $0) }
        }

        /// What all descriptors refer to, as the kernel names it.
        static var files: [String] {
            list("/proc/self/fd").compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        }

        /// The IPv4 sockets among ``files``.
        static var internetSockets: [String] {
            list("/proc/self/fd").filter { Int32($0).flatMap { RawConnection.localPort(of: $0) } != nil }
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        }

        /// The bytes of memory that this process holds.
        static var memory: Int? { bytes("VmRSS:") }

        /// The bytes of addresses that this process has taken.
        static var addressSpace: Int? { bytes("VmSize:") }

        /// The most bytes of memory that this process has held so far.
        static var peakMemory: Int? { bytes("VmHWM:") }

        private static func bytes(_ name: String) -> Int? {
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }

        /// Lets this process have so many descriptors, or as many as the system allows it. Never lowers the limit.
        ///
        /// - Returns: The limit as it is then.
        static func raiseDescriptorLimit(to count: Int) -> Int {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(count), limit.rlim_max))
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return Int(clamping: limit.rlim_cur)
        }

        /// Ends the process after so many seconds, so that an exit test that hangs fails.
        static func giveUp(after seconds: UInt32) { alarm(seconds) }

        private static func list(_ path: String) -> [String] {
            guard let directory = opendir(path) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            return names
        }
    }
#endif
