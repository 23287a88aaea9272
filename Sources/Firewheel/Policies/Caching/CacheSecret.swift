/// Bytes of a request that a stored response is compared with. On disk they are hashed, because they may be a credential or a cookie.
enum CacheSecret: Sendable, Equatable {
    case plain([UInt8])
    /// The SHA-256 hash of the salt and the bytes.
    case hashed(salt: [UInt8], hash: [UInt8])

    var byteCount: Int {
        switch self {
        case .plain(let bytes): bytes.count
        case .hashed(let salt, let hash): salt.count + hash.count
        }
    }

    static let saltLength = 16
    static let hashLength = 32

    /// Whether these are the same bytes. Not in constant time: they come from the client, not from somebody who guesses.
    func matches(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .plain(let own): own == bytes
        case .hashed(let salt, let hash): (try? HashAlgorithm.sha256.hash(salt + bytes)) == hash
        }
    }

    /// The salt and the hash.
    ///
    /// - Throws: ``SystemLibraryError`` if the system has no SHA-256.
    func hashed() throws(SystemLibraryError) -> (salt: [UInt8], hash: [UInt8]) {
        switch self {
        case .hashed(let salt, let hash): return (salt, hash)
        case .plain(let bytes):
            var generator = SystemRandomNumberGenerator()
            let salt = (0..<Self.saltLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return (salt, try HashAlgorithm.sha256.hash(salt + bytes))
        }
    }
}
