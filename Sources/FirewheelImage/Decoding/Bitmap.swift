import Firewheel

/// The steps from an image's data to its bitmap.
enum Bitmap {
    /// The largest bitmap, in pixels: 1 GiB.
    static let maximumPixelCount = 1 << 28

    /// Decodes an image and turns it upright.
    static func decode(_ data: Data, as header: ImageHeader, by decoder: ImageDecoder) throws(ImageFailure) -> Data {
        guard header.pixelCount <= maximumPixelCount else { throw .tooLarge(width: header.width, height: header.height) }
        // Before memory is allocated for what the header says.
        try header.checkContent(data)
        let stored = try buffer(for: header)
        try decoder.decode(data, as: header, into: stored.bytes)
        guard header.orientation != .up else { return stored.data() }
        let turned = try buffer(for: header)
        header.orientation.turn(stored.bytes, width: header.width, height: header.height, into: turned.bytes)
        return turned.data()
    }

    private static func buffer(for header: ImageHeader) throws(ImageFailure) -> PixelBuffer {
        guard let buffer = PixelBuffer(count: header.pixelCount) else {
            throw .outOfMemory(width: header.width, height: header.height)
        }
        return buffer
    }
}

/// Memory of pixels with four bytes each. All are zero at first and take physical memory only once they are written.
///
/// It is mapped, because malloc may reuse memory for blocks of this size, which it then has to clear.
struct PixelBuffer: ~Copyable {
    let bytes: UnsafeMutableRawBufferPointer

    /// Returns nil if there is not enough memory.
    init?(count: Int) {
        let memory = mmap(nil, count * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        bytes = UnsafeMutableRawBufferPointer(start: memory, count: count * 4)
    }

    /// Hands the memory over without a copy.
    consuming func data() -> Data {
        let bytes = bytes
        discard self
        guard let base = bytes.baseAddress else { return Data() }
        return Data(bytesNoCopy: base, count: bytes.count, deallocator: .unmap)
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }
}
