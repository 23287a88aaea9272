#if os(Linux)
    import CFirewheelSystem

    /// Undoes one content coding.
    protocol CodingStage: AnyObject {
        /// Decodes, and advances input and output by what it took and wrote, also where it throws. The output has room. It makes progress
        /// unless the input is empty, and after a step that leaves room in the output nothing decoded is left inside.
        func step(_ buffers: inout fwcoding_buffers) throws(CodingFailure)

        /// Whether the body may end here.
        var isWhole: Bool { get }
    }

    /// Why a body cannot be decoded.
    enum CodingFailure: Error {
        case malformed
        /// There is more behind the end of the coding.
        case trailingData
        case largeWindow
        case outOfMemory

        /// From the result of a step.
        init?(result: CInt) {
            switch Int(result) {
            case FWCODING_MORE, FWCODING_END: return nil
            case FWCODING_LARGE_WINDOW: self = .largeWindow
            case FWCODING_NO_MEMORY: self = .outOfMemory
            default: self = .malformed
            }
        }
    }

    extension fwcoding_buffers {
        /// A step with a single byte as input, which has to be used, and this output.
        mutating func step(withInput byte: UInt8, _ body: (inout fwcoding_buffers) -> CInt) -> CInt {
            withUnsafePointer(to: byte) { pointer in
                var buffers = fwcoding_buffers(input: pointer, input_count: 1, output: output, output_count: output_count)
                let result = body(&buffers)
                output = buffers.output
                output_count = buffers.output_count
                return Int(result) == FWCODING_MORE && buffers.input_count > 0 ? CInt(FWCODING_BAD) : result
            }
        }
    }
#endif
