#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// Where the certificates of authorities are: in a file, in directories, or both.
    ///
    /// OpenSSL's default file counts, or else its default directory. What `SSL_CERT_FILE` and `SSL_CERT_DIR` name replaces both.
    struct TLSStorePlaces: Sendable, Hashable {
        /// The file; nil for none.
        var file: String?
        /// Directories with names such as `1a2b3c4d.0`, as made by `openssl rehash`.
        var directories: [String] = []
        /// Whether the places were chosen, and are not defaults, which may be missing.
        var areChosen = true

        /// Named by their paths.
        init(file: String?, directories: [String] = []) {
            self.file = file
            self.directories = directories
        }

        /// The system's.
        ///
        /// - Parameter variable: The value of an environment variable. The default ignores them in programs with privileges of another
        ///   user, as OpenSSL does.
        init(_ library: SystemLibraryTable, variable: (String) -> String? = Self.variable) {
            func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
            let tls = library.functions
            let file = variable(text(fwtls_file_variable(tls))).flatMap { $0.isEmpty ? nil : $0 }
            let directories = variable(text(fwtls_directories_variable(tls))).flatMap { $0.isEmpty ? nil : $0 }
            areChosen = file != nil || directories != nil
            self.file = areChosen ? file : text(fwtls_default_file(tls))
            self.directories = Self.list(areChosen ? directories ?? "" : text(fwtls_default_directories(tls)))
        }

        private static func list(_ text: String) -> [String] { text.split(separator: ":").map(String.init) }

        private static func variable(_ name: String) -> String? {
            guard getuid() == geteuid(), getgid() == getegid() else { return nil }
            return getenv(name).map { String(cString: $0) }
        }

        /// The places in words.
        var words: String {
            ([file].compactMap { $0 } + directories).joined(separator: " or ")
        }
    }
#endif
