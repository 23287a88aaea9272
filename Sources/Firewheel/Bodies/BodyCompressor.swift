import Foundation

/// Compresses one body: raw deflate with the header and the trailer of its coding. Used by one thread at a time.
final class BodyCompressor {
    private let coding: DeflateRequestCompressor.Coding
    private let deflater: Deflater
    private var checksum: any Checksum
    /// The number of bytes, as the trailer of gzip has it.
    private var count: UInt32 = 0
    /// Written before the first compressed bytes; empty from then on.
    private var header: [UInt8]

    /// - Throws: ``CompressionFailure``.
    init(_ coding: DeflateRequestCompressor.Coding) throws {
        self.coding = coding
        deflater = try Deflater()
        switch coding {
        case .deflate:
            // RFC 1950 section 2.2: a window of 32 KiB, compressed fast.
            header = [0x78, 0x5E]
            checksum = Adler32()
        case .gzip:
            // RFC 1952 section 2.3: no name and no time, from an unknown system.
            header = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
            checksum = CRC32()
        }
    }

    /// Compresses bytes, and appends what comes of them and of those before them: nothing if all is held back until more come.
    ///
    /// - Throws: ``CompressionFailure``.
    func compress(_ data: Data, to output: inout Data) throws { try compress(data, isLast: false, to: &output) }

    /// Appends the rest. Nothing may be compressed after that.
    ///
    /// - Throws: ``CompressionFailure``.
    func finish(to output: inout Data) throws {
        try compress(Data(), isLast: true, to: &output)
        switch coding {
        case .deflate: Self.append(checksum.value.bigEndian, to: &output)
        case .gzip:
            Self.append(checksum.value.littleEndian, to: &output)
            Self.append(count.littleEndian, to: &output)
        }
    }

    /// A whole body.
    ///
    /// - Throws: ``CompressionFailure``.
    static func compress(_ data: Data, _ coding: DeflateRequestCompressor.Coding) throws -> Data {
        let compressor = try BodyCompressor(coding)
        var output = Data()
        try compressor.compress(data, to: &output)
        try compressor.finish(to: &output)
        return output
    }

    private func compress(_ data: Data, isLast: Bool, to output: inout Data) throws {
        // The header is not passed on by itself, because it would be sent as a piece of its own.
        output.append(contentsOf: header)
        let start = output.count
        try data.withUnsafeBytes { bytes in
            checksum.add(bytes)
            try deflater.compress(bytes, isLast: isLast, to: &output)
        }
        count &+= UInt32(truncatingIfNeeded: data.count)
        if output.count == start { output.removeLast(header.count) } else { header = [] }
    }

    private static func append(_ value: UInt32, to output: inout Data) {
        withUnsafeBytes(of: value) { output.append(contentsOf: $0) }
    }
}
