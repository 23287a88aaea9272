#if canImport(ImageIO)
    import CoreGraphics
    import Firewheel
    import ImageIO

    /// ImageIO, which is part of the system.
    struct ImageDecoder: Sendable {
        static let system = ImageDecoder()

        /// Decodes a PNG or JPEG into RGBA pixels with premultiplied alpha.
        ///
        /// - Parameter pixels: Memory for width × height pixels of the header.
        func decode(_ data: Data, as header: ImageHeader, into pixels: UnsafeMutableRawBufferPointer) throws(ImageFailure) {
            let options = [kCGImageSourceShouldCache: false] as CFDictionary
            guard let source = CGImageSourceCreateWithData(data as CFData, options),
                let image = CGImageSourceCreateImageAtIndex(source, 0, options),
                CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
                image.width == header.width, image.height == header.height
            else { throw .corrupt(header.format, "ImageIO cannot decode it") }
            guard
                let context = CGContext(
                    data: pixels.baseAddress, width: header.width, height: header.height, bitsPerComponent: 8,
                    bytesPerRow: header.width * 4, space: ResponseImage.colorSpace, bitmapInfo: ResponseImage.bitmapInfo)
            else { throw .outOfMemory(width: header.width, height: header.height) }
            context.setBlendMode(.copy)
            context.draw(image, in: CGRect(x: 0, y: 0, width: header.width, height: header.height))
        }
    }

    extension ResponseImage {
        /// The image for Core Graphics: the bitmap, or, if it is undecoded, an image that ImageIO decodes when it is drawn. nil if ImageIO
        /// does not support it. The EXIF orientation of an undecoded image is not applied.
        public var cgImage: CGImage? {
            guard let pixels else {
                return CGImageSourceCreateWithData(data as CFData, nil).flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) }
            }
            guard let provider = CGDataProvider(data: pixels as CFData) else { return nil }
            return CGImage(
                width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow, space: Self.colorSpace,
                bitmapInfo: CGBitmapInfo(rawValue: Self.bitmapInfo), provider: provider, decode: nil, shouldInterpolate: true,
                intent: .defaultIntent)
        }

        fileprivate static var colorSpace: CGColorSpace { CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB() }

        /// Red, green, blue and alpha in this order of bytes.
        fileprivate static var bitmapInfo: UInt32 {
            CGImageAlphaInfo.premultipliedLast.rawValue | CGBitmapInfo.byteOrder32Big.rawValue
        }
    }
#endif
