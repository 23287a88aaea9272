#if os(Linux)
    import Glibc

    /// A limit of this process: for tests in processes of their own.
    enum ResourceLimit {
        case fileSize, openFiles

        private var resource: __rlimit_resource_t {
            switch self {
            case .fileSize: __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            }
        }

        /// - Returns: The limit before.
        @discardableResult
        func set(_ value: rlim_t) -> rlim_t {
            var limit = rlimit()
            getrlimit(resource, &limit)
            defer {
                limit.rlim_cur = value
                setrlimit(resource, &limit)
            }
            return limit.rlim_cur
        }
    }
#endif
