import Foundation

#if os(Linux)
    import CFirewheelSystem
#else
    import CryptoKit
#endif

/// Hash algorithms of the system: OpenSSL's libcrypto on Linux, CryptoKit on Apple platforms.
enum HashAlgorithm: String, Sendable, Hashable, CaseIterable {
    case md5 = "MD5"
    /// For the handshake of WebSockets, where nothing depends on its strength.
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    /// SHA-512/256: SHA-512/t of FIPS 180-4 section 5.3.6 with a t of 256, which is not a truncated SHA-512. CryptoKit does not provide it.
    case sha512t256 = "SHA-512/256"

    /// The hash of bytes.
    ///
    /// - Throws: ``SystemLibraryError`` if the library is missing or refuses the algorithm, as a FIPS configuration does with MD5.
    func hash(_ bytes: some ContiguousBytes) throws(SystemLibraryError) -> [UInt8] {
        try bytes.withUnsafeBytes { bytes in Result { () throws(SystemLibraryError) in try hash(buffer: bytes) } }.get()
    }

    /// The hash of bytes as lower-case hexadecimal digits.
    func hexadecimal(_ bytes: some ContiguousBytes) throws(SystemLibraryError) -> String {
        String(decoding: Self.hexadecimal(try hash(bytes)), as: UTF8.self)
    }

    /// Two lower-case digits for each byte.
    static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}

#if os(Linux)
    extension HashAlgorithm {
        /// OpenSSL 3, which finds hash algorithms by name.
        private static let library = SystemLibrary(soname: "libcrypto.so.3", package: "libssl3", leastVersion: "3.0.0")
        private static let loaded = library.load { fwcrypto_load($0, 0x3000_0000, $1) }

        /// Why the algorithm is unavailable; nil if it is available.
        var obstacle: SystemLibraryError? {
            switch Self.loaded {
            case .success(let table): fwcrypto_has(table.functions, number) ? nil : refused
            case .failure(let error): error
            }
        }

        private var number: CInt {
            switch self {
            case .md5: CInt(FWCRYPTO_MD5)
            case .sha1: CInt(FWCRYPTO_SHA1)
            case .sha256: CInt(FWCRYPTO_SHA256)
            case .sha512t256: CInt(FWCRYPTO_SHA512_256)
            }
        }

        private var refused: SystemLibraryError {
            SystemLibraryError(library: Self.library.soname, package: Self.library.package, reason: .algorithmRefused(rawValue))
        }

        private func hash(buffer: UnsafeRawBufferPointer) throws(SystemLibraryError) -> [UInt8] {
            let table = try Self.loaded.get()
            let hash = [UInt8](unsafeUninitializedCapacity: Int(FWCRYPTO_MAXIMUM_SIZE)) { output, count in
                guard let start = output.baseAddress else { return }
                count = fwcrypto_hash(table.functions, number, buffer.baseAddress, buffer.count, start)
            }
            guard !hash.isEmpty else { throw refused }
            return hash
        }
    }
#else
    extension HashAlgorithm {
        /// Why the algorithm is unavailable; nil if it is available.
        var obstacle: SystemLibraryError? {
            self == .sha512t256 ? SystemLibraryError(library: "CryptoKit", package: nil, reason: .algorithmRefused(rawValue)) : nil
        }

        private func hash(buffer: UnsafeRawBufferPointer) throws(SystemLibraryError) -> [UInt8] {
            if let obstacle { throw obstacle }
            switch self {
            case .md5: return Self.hash(buffer, with: Insecure.MD5())
            case .sha1: return Self.hash(buffer, with: Insecure.SHA1())
            case .sha256, .sha512t256: return Self.hash(buffer, with: SHA256())
            }
        }

        private static func hash(_ buffer: UnsafeRawBufferPointer, with function: some HashFunction) -> [UInt8] {
            var function = function
            function.update(bufferPointer: buffer)
            return Array(function.finalize())
        }
    }
#endif
