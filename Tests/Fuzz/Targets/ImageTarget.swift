import Foundation

/// An image is an error, or has a bitmap of its size if it is decoded; its size does not depend on whether it is.
func fuzzImage(_ input: [UInt8]) {
    let data = Data(input)
    guard let image = try? ResponseImage(data: data, pixelLimit: 1 << 18) else { return }
    check(image.width > 0 && image.height > 0, "an image without pixels")
    check(image.data == data, "other data")
    if let pixels = image.pixels {
        check(image.format == .png || image.format == .jpeg, "a decoded \(image.format)")
        check(image.width * image.height <= 1 << 18, "the limit is exceeded")
        check(pixels.count == image.bytesPerRow * image.height, "another number of pixels")
        check(isPremultiplied(pixels), "a color above its alpha")
    }
    guard let undecoded = try? ResponseImage(data: data, pixelLimit: 0) else { fatalError("undecoded it is an error") }
    check(!undecoded.isDecoded, "decoded in spite of the limit")
    check([undecoded.width, undecoded.height] == [image.width, image.height], "undecoded it has another size")
}

private func isPremultiplied(_ pixels: Data) -> Bool {
    pixels.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: 4).allSatisfy { max(bytes[$0], bytes[$0 + 1], bytes[$0 + 2]) <= bytes[$0 + 3] }
    }
}
