/// Reads the sizes of images in formats that are not decoded.
enum OtherFormats {
    /// The logical screen of GIF: GIF89a specification, section 18.
    static func gif(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        guard let width = bytes.little(2, at: 6), let height = bytes.little(2, at: 8) else { throw .corrupt(.gif, ImageFailure.ending) }
        return ImageHeader(format: .gif, width: width, height: height)
    }

    /// The first image of a TIFF file: ImageWidth and ImageLength of TIFF 6.0, section 8.
    static func tiff(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        guard let directory = TIFFDirectory(bytes) else { throw .corrupt(.tiff, ImageFailure.ending) }
        guard let width = directory.value(of: .width), let height = directory.value(of: .height) else {
            throw .corrupt(.tiff, "it has no size")
        }
        return ImageHeader(format: .tiff, width: width, height: height)
    }

    /// A BITMAPFILEHEADER and one of the headers that follow it, which are told apart by their size. Returns nil if it is none of them,
    /// because two letters alone do not make a bitmap.
    static func bmp(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader? {
        guard bytes.has("BM"), let size = bytes.little(4, at: 14) else { return nil }
        switch size {
        case 12:
            guard let width = bytes.little(2, at: 18), let height = bytes.little(2, at: 20) else {
                throw .corrupt(.bmp, ImageFailure.ending)
            }
            return ImageHeader(format: .bmp, width: width, height: height)
        case 16, 40, 52, 56, 64, 108, 124:
            guard let width = bytes.little(4, at: 18), let height = bytes.little(4, at: 22) else {
                throw .corrupt(.bmp, ImageFailure.ending)
            }
            // Both are signed. A negative height means that rows are stored from the top.
            let signedHeight = Int(Int32(truncatingIfNeeded: height))
            return ImageHeader(format: .bmp, width: max(0, Int(Int32(truncatingIfNeeded: width))), height: abs(signedHeight))
        default: return nil
        }
    }

    /// The largest image in an icon's directory (ICONDIR), where 0 stands for 256.
    static func ico(_ bytes: ImageBytes) throws(ImageFailure) -> ImageHeader {
        guard let count = bytes.little(2, at: 4) else { throw .corrupt(.ico, ImageFailure.ending) }
        var largest = ImageHeader(format: .ico, width: 0, height: 0)
        for index in 0..<count {
            guard bytes.little(4, at: 6 + index * 16 + 12) != nil, let width = bytes.byte(at: 6 + index * 16),
                let height = bytes.byte(at: 7 + index * 16)
            else { throw .corrupt(.ico, ImageFailure.ending) }
            let image = ImageHeader(format: .ico, width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
            if image.pixelCount > largest.pixelCount { largest = image }
        }
        return largest
    }
}
