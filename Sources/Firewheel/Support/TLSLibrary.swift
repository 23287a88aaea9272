#if os(Linux)
    import CFirewheelSystem

    /// The system's OpenSSL 3. Where it is missing, https requests fail with an error that names it.
    enum TLSLibrary {
        typealias Loader = @Sendable () -> Result<SystemLibraryTable, SystemLibraryError>

        /// Loaded on first use.
        static let system = load()

        /// Loads the libraries by their file names.
        static func load(
            ssl: String = "libssl.so.3", crypto: String = "libcrypto.so.3"
        ) -> Result<SystemLibraryTable, SystemLibraryError> {
            SystemLibrary(soname: ssl, package: "libssl3", leastVersion: "3.0.0").load { fwtls_load($0, crypto, 0x3000_0000, $1) }
        }
    }

    /// Keeps OpenSSL in place while a thread uses it: it clears itself away in `exit` if others initialised it first.
    enum TLSGate {
        /// Enters, until ``leave()``. Exit waits until every thread has left. Calls can be nested.
        ///
        /// - Returns: False if the process is exiting: TLS must not be used any more.
        static func enter() -> Bool { fwtls_enter() }

        static func leave() { fwtls_leave() }
    }
#endif
