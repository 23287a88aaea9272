#if os(Linux)
    import CFirewheelSystem

    /// The library for HTTP/2's framing and HPACK. Where it is missing, connections are made for HTTP/1.1 only.
    enum HTTP2Library {
        typealias Loader = @Sendable () -> Result<SystemLibraryTable, SystemLibraryError>

        /// The system's, loaded on first use.
        static let system = load("libnghttp2.so.14")

        /// Loads a library by its file name.
        static func load(_ soname: String) -> Result<SystemLibraryTable, SystemLibraryError> {
            SystemLibrary(soname: soname, package: "libnghttp2-14", leastVersion: "1.43.0").load { fwhttp2_load($0, 0x01_2B_00, $1) }
        }
    }
#endif
