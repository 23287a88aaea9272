/// How a stored image has to be turned or mirrored to be upright: the values of EXIF's Orientation (tag 0x0112, EXIF 2.32 section 4.6.4).
enum Orientation: Int, CaseIterable {
    case up = 1
    case upMirrored
    case down
    case downMirrored
    case leftMirrored
    case right
    case rightMirrored
    case left

    /// Whether the upright image is as wide as the stored one is high.
    var swapsSides: Bool { rawValue >= 5 }

    /// Where the pixel of an upright image is in a stored image of this size.
    private func source(x: Int, y: Int, width: Int, height: Int) -> Int {
        let (column, row) =
            switch self {
            case .up: (x, y)
            case .upMirrored: (width - 1 - x, y)
            case .down: (width - 1 - x, height - 1 - y)
            case .downMirrored: (x, height - 1 - y)
            case .leftMirrored: (y, x)
            case .right: (y, height - 1 - x)
            case .rightMirrored: (width - 1 - y, height - 1 - x)
            case .left: (width - 1 - y, x)
            }
        return row * width + column
    }

    /// Copies pixels of four bytes from a stored image into an upright one.
    ///
    /// - Parameters:
    ///   - stored: The stored image, of `width` × `height` pixels.
    ///   - width: The width of the stored image in pixels.
    ///   - height: The height of the stored image in pixels.
    ///   - upright: Room for as many pixels.
    func turn(_ stored: UnsafeMutableRawBufferPointer, width: Int, height: Int, into upright: UnsafeMutableRawBufferPointer) {
        let (stored, upright) = (stored.bindMemory(to: UInt32.self), upright.bindMemory(to: UInt32.self))
        let (columns, rows) = swapsSides ? (height, width) : (width, height)
        // The position in the stored image changes by the same amount with each step.
        let start = source(x: 0, y: 0, width: width, height: height)
        let across = source(x: 1, y: 0, width: width, height: height) - start
        let down = source(x: 0, y: 1, width: width, height: height) - start
        var target = 0
        for row in 0..<rows {
            var source = start + row * down
            for _ in 0..<columns {
                upright[target] = stored[source]
                target += 1
                source += across
            }
        }
    }
}
