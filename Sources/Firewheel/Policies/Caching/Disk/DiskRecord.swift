import Foundation

/// The file with the head of a stored response. Integers are little-endian, and texts UTF-8 with their length before them.
///
/// ```
/// magic       8 bytes, with the version of the format
/// checksum    4 bytes: the CRC-32 of the rest
/// length      4 bytes: of the rest
/// rest        the URL, the head, the times, the selecting fields, the names of fixed ones, the checksums of the body
/// ```
struct DiskRecord: Sendable {
    let key: String
    let response: StoredResponse
    let bodyCount: Int
    /// The CRC-32 of each ``CacheFile/blockSize`` bytes of the body.
    let checksums: [UInt32]

    private static let magic = Array("FWCACHE1".utf8)
    private static let prefixLength = 16
    /// The most bytes of such a file. Heads have at most some hundred kilobytes; each 64 KiB of a body add 4 bytes.
    static let mostBytes = 64 << 20

    /// The bits of one byte.
    private enum Flag {
        static let decoded: UInt8 = 1
        /// The names of fields follow that a handler has set.
        static let fixedFields: UInt8 = 2
    }

    /// Why a file is not such a record, or not a whole one.
    struct Invalid: Error {}

    // MARK: Writing

    /// - Throws: ``SystemLibraryError`` if the response varies by texts that cannot be hashed.
    func encoded() throws -> Data {
        var rest = RecordWriter()
        rest.add(key)
        let head = response.head
        rest.add(Int64(head.statusCode))
        rest.add(head.httpVersion)
        rest.add((response.isDecoded ? Flag.decoded : 0) | (response.fixedFields.isEmpty ? 0 : Flag.fixedFields))
        rest.add(response.freshness.responseTime.bitPattern)
        rest.add(response.freshness.initialAge.bitPattern)
        rest.add(UInt32(head.headers.count))
        for field in head.headers {
            rest.add(field.name)
            rest.add(field.value)
        }
        rest.add(UInt32(response.selectors.values.count))
        for (name, secret) in response.selectors.values {
            rest.add(name)
            try rest.add(secret)
        }
        try rest.add(response.authorization)
        if !response.fixedFields.isEmpty {
            rest.add(UInt32(response.fixedFields.count))
            for name in response.fixedFields { rest.add(name) }
        }
        rest.add(UInt64(bodyCount))
        for checksum in checksums { rest.add(checksum) }
        var file = RecordWriter()
        file.bytes = Self.magic
        file.add(Self.checksum(rest.bytes[...]))
        file.add(UInt32(rest.bytes.count))
        return Data(file.bytes + rest.bytes)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var checksum = CRC32()
        bytes.withUnsafeBytes { checksum.add($0) }
        return checksum.value
    }

    // MARK: Reading

    init(key: String, response: StoredResponse, bodyCount: Int, checksums: [UInt32]) {
        self.key = key
        self.response = response
        self.bodyCount = bodyCount
        self.checksums = checksums
    }

    /// - Parameter clientLifetime: The cache's freshness for responses that say nothing.
    /// - Throws: ``Invalid``.
    init(_ file: Data, clientLifetime: TimeInterval?) throws(Invalid) {
        let bytes = [UInt8](file)
        guard bytes.count >= Self.prefixLength, bytes.starts(with: Self.magic) else { throw Invalid() }
        var prefix = RecordReader(bytes[Self.magic.count..<Self.prefixLength])
        let rest = bytes[Self.prefixLength...]
        guard try prefix.uint32() == Self.checksum(rest), try prefix.uint32() == rest.count else { throw Invalid() }
        var reader = RecordReader(rest)
        key = try reader.text()
        guard let status = Int(exactly: Int64(bitPattern: try reader.uint64())), (200...599).contains(status) else { throw Invalid() }
        let version = try reader.text()
        let flags = try reader.uint8()
        guard flags & ~(Flag.decoded | Flag.fixedFields) == 0 else { throw Invalid() }
        let responseTime = TimeInterval(bitPattern: try reader.uint64())
        let initialAge = TimeInterval(bitPattern: try reader.uint64())
        guard responseTime.isFinite, initialAge.isFinite, initialAge >= 0 else { throw Invalid() }
        var fields: [HTTPHeader] = []
        for _ in 0..<(try reader.uint32()) { fields.append(HTTPHeader(name: try reader.text(), value: try reader.text())) }
        var selectors: [String: CacheSecret?] = [:]
        for _ in 0..<(try reader.uint32()) {
            let name = try reader.text()
            selectors.updateValue(try reader.secret(), forKey: name)
        }
        let authorization = try reader.secret()
        var fixedFields: Set<String> = []
        if flags & Flag.fixedFields != 0 { for _ in 0..<(try reader.uint32()) { fixedFields.insert(try reader.text()) } }
        bodyCount = try reader.count()
        var checksums: [UInt32] = []
        while !reader.isAtEnd { checksums.append(try reader.uint32()) }
        guard checksums.count == CacheFile.blockCount(of: bodyCount) else { throw Invalid() }
        self.checksums = checksums
        response = StoredResponse(
            stored: ResponseHead(statusCode: status, httpVersion: version, headers: HTTPHeaders(received: fields)),
            selectors: CacheSelectors(stored: selectors), authorization: authorization, isDecoded: flags & Flag.decoded != 0,
            hasQuery: key.utf8.contains(UInt8(ascii: "?")),
            initialAge: initialAge, responseTime: responseTime, clientLifetime: clientLifetime, fixedFields: fixedFields)
    }
}

private struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func add(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }

    mutating func add(_ text: String) {
        add(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func add(_ secret: CacheSecret?) throws(SystemLibraryError) {
        guard let secret else { return add(UInt8(0)) }
        let (salt, hash) = try secret.hashed()
        add(UInt8(1))
        bytes += salt + hash
    }
}

private struct RecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func take(_ count: Int) throws(DiskRecord.Invalid) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw DiskRecord.Invalid() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws(DiskRecord.Invalid) -> Value {
        try take(MemoryLayout<Value>.size).reversed().reduce(0) { $0 << 8 | Value($1) }
    }

    mutating func uint8() throws(DiskRecord.Invalid) -> UInt8 { try take(1).first ?? 0 }
    mutating func uint32() throws(DiskRecord.Invalid) -> UInt32 { try integer(UInt32.self) }
    mutating func uint64() throws(DiskRecord.Invalid) -> UInt64 { try integer(UInt64.self) }

    /// A number of bytes.
    mutating func count() throws(DiskRecord.Invalid) -> Int {
        guard let count = Int(exactly: try uint64()) else { throw DiskRecord.Invalid() }
        return count
    }

    mutating func text() throws(DiskRecord.Invalid) -> String {
        guard let text = String(validating: try take(Int(try uint32())), as: UTF8.self) else { throw DiskRecord.Invalid() }
        return text
    }

    mutating func secret() throws(DiskRecord.Invalid) -> CacheSecret? {
        guard try uint8() == 1 else { return nil }
        return .hashed(salt: Array(try take(CacheSecret.saltLength)), hash: Array(try take(CacheSecret.hashLength)))
    }
}
