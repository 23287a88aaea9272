#if os(Linux)
    import CFirewheelSystem

    /// A stage of a ``ContentDecoder``, with its input.
    final class PipelineStage {
        private static let bufferSize = 16_384

        /// As the server wrote it.
        let name: String
        let coding: any CodingStage
        /// Whether a byte has come. Without one the content is empty.
        private(set) var hasInput = false

        private var input: UnsafePointer<UInt8>?
        private(set) var inputCount = 0
        private var isEmptied = true
        private var memory: UnsafeMutablePointer<UInt8>?

        init(_ applied: ContentCoding.Applied, _ libraries: CodingLibraries) throws(TransportError) {
            name = applied.name
            coding = try Self.stage(applied, libraries)
        }

        deinit { memory?.deallocate() }

        /// Whether it has used up its input and has nothing decoded inside.
        var isDrained: Bool { inputCount == 0 && isEmptied }

        /// Where the stage in front of it writes. Created on first use.
        func buffer() -> UnsafeMutableBufferPointer<UInt8> {
            let start = memory ?? .allocate(capacity: Self.bufferSize)
            memory = start
            return UnsafeMutableBufferPointer(start: start, count: Self.bufferSize)
        }

        func setInput(_ bytes: UnsafeRawBufferPointer) {
            input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            inputCount = bytes.count
            if !bytes.isEmpty { hasInput = true }
        }

        /// One step into a buffer; how many bytes were written.
        func step(_ output: UnsafeMutablePointer<UInt8>, _ count: Int, _ failure: inout TransportError?) -> Int {
            var buffers = fwcoding_buffers(input: input, input_count: inputCount, output: output, output_count: count)
            do {
                try coding.step(&buffers)
                // A decoder that comes no further would be called for ever.
                if buffers.input_count == inputCount, buffers.output_count == count, inputCount > 0 { throw CodingFailure.malformed }
            } catch {
                failure = self.error(error as? CodingFailure ?? .malformed)
            }
            input = UnsafePointer(buffers.input)
            inputCount = buffers.input_count
            isEmptied = buffers.output_count > 0
            return count - buffers.output_count
        }

        private static func stage(_ applied: ContentCoding.Applied, _ libraries: CodingLibraries) throws(TransportError) -> any CodingStage
        {
            let table: SystemLibraryTable
            switch libraries.table(for: applied.coding) {
            case .success(let found): table = found
            case .failure(let error):
                throw .failed(.cannotDecodeContentData, "the Content-Encoding \"\(applied.name)\" is not supported: \(error)")
            }
            do {
                switch applied.coding {
                case .gzip: return try GzipStage(table)
                case .deflate: return DeflateStage(table)
                case .br: return try BrotliStage(table)
                case .zstd: return try ZstdStage(table)
                }
            } catch {
                throw .failed(.unknown, "out of memory")
            }
        }

        private func error(_ failure: CodingFailure) -> TransportError {
            switch failure {
            case .malformed: .failed(.cannotDecodeRawData, "the body is not in its Content-Encoding \"\(name)\"")
            case .trailingData: .failed(.cannotDecodeRawData, "there is data behind the end of the body's content coding")
            case .largeWindow: .failed(.cannotDecodeRawData, "the zstd window of the body is larger than 8 MiB (RFC 9659)")
            case .outOfMemory: .failed(.unknown, "out of memory")
            }
        }
    }
#endif
