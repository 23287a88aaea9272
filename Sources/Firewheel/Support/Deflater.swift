import Foundation

#if os(Linux)
    import CFirewheelSystem
#else
    import Compression
#endif

/// Compresses bytes to raw deflate (RFC 1951): with zlib on Linux, with the Compression framework on Apple platforms. Used by one thread at
/// a time.
final class Deflater {
    private static let bufferSize = 65_536

    private let encoder: DeflateEncoder
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: bufferSize)

    private init(_ encoder: DeflateEncoder) { self.encoder = encoder }

    deinit { buffer.deallocate() }

    /// Compresses bytes, and appends what comes of them and of those before them. Some may be held back until more come.
    ///
    /// - Parameter isLast: Ends the compressed bytes. Nothing may be compressed after that.
    /// - Throws: ``CompressionFailure``.
    func compress(_ input: UnsafeRawBufferPointer, isLast: Bool, to output: inout Data) throws {
        var rest = input
        while true {
            let step = try encoder.step(rest, isLast: isLast, into: buffer, Self.bufferSize)
            output.append(buffer, count: step.written)
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
            // Nothing more comes of the input if there was room for it.
            if step.isAtEnd || (!isLast && rest.isEmpty && step.written < Self.bufferSize) { return }
            // An encoder that comes no further would be called for ever.
            guard step.consumed > 0 || step.written > 0 else { throw CompressionFailure.refused }
        }
    }
}

/// Why bytes cannot be compressed.
enum CompressionFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case library(SystemLibraryError)
    case outOfMemory
    /// The library reports an error that no input should cause.
    case refused

    var description: String {
        switch self {
        case .library(let error): "the body cannot be compressed: \(error)"
        case .outOfMemory: "the body cannot be compressed: out of memory"
        case .refused: "the body cannot be compressed: the system's library failed"
        }
    }
}

/// How far a step of an encoder came.
private struct DeflateStep {
    var consumed: Int
    var written: Int
    var isAtEnd: Bool
}

// Level 5 is the one of Apple's framework, so that the same bytes are as small on all platforms.
#if os(Linux)
    extension Deflater {
        /// - Throws: ``CompressionFailure``.
        convenience init(library: CodingLibraries.Table = CodingLibraries.system.zlib) throws {
            self.init(try DeflateEncoder(library))
        }

        /// Why nothing can be compressed; nil if the library is there.
        static var obstacle: CompressionFailure? {
            if case .failure(let error) = CodingLibraries.system.zlib { .library(error) } else { nil }
        }
    }

    private final class DeflateEncoder {
        private let encoder: OpaquePointer

        init(_ library: CodingLibraries.Table) throws(CompressionFailure) {
            switch library {
            case .success(let table):
                guard let encoder = fwzlib_encoder_create(table.functions, 5, 15) else { throw .outOfMemory }
                self.encoder = encoder
            case .failure(let error): throw .library(error)
            }
        }

        deinit { fwzlib_encoder_free(encoder) }

        func step(
            _ input: UnsafeRawBufferPointer, isLast: Bool, into output: UnsafeMutablePointer<UInt8>, _ count: Int
        ) throws(CompressionFailure) -> DeflateStep {
            var buffers = fwcoding_buffers(
                input: input.baseAddress?.assumingMemoryBound(to: UInt8.self), input_count: input.count, output: output,
                output_count: count)
            let result = Int(fwzlib_encoder_step(encoder, &buffers, CInt(isLast ? FWZLIB_ENDS : FWZLIB_CONTINUES)))
            guard result == FWCODING_MORE || result == FWCODING_END else { throw .refused }
            return DeflateStep(
                consumed: input.count - buffers.input_count, written: count - buffers.output_count, isAtEnd: result == FWCODING_END)
        }
    }
#else
    extension Deflater {
        /// - Throws: ``CompressionFailure``.
        convenience init() throws { self.init(try DeflateEncoder()) }

        /// Nothing: the framework is a part of the system.
        static var obstacle: CompressionFailure? { nil }
    }

    private final class DeflateEncoder {
        private let stream: UnsafeMutablePointer<compression_stream>

        init() throws(CompressionFailure) {
            let stream = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
            // COMPRESSION_ZLIB is raw deflate, in spite of its name.
            guard compression_stream_init(stream, COMPRESSION_STREAM_ENCODE, COMPRESSION_ZLIB) == COMPRESSION_STATUS_OK else {
                stream.deallocate()
                throw .outOfMemory
            }
            self.stream = stream
        }

        deinit {
            compression_stream_destroy(stream)
            stream.deallocate()
        }

        func step(
            _ input: UnsafeRawBufferPointer, isLast: Bool, into output: UnsafeMutablePointer<UInt8>, _ count: Int
        ) throws(CompressionFailure) -> DeflateStep {
            // The output stands for no input, because the pointer must not be nil.
            stream.pointee.src_ptr = input.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(output)
            stream.pointee.src_size = input.count
            stream.pointee.dst_ptr = output
            stream.pointee.dst_size = count
            let status = compression_stream_process(stream, isLast ? Int32(COMPRESSION_STREAM_FINALIZE.rawValue) : 0)
            guard status == COMPRESSION_STATUS_OK || status == COMPRESSION_STATUS_END else { throw .refused }
            return DeflateStep(
                consumed: input.count - stream.pointee.src_size, written: count - stream.pointee.dst_size,
                isAtEnd: status == COMPRESSION_STATUS_END)
        }
    }
#endif
