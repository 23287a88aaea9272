/// Multiplies the colours of RGBA pixels by their alpha.
enum Premultiplication {
    /// A colour multiplied by alpha: color × alpha / 255, rounded to the nearest integer.
    static func product(_ color: UInt32, _ alpha: UInt32) -> UInt32 {
        // Division by 255 without a division. It is exact for all products of two bytes.
        let product = color * alpha + 128
        return (product + product >> 8) >> 8
    }

    static func apply(to pixels: UnsafeMutableRawBufferPointer) {
        let pixels = pixels.bindMemory(to: UInt32.self)
        for index in pixels.indices {
            let pixel = UInt32(littleEndian: pixels[index])
            let alpha = pixel >> 24
            guard alpha != 255 else { continue }
            let red = product(pixel & 0xFF, alpha)
            let green = product(pixel >> 8 & 0xFF, alpha)
            let blue = product(pixel >> 16 & 0xFF, alpha)
            pixels[index] = UInt32(littleEndian: red | green << 8 | blue << 16 | alpha << 24)
        }
    }
}
