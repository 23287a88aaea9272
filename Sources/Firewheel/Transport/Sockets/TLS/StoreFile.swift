#if os(Linux)
    import Glibc

    /// Reads files and directories of certificates.
    enum StoreFile {
        /// The errno of a failed call.
        struct Failure: Error {
            let code: Int32

            /// Whether the process or the system has run out of something, so that the file may well be readable later.
            var isScarcity: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
        }

        /// Far more than any store has.
        private static let mostBytes = 64 << 20

        static func read(_ path: String) -> Result<[UInt8], Failure> {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
            defer { close(descriptor) }
            var facts = stat()
            guard fstat(descriptor, &facts) == 0 else { return .failure(Failure(code: errno)) }
            var bytes = [UInt8]()
            bytes.reserveCapacity(max(0, min(Int(facts.st_size), mostBytes)))
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while bytes.count < mostBytes {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count == 0 { return .success(bytes) }
                if count > 0 {
                    bytes += buffer[..<count]
                } else if errno != EINTR {
                    return .failure(Failure(code: errno))
                }
            }
            return .failure(Failure(code: EFBIG))
        }

        /// The names in a directory under which OpenSSL finds certificates: eight hexadecimal digits, a dot and a number.
        static func hashedNames(in directory: String) -> Result<[String], Failure> {
            guard let stream = opendir(directory) else { return .failure(Failure(code: errno)) }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                if isHashed(name) { names.append(name) }
            }
            return .success(names.sorted())
        }

        private static func isHashed(_ name: String) -> Bool {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit) && UInt16(parts[1]) != nil
        }
    }

    /// What changes when a file or a directory does.
    struct FileStamp: Equatable {
        private let device: UInt
        private let number: UInt
        private let size: Int
        private let seconds: Int
        private let nanoseconds: Int

        /// nil if it is missing.
        init?(_ path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return nil }
            device = UInt(facts.st_dev)
            number = UInt(facts.st_ino)
            size = Int(facts.st_size)
            seconds = facts.st_mtim.tv_sec
            nanoseconds = facts.st_mtim.tv_nsec
        }

        /// Those of everything that a store is read from, by their paths: of a file in a directory, too, because the directory does not
        /// change with it. What is missing has none.
        static func all(of places: TLSStorePlaces) -> [String: FileStamp] {
            var paths = [places.file].compactMap { $0 } + places.directories
            for directory in places.directories {
                guard case .success(let names) = StoreFile.hashedNames(in: directory) else { continue }
                paths += names.map { "\(directory)/\($0)" }
            }
            return Dictionary(paths.map { ($0, FileStamp($0)) }) { first, _ in first }.compactMapValues { $0 }
        }
    }
#endif
