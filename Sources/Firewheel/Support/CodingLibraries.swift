#if os(Linux)
    import CFirewheelSystem

    /// The libraries of content codings. Where one is missing, its codings are not offered, and a body in one of them is an error.
    struct CodingLibraries: Sendable {
        typealias Table = Result<SystemLibraryTable, SystemLibraryError>

        /// For gzip and deflate.
        let zlib: Table
        let brotli: Table
        let zstd: Table

        /// The system's, loaded on first use.
        static let system = CodingLibraries()

        /// Loads the libraries by their file names.
        init(zlib: String = "libz.so.1", brotli: String = "libbrotlidec.so.1", zstd: String = "libzstd.so.1") {
            self.zlib = SystemLibrary(soname: zlib, package: "zlib1g", leastVersion: "1.2.11").load { fwzlib_load($0, 0x01_02_0B, $1) }
            self.brotli = SystemLibrary(soname: brotli, package: "libbrotli1", leastVersion: "1.0.0").load {
                fwbrotli_load($0, 0x01_00_00, $1)
            }
            // Since this version the parameters of a decoder are part of the stable interface.
            self.zstd = SystemLibrary(soname: zstd, package: "libzstd1", leastVersion: "1.4.0").load { fwzstd_load($0, 0x01_04_00, $1) }
        }

        /// The library that decodes a coding.
        func table(for coding: ContentCoding) -> Table {
            switch coding {
            case .gzip, .deflate: zlib
            case .br: brotli
            case .zstd: zstd
            }
        }

        /// The codings whose library is there.
        var decodable: [ContentCoding] {
            ContentCoding.allCases.filter { coding in
                if case .success = table(for: coding) { true } else { false }
            }
        }
    }
#endif
