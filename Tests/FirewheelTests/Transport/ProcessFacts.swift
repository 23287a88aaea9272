#if os(Linux)
    import Foundation
    import Glibc

    /// What the kernel reports about this process. For exit tests, which have a process of their own.
    enum ProcessFacts {
        /// The names of all threads.
        static var threadNames: [String] {
            list("/proc/self/task").compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
                .map { $0.trimmingCharacters(in: .newlines) }
        }

        /// The number of threads except those of mock servers, which have one for each connection.
        static var clientThreadCount: Int { threadNames.filter { !$0.hasPrefix("mock-") }.count }

        /// The number of resolver threads.
        static var resolverThreadCount: Int { threadNames.filter { $0 == "firewheel.dns" }.count }

        /// The number of loop threads, of every transport.
        static var loopThreadCount: Int { threadNames.filter(isLoop).count }

        /// Whether a thread of this name is a loop; it may end with a line break.
        static func isLoop(_ name: String) -> Bool {
            ["firewheel.loop", "firewheel.io"].contains(name.trimmingCharacters(in: .newlines))
        }

        /// The loop thread's processor time in seconds; nil if there is none.
        static var loopTime: Double? {
            let loop = list("/proc/self/task").first { task in
                let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                return isLoop(name ?? "")
            }
            // Nanoseconds first, then other scheduler data.
            let facts = loop.flatMap { try? String(contentsOfFile: "/proc/self/task/\($0)/schedstat", encoding: .utf8) }
            return facts?.split(separator: " ").first.flatMap { Double($0) }.map { $0 / 1e9 }
        }

        /// The number of open descriptors.
        static var descriptorCount: Int { list("/proc/self/fd").count }

        /// The local ports of all IPv4 sockets, including listening ones.
        static var ports: [Int] {
            list("/proc/self/fd").compactMap { Int32($0) }.compactMap { RawConnection.localPort(of: $0) }
        }

        /// The targets of all descriptors, as named by the kernel.
        static var files: [String] {
            list("/proc/self/fd").compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        }

        /// The IPv4 sockets among ``files``.
        static var internetSockets: [String] {
            list("/proc/self/fd").filter { Int32($0).flatMap { RawConnection.localPort(of: $0) } != nil }
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        }

        /// The resident memory in bytes.
        static var memory: Int? { bytes("VmRSS:") }

        /// Has malloc return its free memory to the system, so that what remains is in use.
        static func returnFreeMemory() {
            typealias Trim = @convention(c) (Int) -> CInt
            guard let trim = dlsym(nil, "malloc_trim") else { return }
            _ = unsafeBitCast(trim, to: Trim.self)(0)
        }

        /// The address space in bytes.
        static var addressSpace: Int? { bytes("VmSize:") }

        /// The peak resident memory in bytes.
        static var peakMemory: Int? { bytes("VmHWM:") }

        private static func bytes(_ name: String) -> Int? {
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }

        /// Raises the descriptor limit to the number given, or as far as the system allows. Never lowers it.
        ///
        /// - Returns: The new limit.
        static func raiseDescriptorLimit(to count: Int) -> Int {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(count), limit.rlim_max))
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return Int(clamping: limit.rlim_cur)
        }

        /// Ends the process after so many seconds, so that a hanging exit test fails.
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
